"""The HTTP server: runs the gateway on a socket, with uvicorn as it is and a protocol of our own on top."""

import asyncio
import contextlib
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import httptools
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from stratabase import waiting
from stratabase.cli.gateway.app import Gateway
from stratabase.cli.gateway.errors import INTEGRATION_TIMEOUT, MAX_HEAD, ErrorType
from stratabase.cli.gateway.greenlets import Greenlets
from stratabase.cli.gateway.lambda_functions import LambdaFunction
from stratabase.cli.gateway.request import asks_for_web_socket
from stratabase.cli.gateway.responses import ErrorResponses, HttpResponse, problem
from stratabase.cli.gateway.routes import Routes
from stratabase.cli.gateway.template import Template

KEEP_ALIVE = 60
"""Seconds that an idle connection is kept."""
SWITCH_INTERVAL = 0.0005
"""Seconds after which a busy thread lets another one have the interpreter. The thread that commits needs it
after each of its many short calls; at Python's 5 ms it would mostly wait for the loop, which never rests."""
SHUTDOWN_GRACE = 5
"""Seconds that calls for which nobody waits any more get at the end."""


@dataclass(frozen=True, slots=True)
class ServerCallbacks:
    """What the server calls when it has begun, and when it is about to end."""

    ready: Callable[[Callable[[], object]], None]
    """Requests are answered; called with what ends that."""
    draining: Callable[[], None] = lambda: None
    """No more requests are taken."""


def run_server(
    listener: socket.socket,
    template: Template,
    functions: Mapping[str, LambdaFunction],
    callbacks: ServerCallbacks,
    time_limit: float = INTEGRATION_TIMEOUT,
) -> None:
    """Answer requests until a signal, or a call, ends that; finish those under way."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(listener, template, functions, callbacks, time_limit))


async def _serve(
    listener: socket.socket,
    template: Template,
    functions: Mapping[str, LambdaFunction],
    callbacks: ServerCallbacks,
    time_limit: float,
) -> None:
    greenlets = Greenlets(asyncio.get_running_loop())
    gateway = Gateway(
        functions, Routes(template.routes), ErrorResponses(template.responses), greenlets, time_limit
    )
    server = _Server(_configuration(gateway), callbacks)
    waiting.install(greenlets)
    try:
        await server.serve(sockets=[listener])
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(greenlets.finish(), SHUTDOWN_GRACE)
    finally:
        waiting.install(waiting.Blocking())


def _configuration(gateway: Gateway) -> uvicorn.Config:
    return uvicorn.Config(
        gateway,
        http=GatewayProtocol,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=int(INTEGRATION_TIMEOUT) + 1,
    )


class _Server(uvicorn.Server):
    """Tells when it is ready, and ends on our terms."""

    def __init__(self, configuration: uvicorn.Config, callbacks: ServerCallbacks) -> None:
        super().__init__(configuration)
        self._callbacks = callbacks

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        loop = asyncio.get_running_loop()
        self._callbacks.ready(partial(loop.call_soon_threadsafe, self.end))

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on signals, and then go on after `serve`, where uvicorn would raise them once more."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(number, self.end)
        yield

    def end(self) -> None:
        """Take no more requests, and finish what there is; uvicorn alone would notice only in a while."""
        self.should_exit = True
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        self._callbacks.draining()


class GatewayProtocol(HttpToolsProtocol):
    """One connection, in HTTP/1.1 as httptools speaks it, with the three things that a gateway adds.

    Headers keep the spelling in which they came, a head without end is refused before it fills the memory,
    and who asks for another protocol is answered in this one.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._head_size: int | None = None
        """Bytes that came of a head that has begun and not ended (but for the first piece)."""
        self._is_shutting_down = False
        self._ignores_upgrade = False
        """The head that has just ended asks for another protocol, and will be read again without that."""

    def data_received(self, data: bytes) -> None:
        """Take what the client sent."""
        if self._head_size is not None:
            self._head_size += len(data)
        self._unset_keepalive_if_required()
        try:
            self._parse(data)
        except httptools.HttpParserError:
            self.send_400_response("This is no HTTP/1.1.")
        if self._head_size is not None and self._head_size > MAX_HEAD and not self.transport.is_closing():
            text = f"Request line and headers have more than {MAX_HEAD} bytes, the most that are allowed."
            self._refuse(problem(ErrorType.HEAD_TOO_LARGE, text, ""))

    def _parse(self, data: bytes) -> None:
        """Parse what the client sent; read again what asks for another protocol, as RFC 9110 demands.

        httptools leaves the body out of such a request. Java's client asks for HTTP/2 in this way.
        """
        while data:
            try:
                return self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                if not self._ignores_upgrade:
                    return None  # what follows is not HTTP
                data = self._head_without_upgrade() + data[upgrade.args[0] :]
                # The old parser skips all that comes if the connection is to be closed after this request.
                self.parser = httptools.HttpRequestParser(self)
                self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        return None

    def _head_without_upgrade(self) -> bytes:
        """Return the head that was just read, without its header Upgrade."""
        version = self.parser.get_http_version().encode()
        lines = [b"%b %b HTTP/%b" % (self.parser.get_method(), self.url, version)]
        lines += [name + b": " + value for name, value in self.headers if name.lower() != b"upgrade"]
        return b"\r\n".join([*lines, b"", b""])

    def on_message_begin(self) -> None:
        """Note that a head begins."""
        super().on_message_begin()
        self._head_size = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header as it came; functions must not rely on the spelling, and so shall see all of them."""
        if len(name) == len(b"expect") and name.lower() == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Note that the head has ended."""
        self._head_size = None
        self._ignores_upgrade = (
            self.parser.should_upgrade()
            and self.parser.get_method() != b"CONNECT"
            and not asks_for_web_socket(self.headers)
        )
        if self._ignores_upgrade:
            return
        super().on_headers_complete()
        if self._is_shutting_down:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        """Note that the request has ended, unless it is read again."""
        if not self._ignores_upgrade:
            super().on_message_complete()

    def shutdown(self) -> None:
        """Close the connection once it is idle; told so twice, also one that has just been made.

        Who has just connected is about to ask, and should be answered.
        """
        if self.cycle is not None or self._is_shutting_down:
            super().shutdown()
        self._is_shutting_down = True

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP."""
        self._refuse(problem(ErrorType.BAD_REQUEST, msg, ""))

    def _refuse(self, response: HttpResponse) -> None:
        """Answer without a request, and hang up."""
        headers = [*response.headers, (b"Connection", b"close")]
        lines = [f"HTTP/1.1 {response.status} ".encode(), *(name + b": " + value for name, value in headers)]
        self.transport.write(b"\r\n".join([*lines, b"", response.body]))
        self.transport.close()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Return uvloop's loop where there is one (it is not made for every system)."""
    try:
        import uvloop  # noqa: PLC0415 - it is an optional package
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop
