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

from cli.gateway.app import Gateway
from cli.gateway.functions import Function
from cli.gateway.greenlets import Greenlets
from cli.gateway.limits import TIMEOUT
from cli.gateway.protocol import Protocol
from cli.gateway.refusals import Refusals
from cli.gateway.routes import Routes
from cli.gateway.template import Template
from stratabase import waiting

KEEP_ALIVE = 60
"""Seconds that an idle connection is kept."""
SWITCH_INTERVAL = 0.0005
"""Seconds after which a busy thread lets another one have the interpreter. The thread that commits needs it
after each of its many short calls; at Python's 5 ms it would mostly wait for the loop, which never rests."""
GRACE = 5
"""Seconds that calls for which nobody waits any more get at the end."""


@dataclass(frozen=True, slots=True)
class Milestones:
    """What is called when something is reached."""

    ready: Callable[[Callable[[], object]], None]
    """Requests are answered; called with what ends that."""
    left: Callable[[], None] = lambda: None
    """No more requests are taken."""


def serve(
    listener: socket.socket,
    template: Template,
    functions: Mapping[str, Function],
    milestones: Milestones,
    patience: float = TIMEOUT,
) -> None:
    """Answer requests until a signal, or a call, ends that; finish those under way."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(listener, template, functions, milestones, patience))


async def _serve(
    listener: socket.socket,
    template: Template,
    functions: Mapping[str, Function],
    milestones: Milestones,
    patience: float,
) -> None:
    greenlets = Greenlets(asyncio.get_running_loop())
    gateway = Gateway(functions, Routes(template.routes), Refusals(template.responses), greenlets, patience)
    server = _Server(_configuration(gateway), milestones)
    waiting.install(greenlets)
    try:
        await server.serve(sockets=[listener])
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(greenlets.finish(), GRACE)
    finally:
        waiting.install(waiting.Blocking())


def _configuration(gateway: Gateway) -> uvicorn.Config:
    return uvicorn.Config(
        gateway,
        http=Protocol,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=int(TIMEOUT) + 1,
    )


class _Server(uvicorn.Server):
    """Tells when it is ready, and ends on our terms."""

    def __init__(self, configuration: uvicorn.Config, milestones: Milestones) -> None:
        super().__init__(configuration)
        self._milestones = milestones

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        loop = asyncio.get_running_loop()
        self._milestones.ready(partial(loop.call_soon_threadsafe, self.end))

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
        self._milestones.left()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Return uvloop's loop where there is one (it is not made for every system)."""
    try:
        import uvloop  # noqa: PLC0415 - it is an optional package
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop
