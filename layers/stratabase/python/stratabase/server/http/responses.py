"""HTTP responses as they are sent: converted from the response of an endpoint, or from an error.

A streamed body is read chunk by chunk, as fast as the client receives it.
"""

import asyncio
import json
import logging
import re
import threading
from functools import lru_cache
from http import HTTPStatus
from typing import NamedTuple, Protocol

from stratabase.core.http.base.messages import BodyStream, Headers, Response
from stratabase.server.http.errors import BUSY_SECONDS, CONNECTION_ERRORS, HttpError
from stratabase.server.http.routes import METHODS

BODILESS = frozenset({204, 304})
_KNOWN_STATUSES = frozenset(HTTPStatus)
_OWN_HEADERS = frozenset(
    {"connection", "content-length", "keep-alive", "trailer", "transfer-encoding", "upgrade"}
)
"""Headers that only the server sets, because they describe the connection."""
_CONTENT_TYPE = b"Content-Type"
_LENGTH = re.compile("[0-9]{1,15}")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_TITLES = {HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "Content Too Large"}
"""Titles of statuses that some versions of Python know by a phrase older than RFC 9110."""
_ERROR_HEADERS: dict[int, Headers] = {
    HTTPStatus.METHOD_NOT_ALLOWED: (("Allow", ", ".join(METHODS)),),
    HTTPStatus.SERVICE_UNAVAILABLE: (("Retry-After", str(BUSY_SECONDS)),),
}


ResponseHeaders = tuple[tuple[bytes, bytes], ...]


class HttpResponse(NamedTuple):
    """An HTTP response without the headers that the connection adds."""

    status: int
    headers: ResponseHeaders
    body: bytes
    content_length: int | None
    """The size in bytes of the body, or of the body that a GET would get, or None if it isn't told."""
    stream: BodyStream | None = None
    """The body, in place of `body`, if the endpoint streams it."""
    closes_connection: bool = False
    """Whether the next bytes from the client can't be interpreted."""


def http_response(response: Response, method: str) -> HttpResponse:
    """Return the response of an endpoint as it is sent. Raises ValueError for an invalid header."""
    has_body = response.stream is None and response.status not in BODILESS
    try:
        headers = _headers(response.headers, has_body)
    except ValueError:
        if response.stream is not None:
            response.stream.close()
        raise
    if response.stream is not None:
        return HttpResponse(response.status, headers, b"", response.stream.length, response.stream)
    if not has_body:
        return HttpResponse(response.status, headers, b"", None)
    length = _declared_length(response.headers) if method == "HEAD" else len(response.body)
    return HttpResponse(response.status, headers, response.body, length)


def problem(error: HttpError, trace_id: str, headers: Headers = ()) -> HttpResponse:
    """Return the problem details of an error. `headers`: further headers."""
    title = _TITLES.get(error.status, error.status.phrase)
    fields = {"type": "about:blank", "title": title, "status": error.status, "detail": error.detail}
    if trace_id:
        fields["traceId"] = trace_id
    body = json.dumps(fields).encode()
    all_headers = (
        ("Content-Type", "application/problem+json"),
        ("Cache-Control", "no-store"),
        *_ERROR_HEADERS.get(error.status, ()),
        *headers,
    )
    return HttpResponse(
        error.status,
        _headers(all_headers),
        body,
        len(body),
        closes_connection=error.status in CONNECTION_ERRORS,
    )


@lru_cache(maxsize=512)
def render_head(status: int, headers: ResponseHeaders) -> bytes:
    """Return the status line and headers of a response as bytes, each with its line break."""
    phrase = HTTPStatus(status).phrase if status in _KNOWN_STATUSES else ""
    lines = [
        f"HTTP/1.1 {status} {phrase}".encode(),
        *(name.lower() + b": " + value for name, value in headers),
    ]
    return b"".join(line + b"\r\n" for line in lines)


def _declared_length(headers: Headers) -> int | None:
    """Return the Content-Length that an endpoint sets in its response to HEAD, which has no body."""
    values = {value for name, value in headers if name.lower() == "content-length"}
    value = values.pop() if len(values) == 1 else ""
    return int(value) if _LENGTH.fullmatch(value) else None


@lru_cache(maxsize=512)
def _headers(headers: Headers, adds_type: bool = False) -> ResponseHeaders:  # noqa: FBT001, FBT002 - internal
    """Return headers as bytes, without those that only the server sets.

    If `adds_type`, they have a content type. The default is JSON, as in API Gateway. Raises ValueError for
    characters that could end a header, such as line breaks.
    """
    for name, value in headers:
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise ValueError(f"the header {name!r} cannot be {value!r}")
    found = tuple(
        (_CONTENT_TYPE if name.lower() == "content-type" else name.encode("ascii"), value.encode("latin-1"))
        for name, value in headers
        if name.lower() not in _OWN_HEADERS
    )
    has_type = any(name is _CONTENT_TYPE for name, _ in found)
    return found if has_type or not adds_type else (*found, (_CONTENT_TYPE, b"application/json"))


log = logging.getLogger(__name__)


class BodyWriter(Protocol):
    """The connection to the client."""

    @property
    def is_lost(self) -> bool:
        """Whether the client has left."""

    async def write_body(self, chunk: bytes) -> None:
        """Send a chunk. Wait while the buffers of the connection are full."""


async def send_stream(writer: BodyWriter, stream: BodyStream, trace_id: str) -> bool:
    """Send a body after the head of its response, and close it. Return whether all of it was sent.

    A chunk that the source doesn't have in memory is read in a thread, which is free again while the writer
    waits for the client. If the client disconnects, the rest is not read. `trace_id` is for the log.
    """
    reader = _Reader(stream)
    try:
        while not writer.is_lost:
            chunk = await reader.next()
            if chunk is None:
                return True
            await writer.write_body(chunk)
    except Exception:
        log.exception("The body of the response with the trace ID %s failed", trace_id)
    finally:
        # If this task was cancelled, a thread may still read, so that `close` would block the loop.
        asyncio.get_running_loop().run_in_executor(None, reader.close)
    return False


class _Reader:
    """Reads a body, one chunk at a time."""

    def __init__(self, stream: BodyStream) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    async def next(self) -> bytes | None:
        """Return the next chunk, or None after the last one."""
        chunk = self._stream.next_cached()
        if chunk is None:
            return await asyncio.to_thread(self._read)
        # Nothing else makes this task wait if the client is fast. Let the other requests run.
        await asyncio.sleep(0)
        return chunk

    def close(self) -> None:
        """Close the body, as soon as no thread reads it."""
        with self._lock:
            self._stream.close()

    def _read(self) -> bytes | None:
        with self._lock:
            return next(self._stream, None)
