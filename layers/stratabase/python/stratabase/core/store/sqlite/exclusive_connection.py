"""A connection to a SQLite file that serves one call at a time, in any number of threads."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from stratabase.core.store.sqlite.errors import map_sqlite_error, retry_while_busy


class ExclusiveConnection:
    """A connection, with the errors of the port in place of those of SQLite."""

    def __init__(self, path: Path, connection: sqlite3.Connection, busy_timeout: float) -> None:
        """`path`: of the file. `busy_timeout`: how many seconds a transaction waits for other processes."""
        self._path = path
        self._connection = connection
        self._busy_timeout = busy_timeout
        self._lock = Lock()

    @contextmanager
    def use(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection for exclusive use. Raises Unavailable, UnusableStore."""
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise map_sqlite_error(self._path, error) from error

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection in a transaction that commits unless the block raises. Raises like `use`."""
        with self.use() as connection:
            # IMMEDIATE acquires the write lock first, so no other process writes after the block has read.
            retry_while_busy(lambda: connection.execute("BEGIN IMMEDIATE"), self._busy_timeout)
            with connection:
                yield connection

    def close(self) -> None:
        """Close the connection. Later calls raise Unavailable."""
        with self._lock:
            self._connection.close()
