"""The HTTP requests as a connection receives them, and the `Request` that an endpoint gets."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from http import HTTPStatus
from itertools import count
from string import ascii_letters, digits
from typing import Any, NamedTuple
from urllib.parse import parse_qsl
from uuid import uuid4

import httptools

from stratabase.core.http.base.messages import Request, request_headers
from stratabase.server.http.bodies import BodyTerms, RequestBody
from stratabase.server.http.errors import MAX_HEAD, HttpError
from stratabase.server.http.routes import RouteMatch
from stratabase.values.text_cache import cache_short_texts

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
"""Headers that concern only the connection to the client. Endpoints do not get them."""
_HOST_CHARACTERS = (ascii_letters + digits + "-._~%!$&'()*+,;=:[]").encode()
"""The characters that RFC 3986 allows in a host and a port."""
MAX_DRAINED = 16 * 1024 * 1024
"""The maximum size in bytes of a body of which the rest is read and ignored, so the connection goes on."""
_STAGE = "local"
"""The path of the default base URL."""
_NOTHING: Mapping[str, tuple[str, ...]] = {}

_ID_PREFIX = str(uuid4())[:24]
_id_numbers = count(uuid4().node)
"""The parts of trace ids, which look like random UUIDs and differ between processes, but cost little."""


def new_trace_id() -> str:
    """Return a unique trace id in UUID format."""
    return f"{_ID_PREFIX}{next(_id_numbers) & 0xFFFFFFFFFFFF:012x}"


class Head:
    """The headers of a request, except Content-Length, which differs between requests of the same client."""

    def __init__(self, raw_headers: RawHeaders) -> None:
        self.raw_headers = raw_headers
        self.values: dict[str, list[str]] = {}
        """The values of each header by its name in lower case, without the headers of the connection."""
        self.hosts = [value for name, value in raw_headers if len(name) == 4 and name.lower() == b"host"]
        """The values of all Host headers."""
        self.size = sum(len(name) + len(value) + len(": \r\n") for name, value in raw_headers)
        """The size of the headers in bytes."""
        self.expects_continue = False
        """Whether the client waits for the status 100 Continue before it sends the body."""
        self.is_chunked = any(name.lower() == b"transfer-encoding" for name, _value in raw_headers)
        """Whether the size of the body is not known in advance."""
        for raw_name, raw_value in raw_headers:
            name = _lower_name(raw_name)
            if name not in _CONNECTION_HEADERS:
                self.values.setdefault(name, []).append(raw_value.decode("latin-1"))
            elif name == "expect":
                self.expects_continue = raw_value.lower() == b"100-continue"
        self.derived: dict[Any, Any] = {}
        """What endpoints derive from the headers: see `Request.derived`."""
        self.fault = self._find_fault()
        """Why the headers are not valid, if they have a Host header, which HTTP/1.0 does not require."""

    @cached_property
    def headers(self) -> Mapping[str, tuple[str, ...]]:
        """The headers as endpoints get them: see `Request.headers`."""
        return request_headers(self.values)

    def _find_fault(self) -> str | None:
        if len(self.hosts) > 1:
            return f"The request has {len(self.hosts)} Host headers; HTTP/1.1 requires exactly one."
        if self.hosts and self.hosts[0].translate(None, _HOST_CHARACTERS):
            return "The Host header is not a valid host name."
        if asks_for_web_socket(self.raw_headers):
            return "WebSocket is not served here; send plain HTTP requests."
        return None


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
        "target",
        "was_continued",
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
        body: RequestBody | None,
        *,
        keeps_connection: bool,
    ) -> None:
        """`body` is None if the head says that the request has none."""
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
        """The address, once the head is admitted."""
        self.is_complete = False
        self.is_answered = False
        """Whether the response began before the request was complete. The rest of the body is ignored."""
        self.was_continued = False
        """Whether the client was told to send the body: the status 100 Continue."""
        self.error: HttpError | None = None
        """Why the server refuses the request, if it does."""
        self._body = body

    @property
    def body(self) -> bytes:
        """The body as far as it has arrived."""
        return b"" if self._body is None else self._body.content

    @property
    def size(self) -> int:
        """The size of the body in bytes as the head says, or as far as it has arrived."""
        if self.content_length is not None:
            return self.content_length
        return 0 if self._body is None else self._body.size

    @property
    def is_accepted(self) -> bool:
        """Whether the endpoint wants the body, or there is none."""
        return self._body is None or self._body.terms is not None

    @property
    def is_answerable(self) -> bool:
        """Whether all of the body has arrived that the endpoint wants."""
        if self.is_complete or self._body is None or self._body.terms is None:
            return self.is_complete
        return self.size > self._body.terms.limit

    @property
    def waits_to_continue(self) -> bool:
        """Whether the client sends the body only after the status 100 Continue, or after a while."""
        return self.head.expects_continue and not (
            self.is_complete or self.was_continued or self.http_version == "1.0"
        )

    @property
    def has_short_rest(self) -> bool:
        """Whether what is missing of the body is short enough to be read and ignored."""
        return self.is_complete or (
            not self.waits_to_continue
            and self.content_length is not None
            and self.content_length <= MAX_DRAINED
        )

    def accept_body(self, terms: BodyTerms) -> None:
        """Set what the endpoint wants of the body."""
        assert self._body is not None
        self._body.accept(terms)

    def for_endpoint(self, trace_id: str, base_url: str | None, *, has_body: bool = True) -> Request:
        """Return the request that an endpoint gets.

        `base_url` is the root URL of all links. The default is the address of the server, because the client
        controls the header Host. `has_body`: whether to include the body, of which maybe only a part has
        arrived.
        """
        assert self.match is not None
        target, addresses, body = self.target, self.addresses, self._body
        return Request(
            self.method,
            target.path,
            self.match.resource,
            self.match.parameters,
            self.head.headers,
            _query(target.query) if target.query else _NOTHING,
            body.content if has_body and body is not None else b"",
            trace_id,
            addresses.client,
            base_url or f"https://{addresses.domain}/{_STAGE}",
            self.head.derived,
        )

    def add_body(self, data: bytes) -> None:
        """Add bytes to the body. If it becomes too large, `error` is set."""
        body = self._body
        if body is not None and not self.is_answered:
            body.add(data)
            self.error = self.error or body.error

    def drop_body(self) -> None:
        """Keep nothing of the body, because the response is there."""
        if self._body is not None:
            self._body.drop()


def check_http_head(request: HttpRequest) -> None:
    """Raise HttpError for a head that is invalid HTTP, or by which the request is too large."""
    head = request.head
    if not head.hosts and request.http_version != "1.0":
        text = "The request has no Host header; HTTP/1.1 requires exactly one."
        raise HttpError(HTTPStatus.BAD_REQUEST, text)
    if head.fault is not None:
        raise HttpError(HTTPStatus.BAD_REQUEST, head.fault)
    size = len(request.method) + request.target.size + len("  HTTP/1.1\r\n") + request.head_size
    if size > MAX_HEAD:
        text = f"Request line and headers have {size} bytes; at most {MAX_HEAD} are allowed."
        raise HttpError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, text)


def asks_for_web_socket(raw_headers: RawHeaders) -> bool:
    """Return whether a client asks to switch to the WebSocket protocol."""
    return any(
        len(name) == 7 and name.lower() == b"upgrade" and b"websocket" in value.lower()
        for name, value in raw_headers
    )


@cache_short_texts(1024)
def _lower_name(raw_name: bytes) -> str:
    return raw_name.decode("latin-1").lower()


@cache_short_texts(512)
def _query(query: bytes) -> Mapping[str, tuple[str, ...]]:
    """Return the values of each query parameter, by name. It is decoded as a form, so `+` means a space."""
    values: dict[str, list[str]] = {}
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        values.setdefault(name, []).append(value)
    return {name: tuple(each) for name, each in values.items()}
