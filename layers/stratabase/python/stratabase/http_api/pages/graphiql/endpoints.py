"""The files of the page, as they were built."""

import gzip
import html
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from string import Template

from stratabase.domain.member import Caller
from stratabase.http_api.http import etag
from stratabase.http_api.http.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.refusals import Headers, NotFound

FOLDER = Path(__file__).parent / "built"
LICENSES = "licenses.txt"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".txt": "text/plain"}
"""What is served, by how the files' names end."""


@dataclass(frozen=True)
class Asset:
    """A file of the page."""

    path: Path = field(repr=False)

    @property
    def content_type(self) -> str:
        """Its media type."""
        return f"{_TYPES[self.path.suffix]}; charset=utf-8"

    @property
    def is_immutable(self) -> bool:
        """Whether its name says what is in it, so that it never changes."""
        return self.path.name != LICENSES

    @cached_property
    def content(self) -> bytes:
        """What is in it."""
        return self.path.read_bytes()

    @cached_property
    def gzipped(self) -> bytes:
        """What is in it, in as few bytes as gzip can."""
        return gzip.compress(self.content, 9, mtime=0)


@cache
def assets() -> dict[str, Asset]:
    """Return the files by their names."""
    return {path.name: Asset(path) for path in sorted(FOLDER.iterdir()) if path.suffix in _TYPES}


def asset_name(suffix: str) -> str:
    """Return the name of the one file that ends so."""
    (name,) = (name for name in assets() if name.endswith(suffix))
    return name


_TEMPLATE = Path(__file__).parent / "page.html"


def render_page(request: Request, application: str) -> Response:
    """Return the page, with a nonce that lets in its own script and styles and nothing else."""
    nonce = secrets.token_urlsafe(16)
    values = {
        "application": application,
        # Its addresses are relative, so that it works behind whatever name it was found.
        "here": "../" if request.path.endswith("/") else "",
        "nonce": nonce,
        "script": asset_name(".js"),
        "style": asset_name(".css"),
    }
    escaped = {name: html.escape(value) for name, value in values.items()}
    return Response(200, _headers(nonce), _template().substitute(escaped).encode())


@cache
def _template() -> Template:
    return Template(_TEMPLATE.read_text(encoding="utf-8"))


def _headers(nonce: str) -> Headers:
    return (
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Language", "en"),
        ("Content-Security-Policy", _policy(nonce)),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
        ("Cache-Control", "no-store"),
    )


def _policy(nonce: str) -> str:
    """Return what the page may do: run its script, ask this service, and nothing else."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'nonce-{nonce}'",
            f"style-src 'nonce-{nonce}'",
            "img-src data:",
            "connect-src 'self'",
            "form-action 'none'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


FOREVER = "public, max-age=31536000, immutable"
_TAG = {"ETag": "Changes with the file."}
_PAGE = {200: ResponseSpec("The page.", "text/html")}
_FILE = {
    200: ResponseSpec("The file.", ("text/javascript", "text/css", "text/plain"), _TAG),
    304: ResponseSpec("The file is the one that the client has.", headers=_TAG),
    404: ResponseSpec("The page has no such file."),
}
_NAME = Parameter("The name of the file.", example=LICENSES)


def graphiql_endpoints(application: str) -> Iterator[Endpoint]:
    """Yield the endpoints of the page on which people sign in and query the application."""

    def show(request: Request, _: Caller | None) -> Response:
        return render_page(request, application)

    about = "GraphiQL, a page on which to write and run queries."
    shown = Operation(
        show, "showGraphiql", about, _PAGE, error_format=ErrorFormat.PROBLEM_JSON, has_format=False
    )
    yield Endpoint("/public/graphiql", {"GET": shown})

    about = "A file of the page GraphiQL."
    given = Operation(
        _file, "readGraphiqlFile", about, _FILE, error_format=ErrorFormat.PROBLEM_JSON, has_format=False
    )
    yield Endpoint("/public/graphiql/{file}", {"GET": given}, parameters={"file": _NAME})


def _file(request: Request, _: Caller | None) -> Response:
    name = request.parameters["file"]
    file = assets().get(name)
    if file is None:
        raise NotFound(f'GraphiQL has no file "{name}".')
    cache = FOREVER if file.is_immutable else "no-cache"
    return etag.cacheable_response(request, file.content_type, file.content, cache, lambda: file.gzipped)
