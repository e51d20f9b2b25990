"""A snapshot of a database file: all items as they are at one instant, while other processes write."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from stratabase.core.store.engine.port import Item
from stratabase.core.store.sqlite.errors import is_full, map_sqlite_error
from stratabase.core.store.sqlite.file import open_for_reading
from stratabase.core.store.sqlite.queries import select_after

_PAGE = 256
"""The number of items in a page."""


class SqliteSnapshot:
    """The items of a file at one instant."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Take a connection. `connection`: one with an open transaction for reading."""
        self._path = path
        self._connection = connection

    def scan(self) -> Iterator[Sequence[Item]]:
        """Yield all items in the order of their keys, page by page. Raises Unavailable."""
        after = None
        try:
            while page := select_after(self._connection, after, _PAGE):
                yield page
                after = page[-1].key
        except sqlite3.Error as error:
            raise map_sqlite_error(self._path, error) from error


@contextmanager
def open_snapshot(path: Path, timeout: float) -> Iterator[SqliteSnapshot]:
    """Yield a snapshot of a file. Until the end of the block, the log of the file grows with each write.

    `timeout`: the seconds to wait for other processes. Raises Unavailable, UnusableStore.
    """
    connection = open_for_reading(path, timeout)
    try:
        connection.execute("BEGIN")
        # The snapshot begins with the first read.
        connection.execute("SELECT 1 FROM items LIMIT 1").fetchone()
        yield SqliteSnapshot(path, connection)
    finally:
        connection.close()


def copy_database(source: Path, target: Path, timeout: float) -> None:
    """Copy a database file of Stratabase as it is at one instant, while other processes write to it.

    The copy is durable, and only its owner can read it. `timeout`: the seconds to wait for other processes.
    Raises Unavailable, UnusableStore, OSError.
    """
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
    reading = open_for_reading(source, timeout)
    writing = sqlite3.connect(target)
    try:
        # All pages in one step: the copy is a snapshot, and writers need not wait for it.
        reading.backup(writing)
        # Without a log, the copy is a single file.
        writing.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        # Only the copy grows.
        raise map_sqlite_error(target if is_full(target, error) else source, error) from error
    finally:
        writing.close()
        reading.close()
