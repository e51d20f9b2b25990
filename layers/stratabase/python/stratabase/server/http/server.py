"""The HTTP server: accepts connections on a socket, and ends without losing a request."""

import asyncio
import contextlib
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial

from stratabase.core import waiting
from stratabase.core.greenlets import TURN, Greenlets
from stratabase.server.http.acceptor import Acceptor, ConnectionLimit
from stratabase.server.http.connection import HttpConnection
from stratabase.server.http.dispatcher import Dispatcher, RequestHandler, ServerOptions
from stratabase.server.http.errors import TIME_LIMIT
from stratabase.values.frozen import frozen

LINGER = 0.5
"""The seconds that a client gets at shutdown to send another request, from its last response on.

A server can't close a connection without the risk that the client has just sent a request. So the connections
of clients that are busy stay open until the response to their next request tells them to connect anew.
"""
MAX_LINGER = 3.0
"""The maximum number of seconds until no connection can bring another request at shutdown."""
LINGER_STEP = 0.02
"""The seconds between two checks of the connections at shutdown."""
SWITCH_INTERVAL = 0.0005
"""The seconds after which a busy thread must release the interpreter. The thread that commits needs it after
each of its many short calls. With Python's default of 5 ms, it would mostly wait for the busy event loop."""
SHUTDOWN_GRACE = 5
"""The seconds that calls whose time limit has passed get to finish at shutdown."""


@frozen
class ServerCallbacks:
    """Functions that the server calls at the beginning and at the end."""

    ready: Callable[[Callable[[], object]], None]
    """Called when the server accepts requests, with a function that stops the server."""
    ending: Callable[[], bool] = lambda: True
    """Called when the server is told to stop. It still answers requests on open connections for a moment.

    Returns whether another process accepts the connections that wait.
    """
    drained: Callable[[], None] = lambda: None
    """Called when the server no longer accepts requests."""


def run_server(
    listener: socket.socket,
    handler: RequestHandler,
    callbacks: ServerCallbacks,
    options: ServerOptions | None = None,
) -> None:
    """Serve until a signal or the function passed to `callbacks.ready` stops it. Finish pending requests."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(listener, handler, callbacks, options or ServerOptions()))


async def _serve(
    listener: socket.socket,
    handler: RequestHandler,
    callbacks: ServerCallbacks,
    options: ServerOptions,
) -> None:
    greenlets = Greenlets(asyncio.get_running_loop())
    dispatcher = Dispatcher(handler, greenlets, options)
    waiting.install(greenlets)
    try:
        await _Server(dispatcher, listener, callbacks, _connection_limit(options)).serve()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(greenlets.finish(), SHUTDOWN_GRACE)
    finally:
        waiting.install(waiting.Blocking())


def _connection_limit(options: ServerOptions) -> ConnectionLimit:
    if options.proxies is None:
        return ConnectionLimit(options.address_connections)
    return ConnectionLimit(options.address_connections, options.proxies.trusts)


class _Server:
    """Accepts connections until it is told to end, and then finishes their requests."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        listener: socket.socket,
        callbacks: ServerCallbacks,
        limit: ConnectionLimit,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._callbacks = callbacks
        self._connections: set[HttpConnection] = set()
        self._is_ending = asyncio.Event()
        self._has_ended = asyncio.Event()
        turns = FairQueue(self._loop)
        make = partial(HttpConnection, dispatcher, self._loop, turns.add, self._connections.add, self._forget)
        self._limit = limit
        self._acceptor = Acceptor(self._loop, listener, make, limit)

    async def serve(self) -> None:
        """Serve until a signal, or the function that `ready` gets, ends it."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                self._loop.add_signal_handler(number, self._end)
        self._callbacks.ready(partial(self._loop.call_soon_threadsafe, self._end))
        await self._is_ending.wait()
        # 1. Clients that are about to send a request get a response.
        await self._acceptor.wait_closed()
        await self._let_clients_leave()
        self._callbacks.drained()
        # 2. Finish the requests, as long as a call may take.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._all_closed(), TIME_LIMIT + 1)
        for connection in list(self._connections):
            connection.abort()

    def _end(self) -> None:
        """Accept no more requests, and finish the pending ones."""
        if not self._is_ending.is_set():
            self._is_ending.set()
            self._acceptor.close(accept_waiting=not self._callbacks.ending())

    async def _let_clients_leave(self) -> None:
        """Close each connection after its response. Close those without a request after LINGER."""
        for _ in range(int(MAX_LINGER / LINGER_STEP)):
            lingering = [each for each in list(self._connections) if each.shut_down(LINGER)]
            if not lingering:
                return
            await asyncio.sleep(LINGER_STEP)

    async def _all_closed(self) -> None:
        while self._connections:
            self._has_ended.clear()
            await self._has_ended.wait()

    def _forget(self, connection: HttpConnection) -> None:
        self._connections.discard(connection)
        self._limit.leave(connection.peer)
        if not self._connections:
            self._has_ended.set()


class FairQueue:
    """Runs functions in their order, for at most TURN in one turn of the event loop.

    Without it, a turn would answer all requests that have arrived. Beside many busy connections, such a turn
    takes long, and a new client needs several of them: to be accepted, to be read, and to be answered.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_scheduled = False

    def add(self, function: Callable[[], None]) -> None:
        """Run a function after those that wait already."""
        self._waiting.append(function)
        if not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._run)

    def _run(self) -> None:
        end = time.monotonic() + TURN
        try:
            while self._waiting:
                self._waiting.popleft()()
                if time.monotonic() >= end:
                    break
        finally:
            self._is_scheduled = bool(self._waiting)
            if self._is_scheduled:
                self._loop.call_soon(self._run)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Return the loop factory of uvloop if it is installed. It does not support every platform."""
    try:
        import uvloop  # noqa: PLC0415 - it is an optional package
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop
