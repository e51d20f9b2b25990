"""The HTTP messages that endpoints receive and return: requests and responses."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import field
from typing import Any, TypeVar
from urllib.parse import unquote

from stratabase.core.domain.caller import Caller
from stratabase.values.frozen import frozen

T = TypeVar("T")

_GATEWAY_HEADERS = frozenset({"x-amzn-trace-id", "x-forwarded-for", "x-forwarded-port", "x-forwarded-proto"})
"""Headers that the gateway adds to each request, and that nothing here needs."""

ValuesByName = dict[str, tuple[str, ...]]
"""The values of headers or parameters by name, in their original order."""


def decode_parameters(parameters: Mapping[str, str]) -> dict[str, str]:
    """Return path parameters decoded. REST APIs pass them on as the client sent them: percent-encoded."""
    return {name: unquote(value) for name, value in parameters.items()}


def request_headers(values_by_name: Mapping[str, Sequence[str]]) -> ValuesByName:
    """Return the headers of a request in the form of `Request.headers`, without those of the gateway.

    `values_by_name`: as in events, where the same name can occur in lower and upper case.
    """
    headers: ValuesByName = {}
    for name, values in values_by_name.items():
        key = name.lower()
        if key not in _GATEWAY_HEADERS:
            headers[key] = (*headers[key], *values) if key in headers else tuple(values)
    return headers


def last_value(headers: Mapping[str, tuple[str, ...]], name: str) -> str | None:
    """Return the last value of a header, or None. `name` must be in lower case."""
    values = headers.get(name)
    return values[-1] if values else None


Headers = tuple[tuple[str, str], ...]
"""Pairs of header name and value. A name can occur more than once."""


@frozen
class Request:
    """An HTTP request.

    `resource` is the template of the route (`/auth/api/graphql/{application}`). `parameters` has the decoded
    values of its parameters. `headers` and `query` have all values by name, in their original order. Header
    names are in lower case. `base_url` is the root URL of all links, without a trailing slash.
    """

    method: str
    path: str
    resource: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    query: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    body: bytes = b""
    trace_id: str = ""
    """The id of the request in the log: that of the server, or of API Gateway."""
    source_address: str = ""
    """The IP address of the client."""
    base_url: str = ""
    derived: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    """What was derived from the headers alone, by function. Requests of a connection that repeat the same
    headers share it."""

    def of_headers(self, derive: Callable[[Mapping[str, tuple[str, ...]]], T]) -> T:
        """Return what a function derives from the headers, now or for an earlier request with the same ones.

        Raises what the function raises, for each request anew.
        """
        if derive not in self.derived:
            self.derived[derive] = derive(self.headers)
        found: T = self.derived[derive]
        return found

    def header(self, name: str) -> str | None:
        """Return the last value of a header, or None. `name` must be in lower case."""
        return last_value(self.headers, name)

    def with_body(self, body: bytes) -> "Request":
        """Return this request with a body."""
        # Every request with a body passes here, and dataclasses.replace takes four times as long.
        return Request(
            self.method,
            self.path,
            self.resource,
            self.parameters,
            self.headers,
            self.query,
            body,
            self.trace_id,
            self.source_address,
            self.base_url,
            self.derived,
        )


class answering:  # noqa: N801 - it is used like a function
    """Let a request be the present one of the code inside the `with` block."""

    __slots__ = ("_token", "caller", "request")

    def __init__(self, request: Request) -> None:
        self.request = request
        self.caller: Caller | None = None
        """The caller, once the request is authenticated."""

    def __enter__(self) -> None:
        self._token = _present.set(self)

    def __exit__(self, *_: object) -> None:
        _present.reset(self._token)


_present: ContextVar[answering | None] = ContextVar("request", default=None)
present_request: Callable[[], answering | None] = _present.get
"""Returns the request that is being answered, with its caller. None outside of requests."""


def authenticated(caller: Caller) -> Caller:
    """Return the caller of the present request, after remembering it."""
    present = _present.get()
    if present is not None:
        present.caller = caller
    return caller


class IncompleteBody(Exception):
    """A streamed body has more or fewer bytes than its response announced."""


class BodyStream:
    """The body of a response that is read while it is sent. Whoever reads it closes it.

    Reading raises IncompleteBody if the bytes are not as many as `length` says, so that a truncated body is
    never taken for a complete one.
    """

    def __init__(self, chunks: Iterator[bytes], length: int) -> None:
        self._chunks = chunks
        self.length = length
        """In bytes."""
        self._left = length

    def __iter__(self) -> Iterator[bytes]:
        """Return the stream itself."""
        return self

    def __next__(self) -> bytes:
        """Return the next chunk. Raises IncompleteBody, or what the source raises."""
        chunk = next(self._chunks, None)
        self._count(chunk or b"", is_end=chunk is None)
        if chunk is None:
            raise StopIteration
        return chunk

    def next_cached(self) -> bytes | None:
        """Return the next chunk if the source has it in memory, otherwise None. Never waits.

        Only sources with this method are asked. Raises IncompleteBody.
        """
        next_cached: Callable[[], bytes | None] | None = getattr(self._chunks, "next_cached", None)
        chunk = None if next_cached is None else next_cached()
        if chunk is not None:
            self._count(chunk)
        return chunk

    def close(self) -> None:
        """Release the source, also if it was not read to its end."""
        close = getattr(self._chunks, "close", None)
        if close is not None:
            close()

    def _count(self, chunk: bytes, *, is_end: bool = False) -> None:
        self._left -= len(chunk)
        if self._left < 0 or (is_end and self._left):
            raise IncompleteBody(f"expected {self.length} bytes, and got {self.length - self._left}")


@frozen
class Response:
    """An HTTP response. The body is UTF-8 text unless `binary` is set."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    binary: bool = False
    may_have_written: bool = False
    """Whether the request may have changed data in the store."""
    gzipped: Callable[[], bytes] | None = None
    """A function that returns the body compressed by gzip, if the compressed body is cached."""
    stream: BodyStream | None = None
    """The body, in place of `body`, if it is too large for the memory. Such a response is `binary` too."""

    def with_headers(self, headers: Headers) -> "Response":
        """Return this response with other headers."""
        return Response(
            self.status,
            headers,
            self.body,
            self.binary,
            self.may_have_written,
            self.gzipped,
            self.stream,
        )

    def with_body(self, body: bytes) -> "Response":
        """Return this response with a binary body in place of a stream."""
        return Response(self.status, self.headers, body, binary=True)

    def without_body(self) -> "Response":
        """Return this response without its body, as HEAD requires."""
        return Response(self.status, self.headers, may_have_written=self.may_have_written)
