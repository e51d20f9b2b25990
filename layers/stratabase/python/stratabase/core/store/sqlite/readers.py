"""Connections for reading, one for each thread, so that readers never wait for each other or the writer."""

import sqlite3
from collections.abc import Callable
from threading import Lock, Thread, current_thread, local
from typing import TypeVar

from stratabase.core.store.sqlite.errors import VALUE_ERRORS, closed_error

T = TypeVar("T")


class _Reader:
    """The connection of one thread. Closing it waits for the running statement."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = Lock()
        self._closed = False

    def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            if self._closed:
                raise closed_error()
            return query(self._connection)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._connection.close()


class Readers:
    """The connections of all threads that read. Opening a connection closes those of ended threads."""

    def __init__(
        self, connect: Callable[[], sqlite3.Connection], to_refusal: Callable[[Exception], Exception]
    ) -> None:
        self._connect = connect
        self._to_refusal = to_refusal
        self._of_thread = local()
        self._all: dict[Thread, _Reader] = {}
        self._lock = Lock()
        self._closed = False

    def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Return the result of a query on the connection of this thread. Raises Unavailable.

        The query must fetch all of its rows. An open cursor would keep later queries at the same snapshot.
        """
        try:
            return self._reader().read(query)
        except VALUE_ERRORS:
            raise
        except sqlite3.Error as error:
            raise self._to_refusal(error) from error

    def close(self) -> None:
        """Wait for running queries, and close all connections."""
        with self._lock:
            self._closed = True
            for reader in self._all.values():
                reader.close()
            self._all.clear()

    def _reader(self) -> _Reader:
        reader: _Reader | None = getattr(self._of_thread, "reader", None)
        if reader is None:
            reader = self._of_thread.reader = self._new()
        return reader

    def _new(self) -> _Reader:
        with self._lock:
            if self._closed:
                raise closed_error()
            for thread in [thread for thread in self._all if not thread.is_alive()]:
                self._all.pop(thread).close()
            reader = self._all[current_thread()] = _Reader(self._connect())
            return reader
