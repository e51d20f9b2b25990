"""The members of an instance, in one SQLite file of their own."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import orjson

from stratabase.domain.change import Conflict
from stratabase.domain.member import Member, folded
from stratabase.domain.refusal import Unavailable
from stratabase.model.formats import Formats

PATIENCE = 5.0
"""Seconds to wait for another process that is writing."""

_TABLE = """
CREATE TABLE IF NOT EXISTS members (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL UNIQUE,
  member TEXT NOT NULL
) WITHOUT ROWID
"""


class SqliteMembers:
    """Members in a file that only its owner may read; the names are kept folded, beside the member's JSON.

    One connection, one call at a time: a call takes microseconds, and few requests make one.
    """

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        self._connection = _open(path)

    def by_username(self, username: str) -> Member | None:
        """Return the member of that name."""
        with self._work() as connection:
            statement = "SELECT member FROM members WHERE username = ?"
            row = connection.execute(statement, (folded(username),)).fetchone()
        return _member(row[0]) if row else None

    def add(self, member: Member) -> None:
        """Add a member. Raises Conflict when the id, the username or the e-mail address is taken."""
        row = (member.id, folded(member.username), folded(member.email), orjson.dumps(member).decode())
        with self._work() as connection:
            connection.execute("INSERT INTO members VALUES (?, ?, ?, ?)", row)

    def any(self) -> bool:
        """Return whether there is a member at all."""
        with self._work() as connection:
            return connection.execute("SELECT 1 FROM members LIMIT 1").fetchone() is not None

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _work(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._connection
            except sqlite3.IntegrityError as error:
                raise Conflict from error
            except sqlite3.OperationalError as error:
                raise Unavailable("The members cannot be read or written just now; try again.") from error


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(_TABLE)


def _write_ahead(connection: sqlite3.Connection) -> None:
    # Two processes that switch a new file to WAL at once: SQLite refuses one without waiting.
    last_try = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > last_try:
                raise
            time.sleep(0.01)
        else:
            return


def _member(text: str) -> Member:
    fields: dict[str, Any] = orjson.loads(text)
    return Member(**{**fields, "formats": Formats(**fields["formats"])})
