"""The HTTP requests of the local gateway: their heads, read once per connection, and their bodies."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from string import ascii_letters, digits
from typing import NamedTuple

import httptools

from stratabase.cli.gateway.errors import ADVICE, MAX_BODY, MAX_HEAD, ErrorType, GatewayError
from stratabase.cli.gateway.routes import RouteMatch
from stratabase.http_api.http.api_gateway import request_headers
from stratabase.text_cache import cache_short_texts

RawHeaders = Sequence[tuple[bytes, bytes]]
"""Names and values, as the client sent them."""

_CONNECTION_HEADERS = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers that concern only the connection to the client. Events of API Gateway do not contain them."""
_HOST_CHARACTERS = (ascii_letters + digits + "-._~%!$&'()*+,;=:[]").encode()
"""The characters that RFC 3986 allows in a host and a port."""
_PIECE_SIZE = 64 * 1024
"""The minimum size in bytes of the pieces in which a body is collected, except for the last one."""
_CAPITALIZED = frozenset({"authorization", "user-agent"})
"""The headers whose names API Gateway capitalizes. It leaves all other names as the client sent them."""


class Head:
    """The headers of a request, except Content-Length, which differs between requests of the same client."""

    def __init__(self, raw_headers: RawHeaders) -> None:
        self.raw_headers = raw_headers
        self.values: dict[str, list[str]] = {}
        """The values of each header by its name in events, without the headers of the connection."""
        self.hosts = [value for name, value in raw_headers if len(name) == 4 and name.lower() == b"host"]
        """The values of all Host headers."""
        self.size = sum(len(name) + len(value) + len(": \r\n") for name, value in raw_headers)
        """The size of the headers in bytes."""
        self.expects_continue = False
        """Whether the client waits for the status 100 Continue before it sends the body."""
        self.is_chunked = any(name.lower() == b"transfer-encoding" for name, _value in raw_headers)
        """Whether the size of the body is not known in advance."""
        self.asks_for_web_socket = asks_for_web_socket(raw_headers)
        for raw_name, raw_value in raw_headers:
            name = _event_header_name(raw_name)
            if name is not None:
                self.values.setdefault(name, []).append(raw_value.decode("latin-1"))
            elif raw_name.lower() == b"expect":
                self.expects_continue = raw_value.lower() == b"100-continue"

    @cached_property
    def api_headers(self) -> Mapping[str, tuple[str, ...]]:
        """The headers as functions of this service get them: see `Request.headers`."""
        return request_headers(self.values)


class Target(NamedTuple):
    """The target of a request."""

    path: str
    """The path as the client sent it, except that leading slashes become one."""
    query: bytes
    size: int
    """The size in bytes as the client sent it, without the host of an absolute URL."""


@cache_short_texts(512)
def parse_target(url: bytes) -> Target:
    """Return the target of a request line. Raises ValueError, or an error of httptools."""
    parsed = httptools.parse_url(url)
    path, query = parsed.path.decode("ascii"), parsed.query or b""
    one_slash = "/" + path.lstrip("/") if path.startswith("//") else path
    return Target(one_slash, query, len(path) + len(query) + bool(query))


class Addresses(NamedTuple):
    """The addresses of a connection."""

    client: str
    """The IP address of the client, or an empty text if the client has left already."""
    domain: str
    """The host and port of the server, independent of the Host header."""
    port: str


class HttpRequest:
    """A request that a connection receives: complete when all bytes of its body are there."""

    __slots__ = (
        "_body",
        "addresses",
        "content_length",
        "error",
        "head",
        "head_size",
        "http_version",
        "is_answered",
        "is_complete",
        "keeps_connection",
        "match",
        "method",
        "size",
        "target",
    )

    def __init__(  # noqa: PLR0913, PLR0917 - the parts of a head
        self,
        method: str,
        target: Target,
        http_version: str,
        head: Head,
        head_size: int,
        content_length: int | None,
        addresses: Addresses,
        *,
        keeps_connection: bool,
    ) -> None:
        self.method = method
        self.target = target
        self.http_version = http_version
        self.head = head
        self.head_size = head_size
        """The size of the headers in bytes."""
        self.content_length = content_length
        """The size of the body in bytes, or None if it is chunked."""
        self.addresses = addresses
        self.keeps_connection = keeps_connection
        """Whether the client can send another request on the same connection."""
        self.match: RouteMatch | None = None
        """The route, once the gateway has admitted the head."""
        self.error: GatewayError | None = None
        """Why the gateway refuses the body, if it does."""
        self.is_complete = False
        self.is_answered = False
        """Whether the response began before the request was complete. The rest of the body is ignored."""
        self._body: list[bytes | bytearray] = []
        self.size = 0

    @property
    def body(self) -> bytes:
        """The body as far as it has arrived."""
        pieces = self._body
        return bytes(pieces[0]) if len(pieces) == 1 else b"".join(pieces)

    def add_body(self, data: bytes) -> None:
        """Add bytes to the body. If it becomes too large, set `error`."""
        if self.is_answered or self.error is not None:
            return
        self.size += len(data)
        if self.size > MAX_BODY:
            self.error = body_too_large()
        elif not self._body:
            self._body = [data]
        elif len(self._body[-1]) < _PIECE_SIZE:
            # One growing buffer would be copied again and again. Many small pieces would take much memory.
            last = self._body[-1]
            if not isinstance(last, bytearray):
                last = self._body[-1] = bytearray(last)
            last += data
        else:
            self._body.append(data)


def body_too_large() -> GatewayError:
    """Return the error of a body that is too large."""
    text = f"The body has more than the maximum of {MAX_BODY} bytes. {ADVICE}"
    return GatewayError(ErrorType.REQUEST_TOO_LARGE, text)


def check_head(request: HttpRequest) -> None:
    """Raise GatewayError for a head that is invalid HTTP, or that API Gateway rejects for its size."""
    head = request.head
    if len(head.hosts) != 1 and (head.hosts or request.http_version != "1.0"):
        number = f"{len(head.hosts)} Host headers" if head.hosts else "no Host header"
        text = f"The request has {number}; HTTP/1.1 requires exactly one."
        raise GatewayError(ErrorType.BAD_REQUEST, text)
    if head.hosts and head.hosts[0].translate(None, _HOST_CHARACTERS):
        raise GatewayError(ErrorType.BAD_REQUEST, "The Host header is not a valid host name.")
    if head.asks_for_web_socket:
        raise GatewayError(ErrorType.BAD_REQUEST, "WebSocket is not served here; send plain HTTP requests.")
    size = len(request.method) + request.target.size + len("  HTTP/1.1\r\n") + request.head_size
    if size > MAX_HEAD:
        text = f"Request line and headers have {size} bytes; at most {MAX_HEAD} are allowed."
        raise GatewayError(ErrorType.HEAD_TOO_LARGE, text)


def asks_for_web_socket(raw_headers: RawHeaders) -> bool:
    """Return whether a client asks to switch to the WebSocket protocol."""
    return any(
        len(name) == 7 and name.lower() == b"upgrade" and b"websocket" in value.lower()
        for name, value in raw_headers
    )


@cache_short_texts(1024)
def _event_header_name(raw_name: bytes) -> str | None:
    """Return the name of a header in events, or None if events omit it."""
    name = raw_name.decode("latin-1")
    if name.lower() in _CONNECTION_HEADERS:
        return None
    return name.title() if name.lower() in _CAPITALIZED else name
