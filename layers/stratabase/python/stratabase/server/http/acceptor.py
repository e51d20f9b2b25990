"""Accepts the connections on a listening socket, and limits those from one address.

So one client can't use up the files of the process.
"""

import asyncio
import errno
import logging
import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus

from stratabase.members.attempts import network
from stratabase.server.http.errors import HttpError
from stratabase.server.http.responses import problem, render_head

MAX_LOGGED = 20
"""The number of addresses that a process logs, because a client can have many."""


class ConnectionLimit:
    """Counts the connections from each address, and limits them.

    The IPv6 network of a customer counts as one address. A trusted proxy has no limit, because it has the
    connections of many clients.
    """

    def __init__(self, limit: int = 0, is_trusted: Callable[[str], bool] = lambda _address: False) -> None:
        """`limit`: 0 means no limit."""
        self._limit = limit
        self._is_trusted = is_trusted
        self._numbers: Counter[str] = Counter()
        self._logged: set[str] = set()

    def enter(self, address: str) -> bool:
        """Count a connection from an address. Return False if there are too many."""
        key = network(address)
        if self._limit and self._numbers[key] >= self._limit and not self._is_trusted(address):
            self._log(key)
            return False
        self._numbers[key] += 1
        return True

    def leave(self, address: str) -> None:
        """Count a connection no more, because it was closed."""
        key = network(address)
        self._numbers[key] -= 1
        if not self._numbers[key]:
            del self._numbers[key]

    def _log(self, key: str) -> None:
        if key not in self._logged and len(self._logged) < MAX_LOGGED:
            self._logged.add(key)
            log.warning(
                "Further connections from %s get the status 503: it has %d already "
                "(STRATABASE_ADDRESS_CONNECTIONS). If it is a reverse proxy, add it to "
                "STRATABASE_TRUSTED_PROXIES.",
                key,
                self._limit,
            )


def refusal() -> bytes:
    """Return the response on a connection that is one too many."""
    text = "There are too many connections from your address. Close some of them, or try again later."
    response = problem(HttpError(HTTPStatus.SERVICE_UNAVAILABLE, text), "")
    length = b"content-length: %d\r\nconnection: close\r\n\r\n" % len(response.body)
    return render_head(response.status, response.headers) + length + response.body


MAX_PER_TURN = 512
"""The maximum number of connections to accept in one turn, so that the requests of others continue."""
RETRY_SECONDS = 0.2
"""The seconds until the next attempt if the process or the machine can't open another connection."""

_MAX_READ = 64 * 1024
"""The maximum number of bytes that are read of a client that is refused."""
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""The errors of `accept` that mean that there are too many open files, or too little memory."""

log = logging.getLogger(__name__)


class Acceptor:
    """Accepts connections on a listening socket, until it is closed. It closes the socket, too.

    In each turn of the event loop, it accepts all connections that wait. The loop of uvloop would accept one
    per turn. Beside many busy connections, a turn takes long, and the last of many new clients would wait for
    seconds.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        listener: socket.socket,
        make_protocol: Callable[[str], asyncio.Protocol],
        limit: ConnectionLimit | None = None,
    ) -> None:
        """Start to accept. `make_protocol` returns the protocol of a connection from an address.

        A connection that has its protocol must leave `limit` when it is closed.
        """
        self._loop = loop
        self._listener = listener
        self._make_protocol = make_protocol
        self._limit = limit or ConnectionLimit()
        self._connecting: set[asyncio.Task[object]] = set()
        self._retry: asyncio.TimerHandle | None = None
        self._is_exhausted = False
        listener.setblocking(False)
        loop.add_reader(listener.fileno(), self._accept_all)

    def close(self, *, accept_waiting: bool = False) -> None:
        """Accept no more connections. Those that wait remain for another process that shares the socket.

        `accept_waiting` accepts them first, for a socket that no other process shares.
        """
        if accept_waiting and self._listener.fileno() >= 0:
            self._accept_all()
        if self._retry is not None:
            self._retry.cancel()
        if self._listener.fileno() >= 0:
            self._loop.remove_reader(self._listener.fileno())
            self._listener.close()

    async def wait_closed(self) -> None:
        """Wait until each accepted connection has its protocol."""
        if self._connecting:
            await asyncio.wait(self._connecting)

    def _accept_all(self) -> None:
        """Accept the connections that wait. If there are more than MAX_PER_TURN, the next turn goes on."""
        for _ in range(MAX_PER_TURN):
            try:
                connection, address = self._listener.accept()
            except (BlockingIOError, InterruptedError):
                self._is_exhausted = False
                break
            except ConnectionAbortedError:
                continue  # the client has left already
            except OSError as error:
                if error.errno not in _EXHAUSTED:
                    raise
                self._pause(error)
                break
            if not self._limit.enter(address[0]):
                _refuse(connection)
                continue
            task = self._loop.create_task(self._connect(connection, address[0]))
            self._connecting.add(task)
            task.add_done_callback(self._connecting.discard)

    async def _connect(self, connection: socket.socket, address: str) -> None:
        """Give a connection its transport and its protocol."""
        try:
            connection.setblocking(False)
            await self._loop.connect_accepted_socket(partial(self._make_protocol, address), connection)
        except OSError:
            connection.close()  # the client has left already
            self._limit.leave(address)

    def _pause(self, error: OSError) -> None:
        """Accept nothing for a moment, as the clients stay in the queue, and each turn would fail again."""
        if not self._is_exhausted:  # one line is enough until all clients are accepted again
            log.error("No connection can be accepted (%s). Clients wait until others disconnect.", error)
        self._is_exhausted = True
        self._loop.remove_reader(self._listener.fileno())
        self._retry = self._loop.call_later(RETRY_SECONDS, self._resume)

    def _resume(self) -> None:
        self._loop.add_reader(self._listener.fileno(), self._accept_all)


def _refuse(connection: socket.socket) -> None:
    """Answer on a connection that is one too many, and close it."""
    with connection, suppress(OSError):
        connection.setblocking(False)
        connection.send(refusal())
        connection.shutdown(socket.SHUT_WR)
        # If bytes of a request were left unread, the client could lose the response.
        connection.recv(_MAX_READ)
