"""HTTP/1.1 connections: requests are parsed by httptools and answered in their order."""

import asyncio
import selectors
import time
from collections import deque
from collections.abc import Callable
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Protocol, cast

import httptools

from stratabase.core.greenlets import Call
from stratabase.server.http.bodies import BodyMemory, BodyTerms, RequestBody
from stratabase.server.http.errors import BODY_TIMEOUT, MAX_HEAD, HttpError
from stratabase.server.http.request import (
    Addresses,
    Head,
    HttpRequest,
    asks_for_web_socket,
    parse_target,
)
from stratabase.server.http.responses import BODILESS, HttpResponse, problem, render_head, send_stream
from stratabase.server.http.routes import RouteMatch

KEEP_ALIVE = 60
"""The seconds after which a connection is closed that has no request."""
LINGER_SECONDS = 10.0
"""The seconds for which the rest of a request that was answered early is read and ignored. If the connection
was closed at once, a client that still sends would lose the response."""
_MAX_JOINED = 64 * 1024
"""The maximum size in bytes of a body that is copied behind its head."""
_CONTENT_LENGTH = b"content-length"
_LENGTH_OF_NAME = len(_CONTENT_LENGTH)


class Answering(Protocol):
    """What answers the requests of a connection."""

    @property
    def body_memory(self) -> BodyMemory:
        """The memory for the bodies of all connections."""

    def admit(self, request: HttpRequest) -> RouteMatch:
        """Return the route of a request, of which maybe only the head has arrived. Raises HttpError."""

    def ask_for_body(self, request: HttpRequest, client: "HttpConnection") -> None:
        """Ask the client for the body of a request, or answer by a refusal, now or later."""

    def answer(self, request: HttpRequest, client: "HttpConnection") -> None:
        """Answer a complete request, now or later."""

    def refuse(self, error: HttpError, request: HttpRequest, client: "HttpConnection") -> None:
        """Answer a request, which may be incomplete, by an error."""


class HttpConnection(asyncio.Protocol):
    """A connection, which answers one request at a time. While others wait, it reads no more.

    A body that doesn't arrive together with its head is read only after the head was accepted. The connection
    rejects a head that exceeds the limit before the head fills the memory, and answers a request to switch to
    another protocol in HTTP/1.1.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what a connection needs of the server
        self,
        dispatcher: Answering,
        loop: asyncio.AbstractEventLoop,
        schedule: Callable[[Callable[[], None]], None],
        on_start: "Callable[[HttpConnection], None]",
        on_end: "Callable[[HttpConnection], None]",
        peer: str,
    ) -> None:
        """`schedule` calls a function when it is the turn of this connection.

        `on_start` and `on_end` are called when the client connects, and when it has left. `peer` is its
        address.
        """
        self._dispatcher = dispatcher
        self._loop = loop
        self._schedule = schedule
        self._on_start = on_start
        self._on_end = on_end
        self._parser: Any = httptools.HttpRequestParser(self)
        # The head that arrives at the moment.
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._length: tuple[bytes, bytes] | None = None
        """The header Content-Length."""
        self._head_size: int | None = None
        """The bytes received of an incomplete head, without its first chunk. None outside of a head."""
        self._ignores_upgrade = False
        """Whether the current head has a header Upgrade, and must be parsed again without it."""
        self._last_head = Head(())
        """The parsed headers of the last request. Most clients send the same ones again."""
        # The requests.
        self._receiving: HttpRequest | None = None
        self._queue: deque[HttpRequest] = deque()
        """The requests that are not answered yet, the last of which may be incomplete."""
        self._checking: HttpRequest | None = None
        """The first of them, while its head is checked."""
        self._answering: HttpRequest | None = None
        self._has_last_request = False
        """Whether the client has said that it sends no more. What it sends nevertheless is ignored."""
        self.call: Call | None = None
        """The call that answers the current request. The connection tells it that the client has left."""
        # The connection.
        self.peer = peer
        self.is_lost = False
        """Whether the client has left."""
        self._is_reading = True
        self._is_lingering = False
        """Whether the connection is about to be closed, and ignores what the client still sends."""
        self._is_writable = True
        """Whether the client has read enough of what was written."""
        self._may_write = asyncio.Event()
        """It is set as soon as the client has read enough."""
        self._may_write.set()
        self._is_shutting_down = False
        self._idle_since = loop.time()
        self._idle_timer: asyncio.TimerHandle | None = None
        self._body_timer: asyncio.TimerHandle | None = None
        self._stream: asyncio.Task[None] | None = None

    # ------------------------------------------------------------------------------------- asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start a connection."""
        self._transport = cast("asyncio.Transport", transport)
        self._addresses = _addresses(self.peer, *transport.get_extra_info("sockname")[:2])
        self._idle_timer = self._loop.call_later(KEEP_ALIVE, self._close_if_idle)
        self._on_start(self)

    def connection_lost(self, _error: Exception | None) -> None:
        """Forget the requests of a client that has left. A call for it that only reads stops."""
        self.is_lost = True
        self._queue.clear()
        self._may_write.set()
        for timer in (self._idle_timer, self._body_timer):
            if timer is not None:
                timer.cancel()
        if self.call is not None:
            self.call.is_unwanted = True
        self._parser = None  # it refers to this object
        self._on_end(self)

    def data_received(self, data: bytes) -> None:
        """Process bytes from the client."""
        if self._is_lingering or self._has_last_request:
            return
        if self._head_size is not None:
            self._head_size += len(data)
        try:
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                self._parse_without_upgrade(data, upgrade.args[0])
        except httptools.HttpParserError:
            # The parser reports bytes after the last request. That of targets takes at most 65,535 bytes.
            if self._has_last_request:
                pass
            elif len(self._url) > MAX_HEAD:
                self._refuse_head()
            else:
                self._refuse(
                    problem(HttpError(HTTPStatus.BAD_REQUEST, "This is not an HTTP/1.1 request."), "")
                )
        if self._head_size is not None and self._head_size > MAX_HEAD and not self._transport.is_closing():
            self._refuse_head()
        self._proceed()

    def _refuse_head(self) -> None:
        text = f"Request line and headers have more than {MAX_HEAD} bytes, the most that are allowed."
        self._refuse(problem(HttpError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, text), ""))

    def pause_writing(self) -> None:
        """Wait with writing: the client doesn't read."""
        self._is_writable = False
        self._may_write.clear()

    def resume_writing(self) -> None:
        """Write again."""
        self._is_writable = True
        self._may_write.set()
        self._proceed()

    # -------------------------------------------------------------------------------------------- httptools

    def on_message_begin(self) -> None:
        """Start to count the bytes of a head."""
        self._head_size = 0
        self._url = b""
        self._headers = []
        self._length = None

    def on_url(self, url: bytes) -> None:
        """Store a part of the request's target."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Store a header."""
        if len(name) == _LENGTH_OF_NAME and name.lower() == _CONTENT_LENGTH:
            self._length = name, value
        else:
            self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Process a complete head, unless it must be parsed again."""
        self._head_size = None
        parser, head = self._parser, self._last_head
        method = parser.get_method().decode("ascii")
        self._ignores_upgrade = (
            parser.should_upgrade() and method != "CONNECT" and not asks_for_web_socket(self._headers)
        )
        if self._ignores_upgrade:
            return
        if self._headers != head.raw_headers:
            self._last_head = head = Head(self._headers)
        name, length = self._length or (b"", b"")
        content_length = None if head.is_chunked else int(length or 0)
        version = parser.get_http_version()
        request = self._receiving = HttpRequest(
            method,
            parse_target(self._url),
            version,
            head,
            head.size + (len(name) + len(length) + len(": \r\n") if name else 0),
            content_length,
            self._addresses,
            RequestBody(self._dispatcher.body_memory) if content_length != 0 else None,
            keeps_connection=version != "1.0" and parser.should_keep_alive(),
        )
        self._queue.append(request)

    def on_body(self, data: bytes) -> None:
        """Store a part of a body."""
        if self._receiving is not None:
            self._receiving.add_body(data)

    def on_message_complete(self) -> None:
        """Process a complete request, unless it must be parsed again."""
        if self._receiving is not None and not self._ignores_upgrade:
            self._receiving.is_complete = True
            self._has_last_request = not self._receiving.keeps_connection
            self._receiving = None

    def _parse_without_upgrade(self, data: bytes, parsed: int) -> None:
        """Parse bytes from the client again, and ignore a header Upgrade, as RFC 9110 allows.

        httptools stops after the head of a request with that header, and skips its body: `parsed` bytes. So
        parse such a request again without the header. Java's HTTP client sends it to ask for HTTP/2.
        """
        while self._ignores_upgrade:  # otherwise, what follows is not HTTP
            data = self._head_without_upgrade() + data[parsed:]
            self._parser = httptools.HttpRequestParser(self)
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                parsed = upgrade.args[0]
            else:
                return

    def _head_without_upgrade(self) -> bytes:
        """Return the head that was just parsed, without its header Upgrade."""
        version = self._parser.get_http_version().encode()
        lines = [b"%b %b HTTP/%b" % (self._parser.get_method(), self._url, version)]
        headers = [*self._headers, *([self._length] if self._length else ())]
        lines += [name + b": " + value for name, value in headers if name.lower() != b"upgrade"]
        return b"\r\n".join([*lines, b"", b""])

    # ----------------------------------------------------------------------------------------- the requests

    def _proceed(self) -> None:
        """Answer the next request, if the last one is answered, and the client has read the response."""
        if self._answering is not None or self._checking is not None:
            if self._queue:
                self._pause_reading()
            return
        if not self._queue or self._transport.is_closing() or not self._is_writable:
            return
        request = self._queue[0]
        # Route the request by its head, even if the body is still to come.
        if request.match is None and request.error is None:
            try:
                request.match = self._dispatcher.admit(request)
            except HttpError as error:
                request.error = error
        if request.error is not None:
            self._begin_response(request)
            self._dispatcher.refuse(request.error, request, self)
        elif request.is_complete or request.is_answerable:
            self._begin_response(request)
            self._schedule(self._answer)
        elif not request.is_accepted:
            self._checking = request
            self._pause_reading()
            self._schedule(self._ask_for_body)
        elif self._body_timer is None:
            self._body_timer = self._loop.call_later(BODY_TIMEOUT, self._time_out, request)

    def _ask_for_body(self) -> None:
        """Let the head of the next request be checked, unless its client has already left."""
        request = self._checking
        if request is not None and not self.is_lost:
            self._dispatcher.ask_for_body(request, self)

    def receive_body(self, terms: BodyTerms) -> None:
        """Receive the body of the request whose head was checked."""
        self.call = None
        request, self._checking = self._checking, None
        if request is None or self._transport.is_closing():
            return
        request.accept_body(terms)
        if request.waits_to_continue and not request.is_answerable:
            request.was_continued = True
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._resume_reading()
        self._proceed()

    def _answer(self) -> None:
        """Answer the current request, unless its client has already left."""
        request = self._answering
        if request is not None and not self.is_lost:
            self._dispatcher.answer(request, self)

    def _begin_response(self, request: HttpRequest) -> None:
        self._checking = None
        self._answering = self._queue.popleft()
        request.is_answered = True
        if self._body_timer is not None:
            self._body_timer.cancel()
            self._body_timer = None

    def _time_out(self, request: HttpRequest) -> None:
        """Refuse a request whose body takes too long."""
        text = f"The body of the request did not arrive within {BODY_TIMEOUT:g} s."
        request.error = HttpError(HTTPStatus.REQUEST_TIMEOUT, text)
        self._proceed()

    def _pause_reading(self) -> None:
        if self._is_reading:
            self._is_reading = False
            self._transport.pause_reading()

    def _resume_reading(self) -> None:
        if not self._is_reading:
            self._is_reading = True
            self._transport.resume_reading()

    # ---------------------------------------------------------------------------------------- the responses

    def respond(self, response: HttpResponse, trace_id: str) -> None:
        """Send the response to the current request, and answer the next one later."""
        self.call = None
        if self._checking is not None:
            self._begin_response(self._checking)
        request = self._answering
        if request is None or self._transport.is_closing():
            if response.stream is not None:
                response.stream.close()
            return
        # 1. Write the head.
        status, body, length = response.status, response.body, response.content_length
        has_body = request.method != "HEAD" and status not in BODILESS
        is_chunked = has_body and length is None
        if (
            response.closes_connection
            or self._is_shutting_down
            or not (request.is_complete or request.has_short_rest)
        ):
            request.keeps_connection = False
        head = b"%bdate: %b\r\n%bx-amzn-requestid: %b\r\n%b%b\r\n" % (
            render_head(status, response.headers),
            _http_date(int(time.time())),
            b"" if length is None else b"content-length: %d\r\n" % length,
            trace_id.encode("ascii"),
            b"" if request.keeps_connection else b"connection: close\r\n",
            b"transfer-encoding: chunked\r\n" if is_chunked else b"",
        )
        # 2. Write the body, together with the head if it is there.
        if response.stream is not None:
            self._transport.write(head)
            self._stream = self._loop.create_task(self._send_stream(response, trace_id, is_chunked))
            return
        if not has_body or not body:
            self._transport.write(head)
        elif len(body) <= _MAX_JOINED:
            self._transport.write(head + body)
        else:
            self._transport.writelines((head, body))
        self._end_response(request)

    async def write_body(self, chunk: bytes) -> None:
        """Send a chunk of a streamed body. Wait while the buffers of the connection are full."""
        await self._may_write.wait()
        if not self._transport.is_closing():
            self._transport.write(chunk)

    async def _send_stream(self, response: HttpResponse, trace_id: str, is_chunked: bool) -> None:  # noqa: FBT001 - internal
        assert response.stream is not None
        assert self._answering is not None
        writer = _ChunkedWriter(self) if is_chunked else self
        is_complete = await send_stream(writer, response.stream, trace_id)
        if is_complete and is_chunked:
            await self.write_body(b"0\r\n\r\n")
        if not is_complete:
            self._answering.keeps_connection = False
        self._end_response(self._answering)

    def _end_response(self, request: HttpRequest) -> None:
        self._answering = None
        self._idle_since = self._loop.time()
        request.drop_body()
        if not request.keeps_connection:
            if request.is_complete:
                self._transport.close()
            else:
                self._linger()
            return
        if not self._is_reading:
            self._resume_reading()
        if self._queue:
            # Let the requests of other connections run first.
            self._loop.call_soon(self._proceed)

    def _linger(self) -> None:
        """Send no more, and close the connection when the client has closed it, or after a while."""
        self._is_lingering = True
        self._receiving = None
        self._transport.write_eof()
        self._resume_reading()
        self._body_timer = self._loop.call_later(LINGER_SECONDS, self._transport.close)

    def _refuse(self, response: HttpResponse) -> None:
        """Send a response without a parsed request, and close the connection."""
        length = b"content-length: %d\r\nconnection: close\r\n\r\n" % len(response.body)
        self._transport.write(render_head(response.status, response.headers) + length + response.body)
        self._transport.close()

    # ---------------------------------------------------------------------------------------------- the end

    def shut_down(self, linger: float) -> bool:
        """Close the connection after the next response, or once it has been idle for `linger` seconds.

        Return whether the client can still send a request. Call it again until then.
        """
        self._is_shutting_down = True
        if self._transport.is_closing() or self._answering is not None or self._queue or self._is_lingering:
            return False
        if self._loop.time() < self._idle_since + linger or self._has_unread_bytes():
            return True
        self._transport.close()
        return False

    def _has_unread_bytes(self) -> bool:
        """Return whether bytes from the client have arrived that the event loop has not read yet."""
        if self._head_size is not None:
            return True  # the rest of the head is to come
        with selectors.DefaultSelector() as selector:
            selector.register(self._transport.get_extra_info("socket").fileno(), selectors.EVENT_READ)
            return bool(selector.select(0))

    def abort(self) -> None:
        """Close the connection at once."""
        if self._stream is not None:
            self._stream.cancel()
        self._transport.abort()

    def _close_if_idle(self) -> None:
        """Close the connection if it has had no request for a while, or look again later."""
        is_busy = self._answering is not None or bool(self._queue)
        left = KEEP_ALIVE if is_busy else self._idle_since + KEEP_ALIVE - self._loop.time()
        if is_busy or left > 0:
            self._idle_timer = self._loop.call_later(left, self._close_if_idle)
        else:
            self._transport.close()


class _ChunkedWriter:
    """Writes a body in HTTP's chunks."""

    def __init__(self, connection: HttpConnection) -> None:
        self._connection = connection

    @property
    def is_lost(self) -> bool:
        return self._connection.is_lost

    async def write_body(self, chunk: bytes) -> None:
        if chunk:
            await self._connection.write_body(b"%x\r\n%b\r\n" % (len(chunk), chunk))


@lru_cache(maxsize=16)
def _addresses(client: str, host: str, port: int) -> Addresses:
    return Addresses(client, f"[{host}]:{port}" if ":" in host else f"{host}:{port}")


@lru_cache(maxsize=2)
def _http_date(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode("ascii")
