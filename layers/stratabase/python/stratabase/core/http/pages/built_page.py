"""The pages that programs of their own draw in the browser: GraphiQL and the API reference.

`tools` has the sources of each page. `make graphiql` and `make reference` build them into the folder `built`
beside the page's template.
"""

import gzip
import html
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from string import Template

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.preconditions import cacheable_response
from stratabase.core.http.base.refusals import UnknownAddress
from stratabase.values.messages import _

LICENSES = "licenses.txt"
IMMUTABLE = "public, max-age=31536000, immutable"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".txt": "text/plain"}
"""The media types of the built files that the service serves, by suffix."""


@dataclass(frozen=True)
class Asset:
    """A built file of a page."""

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


@dataclass(frozen=True)
class BuiltPage:
    """A page with a script of its own.

    `name` is the last segment of the page's address, and the name of its folder. `operation` is what the ids
    of its operations in OpenAPI contain. `title` and `summary` describe the page there.
    """

    name: str
    title: str
    operation: str
    summary: str

    @property
    def built(self) -> Path:
        """The folder of the built files."""
        return Path(__file__).parent / self.name / "built"

    @cached_property
    def assets(self) -> Mapping[str, Asset]:
        """The built files by name."""
        return {path.name: Asset(path) for path in sorted(self.built.iterdir()) if path.suffix in _TYPES}

    def asset_name(self, suffix: str) -> str:
        """Return the name of the one built file with a suffix."""
        (name,) = (name for name in self.assets if name.endswith(suffix))
        return name

    def render(self, request: Request, application: str) -> Response:
        """Return the page, with a new nonce that allows only its own script and styles."""
        nonce = secrets.token_urlsafe(16)
        values = {
            "application": application,
            # Relative addresses, so that the page works behind any host name and base path.
            "here": "../" if request.path.endswith("/") else "",
            "nonce": nonce,
            "script": self.asset_name(".js"),
            "style": self.asset_name(".css"),
        }
        escaped = {name: html.escape(value) for name, value in values.items()}
        return Response(200, _headers(nonce), self._template.substitute(escaped).encode())

    @cached_property
    def _template(self) -> Template:
        return Template((self.built.parent / "page.html").read_text(encoding="utf-8"))


GRAPHIQL = BuiltPage("graphiql", "GraphiQL", "Graphiql", "GraphiQL, a page to write and run queries.")
API_REFERENCE = BuiltPage(
    "reference",
    "API reference",
    "ApiReference",
    "The API reference, a page that shows this document and sends requests.",
)


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
    """Return the Content-Security-Policy of a page.

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


def built_page_endpoint(page: BuiltPage, application: str) -> Endpoint:
    """Return the endpoint that serves a page for an application."""

    def show_page(request: Request, _caller: Caller | None) -> Response:
        return page.render(request, application)

    operation = Operation(
        show_page,
        f"show{page.operation}",
        page.summary,
        {200: ResponseSpec("The page.", "text/html")},
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    return Endpoint({"GET": operation})


def built_file_endpoint(page: BuiltPage) -> Endpoint:
    """Return the endpoint of a page's files: its script, its styles and the licenses."""
    tag = {"ETag": "Changes with the file."}

    def read_file(request: Request, _caller: Caller | None) -> Response:
        name = request.parameters["file"]
        asset = page.assets.get(name)
        if asset is None:
            raise UnknownAddress(_('The file "{name}" does not exist.', name=name))
        cache_control = IMMUTABLE if asset.is_immutable else "no-cache"
        return cacheable_response(
            request, asset.content_type, asset.content, cache_control, lambda: asset.gzipped
        )

    operation = Operation(
        read_file,
        f"read{page.operation}File",
        f"A file of the page {page.title}.",
        {
            200: ResponseSpec("The file.", ("text/javascript", "text/css", "text/plain"), tag),
            304: ResponseSpec("The file has not changed.", headers=tag),
            404: ResponseSpec("The file does not exist."),
        },
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    return Endpoint({"GET": operation}, {"file": Parameter("The name of the file.", example=LICENSES)})
