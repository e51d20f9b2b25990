"""A page as a response: what is around every one, and what browsers may do with it."""

import html
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Template

from stratabase.http_api.http.messages import Response
from stratabase.http_api.http.refusals import Headers
from stratabase.http_api.pages.texts import NoticeText

STYLE, SCRIPT = "style.css", "script.js"


class Markup(str):
    """A text that is HTML already; every other one is escaped."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Page:
    """What is on a page."""

    application: str
    language: str
    heading: str
    title: str
    """What a window says of it."""
    inside: Markup
    script: bool = False

    def response(self, status: int, headers: Headers = ()) -> Response:
        """Return the page."""
        body = render_template(
            "page.html",
            language=self.language,
            title=f"{self.title} · {self.application}",
            style=Markup(read_asset(STYLE)),
            application=self.application,
            heading=self.heading,
            inside=self.inside,
            script=Markup(f"<script>{read_asset(SCRIPT)}</script>\n" if self.script else ""),
        )
        return Response(status, (*self._headers(), *headers), body.encode())

    def _headers(self) -> Headers:
        return (
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Language", self.language),
            ("Content-Security-Policy", _policy()),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
        )


@cache
def _policy() -> str:
    """Return what a page may do: show itself, run its one script, send its form home, and nothing else."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src {csp_hash(STYLE)}",
            f"script-src {csp_hash(SCRIPT)}",
            "img-src data:",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


_TEMPLATES = Path(__file__).parent / "templates"


def render_template(name: str, **values: str) -> Markup:
    """Return a file of this folder with values in the places that `$` marks."""
    escaped = {
        key: value if isinstance(value, Markup) else html.escape(value) for key, value in values.items()
    }
    return Markup(Template(read_asset(name)).substitute(escaped))


@cache
def read_asset(name: str) -> str:
    """Return what is in a file of this folder."""
    return (_TEMPLATES / name).read_text(encoding="utf-8")


@cache
def csp_hash(name: str) -> str:
    """Return what a Content-Security-Policy says to let in just what is in a file of this folder."""
    return f"'sha256-{b64encode(sha256(read_asset(name).encode()).digest()).decode()}'"


def render_elements(element: str, texts: Iterable[str]) -> Markup:
    """Return an element for each of some texts."""
    return Markup("".join(f"<{element}>{html.escape(text)}</{element}>\n" for text in texts))


def notice(
    application: str, language: str, said: NoticeText, status: int = 200, headers: Headers = ()
) -> Response:
    """Return the page that says so."""
    inside = render_elements("p", [text.format(application=application) for text in said.paragraphs])
    return Page(application, language, said.heading, said.heading, inside).response(status, headers)
