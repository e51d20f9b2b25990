"""The members of an instance, in one SQLite file of their own."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import orjson

from stratabase.domain.change import Conflict
from stratabase.domain.member import Member, folded
from stratabase.model.formats import Formats
from stratabase.store.sqlite.fault import refusal
from stratabase.store.sqlite.file import Layout, prepare

PATIENCE = 5.0
"""Seconds to wait for another process that is writing."""

_TABLE = """
CREATE TABLE members (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL UNIQUE,
  member TEXT NOT NULL
) STRICT, WITHOUT ROWID
"""
LAYOUT = Layout(b"StrM", 1, (_TABLE,))


class SqliteMembers:
    """Members in a file that only its owner may read; the names are kept folded, beside the member's JSON.

    Raises UnusableStore when there can be no such file.

    One connection, one call at a time: a call takes microseconds, and few requests make one.
    """

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        self._path = path
        self._connection = prepare(path, PATIENCE, LAYOUT)
        self._connection.execute(f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}")

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
            except sqlite3.Error as error:
                raise refusal(self._path, error) from error


def _member(text: str) -> Member:
    fields: dict[str, Any] = orjson.loads(text)
    return Member(**{**fields, "formats": Formats(**fields["formats"])})
