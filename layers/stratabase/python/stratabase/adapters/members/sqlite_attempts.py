"""Attempts to sign in and requests for mail, in one SQLite file that the processes of a machine share."""

import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from stratabase import waiting
from stratabase.domain.members.attempts import MAX_ATTEMPTS_KEPT, MAX_WINDOW, RecordedAttempt
from stratabase.domain.objects.instant import Instant
from stratabase.store.sqlite.errors import map_sqlite_error, retry_while_busy
from stratabase.store.sqlite.file import Layout, open_for_writing

BUSY_TIMEOUT = 5.0
"""The seconds to wait while another process writes."""

_TABLE = """
CREATE TABLE attempts (
  key TEXT NOT NULL,
  instant INTEGER NOT NULL,
  attempt TEXT NOT NULL,
  PRIMARY KEY (key, instant, attempt)
) STRICT, WITHOUT ROWID
"""
ATTEMPT_LAYOUT = Layout(b"StrA", 1, (_TABLE, "CREATE INDEX age ON attempts (instant)"))

_INSTANTS = "SELECT instant FROM attempts WHERE key = ? AND instant >= ?"


class SqliteAttempts:
    """Attempts in a file that only its owner can read. Raises UnusableStore if the file cannot be opened.

    One connection serves one call at a time. Calls run in another thread, because each can have to wait for
    another process. A sign-in with a cached password needs no call.
    """

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        self._path = path
        self._connection = open_for_writing(path, BUSY_TIMEOUT, ATTEMPT_LAYOUT)
        # Commits do not wait for the disk. Only a power cut can lose the last attempts, not a killed process.
        self._connection.execute("PRAGMA synchronous = NORMAL")

    def note(self, key: str, now: Instant, since: Instant) -> RecordedAttempt:
        """Record an attempt, and return it with all attempts of the key since an instant, atomically."""
        return waiting.offload(self._note, key, now, since)

    def withdraw(self, key: str, attempt: str) -> None:
        """Remove a recorded attempt."""
        waiting.offload(self._withdraw, key, attempt)

    def count(self, key: str, since: Instant) -> int:
        """Return the number of attempts of a key since an instant."""
        return waiting.offload(self._count, key, since)

    def close(self) -> None:
        """Close the file. Later calls raise Unavailable."""
        with self._lock:
            self._connection.close()

    def _note(self, key: str, now: Instant, since: Instant) -> RecordedAttempt:
        attempt = secrets.token_hex(8)
        with self._transaction() as connection:
            connection.execute("DELETE FROM attempts WHERE key = ? AND instant < ?", (key, since))
            # The windows of other keys can be longer, so delete only what is older than the longest window.
            connection.execute("DELETE FROM attempts WHERE instant < ?", (now - MAX_WINDOW,))
            instants = [instant for (instant,) in connection.execute(_INSTANTS, (key, since))]
            if len(instants) < MAX_ATTEMPTS_KEPT:
                connection.execute("INSERT INTO attempts VALUES (?, ?, ?)", (key, now, attempt))
        return RecordedAttempt(attempt, tuple(sorted([*instants, now])))

    def _withdraw(self, key: str, attempt: str) -> None:
        with self._transaction() as connection:
            connection.execute("DELETE FROM attempts WHERE key = ? AND attempt = ?", (key, attempt))

    def _count(self, key: str, since: Instant) -> int:
        with self._use() as connection:
            return len(connection.execute(_INSTANTS, (key, since)).fetchall())

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._use() as connection:
            retry_while_busy(lambda: connection.execute("BEGIN IMMEDIATE"), BUSY_TIMEOUT)
            with connection:
                yield connection

    @contextmanager
    def _use(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection for exclusive use. Raises Unavailable, UnusableStore."""
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise map_sqlite_error(self._path, error) from error
