"""The SQLite file of the members, which several stores share."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from stratabase.core import waiting
from stratabase.core.store.sqlite.file import ExclusiveConnection, Layout, open_for_reading, open_for_writing

BUSY_TIMEOUT = 5.0
"""The seconds to wait while another process writes."""
CheckMark = Callable[[sqlite3.Connection, bool], None]
"""Checks the mark in a file. The second argument says whether the caller is about to write."""
T = TypeVar("T")


class MemberFile:
    """A file that only its owner can read. Raises UnusableStore if the file cannot be opened.

    One connection writes and another one reads, each for one call at a time. Reads take microseconds. They
    never wait for writes, which wait for the disk and for other processes.
    """

    def __init__(self, path: Path, layout: Layout, check: CheckMark) -> None:
        """`check(connection, writes)` raises StoreRefused if this process must not use the file.

        It is called before the first read, and in the transaction of each write.
        """
        self._check = check
        self._is_checked = False
        writing = open_for_writing(path, BUSY_TIMEOUT, layout)
        # What is deleted about a person must not stay in the free space of the file.
        writing.execute("PRAGMA secure_delete = ON")
        self._writing = ExclusiveConnection(path, writing, BUSY_TIMEOUT)
        self._reading = ExclusiveConnection(path, open_for_reading(path, BUSY_TIMEOUT), BUSY_TIMEOUT)

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection that reads. Raises Unavailable."""
        with self._reading.use() as connection:
            if not self._is_checked:
                self._check(connection, False)
                self._is_checked = True
            yield connection

    def transact(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `work` returns with the connection in a transaction. Raises Unavailable."""
        done: T = waiting.offload(self._transact, work)
        return done

    def close(self) -> None:
        """Close the file. Later calls raise Unavailable."""
        self._reading.close()
        self._writing.close()

    def _transact(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._writing.transaction() as connection:
            self._check(connection, True)
            return work(connection)
