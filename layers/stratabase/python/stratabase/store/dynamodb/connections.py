"""Connections to one host, kept open between requests."""

import select
import ssl
import time
from collections import deque
from functools import cached_property
from http.client import HTTPConnection, HTTPSConnection
from socket import socket
from urllib.parse import SplitResult

LONGEST_IDLE = 20.0
"""Seconds after which a connection is not trusted any more; the other side closes it somewhat later."""


class Connections:
    """Connections that nobody uses at present, the last used on top; any thread may take one."""

    def __init__(self, address: SplitResult, timeouts: tuple[float, float], most: int) -> None:
        self._address = address
        self._connect_timeout, self._read_timeout = timeouts
        self._idle: deque[tuple[HTTPConnection, float]] = deque(maxlen=most)

    def take(self) -> HTTPConnection:
        """Return an open connection. Raises OSError when none can be made."""
        while self._idle:
            try:
                connection, since = self._idle.pop()
            except IndexError:  # another thread has it
                break
            if _is_fresh(connection, since):
                return connection
            connection.close()
        return self._opened()

    def give_back(self, connection: HTTPConnection) -> None:
        """Keep a connection whose last answer has been read to its end, if there is room."""
        if connection.sock is None or len(self._idle) == self._idle.maxlen:
            connection.close()
        else:
            # The clock on the wall, since the other one stops while Lambda freezes the process.
            self._idle.append((connection, time.time()))

    def close(self) -> None:
        """Close those that nobody uses."""
        while self._idle:
            self._idle.pop()[0].close()

    def _opened(self) -> HTTPConnection:
        connection = self._new()
        connection.connect()
        connection.sock.settimeout(self._read_timeout)
        return connection

    def _new(self) -> HTTPConnection:
        host, port = self._address.hostname or "", self._address.port
        if self._address.scheme == "http":
            return HTTPConnection(host, port, timeout=self._connect_timeout)
        return HTTPSConnection(host, port, timeout=self._connect_timeout, context=self._tls)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()


def _is_fresh(connection: HTTPConnection, since: float) -> bool:
    """Return whether the other side is likely to be listening still."""
    return 0 <= time.time() - since < LONGEST_IDLE and not _is_readable(connection.sock)


def _is_readable(open_socket: socket) -> bool:
    """Return whether something came that nobody asked for: the end."""
    poll = select.poll()
    poll.register(open_socket, select.POLLIN)
    return bool(poll.poll(0))
