"""Runs the gateway on a socket, with uvicorn."""

import asyncio
import contextlib
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import uvicorn

from stratabase import waiting
from stratabase.cli.gateway.app import Gateway
from stratabase.cli.gateway.errors import INTEGRATION_TIMEOUT
from stratabase.cli.gateway.greenlets import Greenlets
from stratabase.cli.gateway.lambda_functions import LambdaFunction
from stratabase.cli.gateway.protocol import GatewayProtocol
from stratabase.cli.gateway.responses import ErrorResponses
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


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Return uvloop's loop where there is one (it is not made for every system)."""
    try:
        import uvloop  # noqa: PLC0415 - it is an optional package
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop
