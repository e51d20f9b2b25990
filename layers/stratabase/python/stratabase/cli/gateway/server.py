"""The HTTP server: runs the gateway on a socket with uvicorn and a customized protocol class."""

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
from stratabase.cli.gateway.acceptor import Acceptor
from stratabase.cli.gateway.app import Gateway
from stratabase.cli.gateway.errors import INTEGRATION_TIMEOUT, MAX_HEAD, ErrorType
from stratabase.cli.gateway.greenlets import Greenlets
from stratabase.cli.gateway.lambda_functions import LambdaFunction
from stratabase.cli.gateway.request import asks_for_web_socket
from stratabase.cli.gateway.responses import ErrorResponses, HttpResponse, problem
from stratabase.cli.gateway.routes import Routes
from stratabase.cli.gateway.template import Template

KEEP_ALIVE = 60
"""The seconds after which an idle connection is closed."""
SWITCH_INTERVAL = 0.0005
"""The seconds after which a busy thread must release the interpreter. The thread that commits needs it after
each of its many short calls. With Python's default of 5 ms, it would mostly wait for the busy event loop."""
SHUTDOWN_GRACE = 5
"""The seconds that calls whose time limit has passed get to finish at shutdown."""


@dataclass(frozen=True, slots=True)
class ServerCallbacks:
    """Functions that the server calls at the beginning and at the end."""

    ready: Callable[[Callable[[], object]], None]
    """Called when the server accepts requests, with a function that stops the server."""
    draining: Callable[[], None] = lambda: None
    """Called when the server no longer accepts requests."""


def run_server(
    listener: socket.socket,
    template: Template,
    functions: Mapping[str, LambdaFunction],
    callbacks: ServerCallbacks,
    time_limit: float = INTEGRATION_TIMEOUT,
) -> None:
    """Serve until a signal or the function passed to `callbacks.ready` stops it. Finish pending requests."""
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
    """A uvicorn server that reports when it is ready, and that shuts down immediately."""

    def __init__(self, configuration: uvicorn.Config, callbacks: ServerCallbacks) -> None:
        super().__init__(configuration)
        self._callbacks = callbacks

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept requests, and report it."""
        loop = asyncio.get_running_loop()
        make_protocol = partial(GatewayProtocol, self.config, self.server_state, {}, loop)
        self.servers: list[Any] = [Acceptor(loop, listener, make_protocol) for listener in sockets or ()]
        self.started = True
        self._callbacks.ready(partial(loop.call_soon_threadsafe, self.end))

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on signals and return from `serve`. Uvicorn would raise the signals again instead."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(number, self.end)
        yield

    def end(self) -> None:
        """Stop accepting requests at once, and finish the pending ones. Uvicorn only polls for the flag."""
        self.should_exit = True
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        self._callbacks.draining()


class GatewayProtocol(HttpToolsProtocol):
    """An HTTP/1.1 connection by httptools, with three changes.

    - Header names keep their original case, as in events of API Gateway.
    - A head that exceeds the limit is rejected before it fills the memory.
    - A request to switch to another protocol is answered in HTTP/1.1.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._head_size: int | None = None
        """The bytes received of an incomplete head, without its first chunk. None outside of a head."""
        self._is_shutting_down = False
        self._ignores_upgrade = False
        """Whether the current head has a header Upgrade, and must be parsed again without it."""

    def data_received(self, data: bytes) -> None:
        """Process bytes from the client."""
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
        """Parse bytes from the client. Ignore a header Upgrade, as RFC 9110 allows.

        httptools stops after the head of a request with that header, and skips its body. So parse such a
        request again without the header. Java's HTTP client sends it to ask for HTTP/2.
        """
        while data:
            try:
                return self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                if not self._ignores_upgrade:
                    return None  # what follows is not HTTP
                data = self._head_without_upgrade() + data[upgrade.args[0] :]
                # Replace the parser: the old one would skip all data if the request has `Connection: close`.
                self.parser = httptools.HttpRequestParser(self)
                self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        return None

    def _head_without_upgrade(self) -> bytes:
        """Return the head that was just parsed, without its header Upgrade."""
        version = self.parser.get_http_version().encode()
        lines = [b"%b %b HTTP/%b" % (self.parser.get_method(), self.url, version)]
        lines += [name + b": " + value for name, value in self.headers if name.lower() != b"upgrade"]
        return b"\r\n".join([*lines, b"", b""])

    def on_message_begin(self) -> None:
        """Start to count the bytes of a head."""
        super().on_message_begin()
        self._head_size = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Store a header with the original case of its name, unlike uvicorn.

        Functions must not depend on the case, and so should meet all variants.
        """
        if len(name) == len(b"expect") and name.lower() == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Process a complete head, unless it must be parsed again."""
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
        """Process a complete request, unless it must be parsed again."""
        if not self._ignores_upgrade:
            super().on_message_complete()

    def shutdown(self) -> None:
        """Close the connection once it is idle. A new connection is closed only by the second call.

        A client that has just connected is about to send a request, which should get a response.
        """
        if self.cycle is not None or self._is_shutting_down:
            super().shutdown()
        self._is_shutting_down = True

    def send_400_response(self, msg: str) -> None:
        """Reject data that is not HTTP."""
        self._refuse(problem(ErrorType.BAD_REQUEST, msg, ""))

    def _refuse(self, response: HttpResponse) -> None:
        """Send a response without a parsed request, and close the connection."""
        headers = [*response.headers, (b"Connection", b"close")]
        lines = [f"HTTP/1.1 {response.status} ".encode(), *(name + b": " + value for name, value in headers)]
        self.transport.write(b"\r\n".join([*lines, b"", response.body]))
        self.transport.close()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Return the loop factory of uvloop if it is installed. It does not support every platform."""
    try:
        import uvloop  # noqa: PLC0415 - it is an optional package
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop
