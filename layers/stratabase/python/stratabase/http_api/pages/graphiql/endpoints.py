"""The endpoints of GraphiQL: the page, and its files, which `make graphiql` builds from tools/graphiql."""

import gzip
import html
import secrets
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from string import Template

from stratabase.domain.members.member import Caller
from stratabase.http_api.http.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.http_api.http.etag import cacheable_response
from stratabase.http_api.http.messages import Headers, Request, Response
from stratabase.http_api.http.refusals import NotFound
from stratabase.messages import _

BUILT = Path(__file__).parent / "built"
LICENSES = "licenses.txt"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".txt": "text/plain"}
"""The media types of the built files that the service serves, by suffix."""


@dataclass(frozen=True)
class Asset:
    """A built file of the page."""

    path: Path = field(repr=False)

    @property
    def content_type(self) -> str:
        """The Content-Type of the file."""
        return f"{_TYPES[self.path.suffix]}; charset=utf-8"

    @property
    def is_immutable(self) -> bool:
        """Whether the file never changes, because its name contains a hash of its content."""
        return self.path.name != LICENSES

    @cached_property
    def content(self) -> bytes:
        """The bytes of the file."""
        return self.path.read_bytes()

    @cached_property
    def gzipped(self) -> bytes:
        """The bytes of the file, compressed by gzip at its highest level."""
        return gzip.compress(self.content, 9, mtime=0)


@cache
def assets() -> dict[str, Asset]:
    """Return the built files by name."""
    return {path.name: Asset(path) for path in sorted(BUILT.iterdir()) if path.suffix in _TYPES}


def asset_name(suffix: str) -> str:
    """Return the name of the one built file with a suffix."""
    (name,) = (name for name in assets() if name.endswith(suffix))
    return name


_TEMPLATE = Path(__file__).parent / "page.html"


def render_page(request: Request, application: str) -> Response:
    """Return the page, with a new nonce that allows only its own script and styles."""
    nonce = secrets.token_urlsafe(16)
    values = {
        "application": application,
        # Relative addresses, so that the page works behind any host name and base path.
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
        ("Content-Security-Policy", _security_policy(nonce)),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
        ("Cache-Control", "no-store"),
    )


def _security_policy(nonce: str) -> str:
    """Return the Content-Security-Policy of the page.

    It allows only the page's own files, inline images, and requests to this service.
    """
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


IMMUTABLE = "public, max-age=31536000, immutable"


def graphiql_page_endpoint(application: str) -> Endpoint:
    """Return the endpoint of the page on which people sign in and send queries to the application."""

    def show_page(request: Request, _caller: Caller | None) -> Response:
        return render_page(request, application)

    operation = Operation(
        show_page,
        "showGraphiql",
        "GraphiQL, a page to write and run queries.",
        {200: ResponseSpec("The page.", "text/html")},
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    return Endpoint({"GET": operation})


def graphiql_file_endpoint() -> Endpoint:
    """Return the endpoint of the page's files: its script, its styles and the licenses."""
    tag = {"ETag": "Changes with the file."}
    operation = Operation(
        _read_file,
        "readGraphiqlFile",
        "A file of the page GraphiQL.",
        {
            200: ResponseSpec("The file.", ("text/javascript", "text/css", "text/plain"), tag),
            304: ResponseSpec("The file has not changed.", headers=tag),
            404: ResponseSpec("The file does not exist."),
        },
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    return Endpoint({"GET": operation}, {"file": Parameter("The name of the file.", example=LICENSES)})


def _read_file(request: Request, _caller: Caller | None) -> Response:
    name = request.parameters["file"]
    asset = assets().get(name)
    if asset is None:
        raise NotFound(_('The file "{name}" does not exist.', name=name))
    cache_control = IMMUTABLE if asset.is_immutable else "no-cache"
    return cacheable_response(
        request, asset.content_type, asset.content, cache_control, lambda: asset.gzipped
    )
