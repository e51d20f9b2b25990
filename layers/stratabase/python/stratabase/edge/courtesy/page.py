"""A page as a response: what is around every one, and what browsers may do with it."""

from dataclasses import dataclass
from functools import cache

from stratabase.edge.courtesy.parts import Markup, content, filled, fingerprint
from stratabase.edge.refusals import Headers
from stratabase.edge.response import Response

STYLE, SCRIPT = "style.css", "script.js"


@dataclass(frozen=True, slots=True)
class Frame:
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
        body = filled(
            "page.html",
            language=self.language,
            title=f"{self.title} · {self.application}",
            style=Markup(content(STYLE)),
            application=self.application,
            heading=self.heading,
            inside=self.inside,
            script=Markup(f"<script>{content(SCRIPT)}</script>\n" if self.script else ""),
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
            f"style-src {fingerprint(STYLE)}",
            f"script-src {fingerprint(SCRIPT)}",
            "img-src data:",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )
