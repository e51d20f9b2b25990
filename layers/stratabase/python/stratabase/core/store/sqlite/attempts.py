"""Attempts to sign in and requests for mail, in one SQLite file that the processes of a machine share."""

import secrets
from pathlib import Path

from stratabase.core import waiting
from stratabase.core.domain.attempts import MAX_ATTEMPTS_KEPT, MAX_WINDOW, RecordedAttempt
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.sqlite.file import ExclusiveConnection, Layout, open_for_writing

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
        connection = open_for_writing(path, BUSY_TIMEOUT, ATTEMPT_LAYOUT)
        # Commits do not wait for the disk. Only a power cut can lose the last attempts, not a killed process.
        connection.execute("PRAGMA synchronous = NORMAL")
        self._file = ExclusiveConnection(path, connection, BUSY_TIMEOUT)

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
        self._file.close()

    def _note(self, key: str, now: Instant, since: Instant) -> RecordedAttempt:
        attempt = secrets.token_hex(8)
        with self._file.transaction() as connection:
            connection.execute("DELETE FROM attempts WHERE key = ? AND instant < ?", (key, since))
            # The windows of other keys can be longer, so delete only what is older than the longest window.
            connection.execute("DELETE FROM attempts WHERE instant < ?", (now - MAX_WINDOW,))
            instants = [instant for (instant,) in connection.execute(_INSTANTS, (key, since))]
            if len(instants) < MAX_ATTEMPTS_KEPT:
                connection.execute("INSERT INTO attempts VALUES (?, ?, ?)", (key, now, attempt))
        return RecordedAttempt(attempt, tuple(sorted([*instants, now])))

    def _withdraw(self, key: str, attempt: str) -> None:
        with self._file.transaction() as connection:
            connection.execute("DELETE FROM attempts WHERE key = ? AND attempt = ?", (key, attempt))

    def _count(self, key: str, since: Instant) -> int:
        with self._file.use() as connection:
            return len(connection.execute(_INSTANTS, (key, since)).fetchall())
