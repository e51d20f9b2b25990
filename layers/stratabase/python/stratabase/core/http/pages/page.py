"""HTML pages: the common frame, the templates, and the security headers."""

import html
import secrets
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Template

from stratabase.core.http.base.messages import Headers, Response
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message

TEMPLATES = Path(__file__).parent / "templates"
STYLE = "style.css"
SELF = "'self'"
ISOLATED = ("Cross-Origin-Opener-Policy", "same-origin")
"""The header that keeps pages of other sites, which open this one, from its window."""


class Markup(str):
    """A text that is HTML. Templates insert it as it is, and escape every other text."""

    __slots__ = ()


@frozen
class HtmlPage:
    """A page. `title` is the title of the window, and `content` the HTML below the heading."""

    application: str
    language: str
    heading: Message
    title: Message
    content: Markup
    scripts: tuple[str, ...] = ()
    """The files in the folder `templates` that make the script of the page, one after the other."""
    connects: bool = False
    """Whether the script sends requests to this service."""
    form_targets: tuple[str, ...] = ()
    """The sources, as in a Content-Security-Policy, to which forms may lead besides this service."""
    is_wide: bool = False

    def response(self, status: int, headers: Headers = ()) -> Response:
        """Return the page as a response."""
        body = render_template(
            "page.html",
            self.language,
            title=f"{self.title.in_language(self.language)} · {self.application}",
            style=Markup(read_asset(STYLE)),
            application=self.application,
            heading=self.heading,
            content=self.content,
            width=Markup(' class="wide"' if self.is_wide else ""),
            script=Markup(f'<script type="module">{self._script}</script>\n' if self.scripts else ""),
        )
        # A text may quote a lone surrogate from the request, which cannot be encoded as UTF-8.
        return Response(status, (*self._headers(), *headers), body.encode("utf-8", "replace"))

    def _headers(self) -> Headers:
        """Return the headers of the page.

        Its policy allows only its own style and script, inline images, and requests and forms that are sent
        to this service. Browsers apply the rule for forms also to where the response leads.
        """
        return page_headers(
            self.language,
            {
                "style-src": csp_hash(STYLE),
                "script-src": hash_source(self._script) if self.scripts else "'none'",
                **({"connect-src": SELF} if self.connects else {}),
                "img-src": "data:",
                "form-action": " ".join((SELF, *self.form_targets)),
                "base-uri": "'none'",
            },
        )

    @property
    def _script(self) -> str:
        return "".join(map(read_asset, self.scripts))


def page_headers(language: str, policy: Mapping[str, str]) -> Headers:
    """Return the headers of a page in a language.

    `policy` has the directives of its Content-Security-Policy by name. What it does not name is forbidden,
    and so are frames of other pages around this one.
    """
    directives = {"default-src": "'none'", **policy, "frame-ancestors": "'none'"}
    return (
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Language", language),
        ("Content-Security-Policy", "; ".join(f"{name} {value}" for name, value in directives.items())),
        ("Referrer-Policy", "no-referrer"),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
    )


def new_nonce() -> str:
    """Return a new random nonce for a Content-Security-Policy, which allows only the page's own elements."""
    return secrets.token_urlsafe(16)


def render_template(name: str, language: str, /, **values: str) -> Markup:
    """Return a template with values for its `$` placeholders. Values are escaped unless they are Markup.

    Messages are translated. The value of `$language` is the code of the language.
    """
    rendered = {key: _render(value, language) for key, value in values.items()}
    return Markup(Template(read_asset(name)).substitute(rendered, language=language))


def _render(text: str, language: str) -> Markup:
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(text.in_language(language) if isinstance(text, Message) else text))


@cache
def read_asset(name: str) -> str:
    """Return the text of a file in the folder `templates`."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def csp_hash(name: str) -> str:
    """Return the source expression of a Content-Security-Policy that allows only the text of a file."""
    return hash_source(read_asset(name))


def hash_source(text: str) -> str:
    """Return the source expression of a Content-Security-Policy that allows only a style or script."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def render_elements(element: str, messages: Iterable[Message], language: str) -> Markup:
    """Return an HTML element for each message, such as `<p>…</p>`, in a language."""
    texts = (_render(message, language) for message in messages)
    return Markup("".join(f"<{element}>{text}</{element}>\n" for text in texts))
