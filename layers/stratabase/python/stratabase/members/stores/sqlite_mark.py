"""The mark of a file of members."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from stratabase.core.domain.store_mark import StoreMark, StoreRequirements, parse_mark
from stratabase.core.store.sqlite.errors import map_sqlite_error, retry_while_busy
from stratabase.core.store.sqlite.file import open_for_writing
from stratabase.members.stores.sqlite_members import BUSY_TIMEOUT, MEMBER_LAYOUT, CheckMark

# Versions without marks ignore the table, so it does not change the layout of the file.
_TABLE = (
    "CREATE TABLE IF NOT EXISTS mark (only INTEGER PRIMARY KEY CHECK (only = 1), text TEXT NOT NULL) STRICT"
)
_HAS_TABLE = "SELECT 1 FROM sqlite_schema WHERE name = 'mark'"


class SqliteMemberMark:
    """The mark in a file of members. It opens the file for each call, because calls are rare."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def content(self) -> Path:
        """The store itself."""
        return self._path

    def read_mark(self) -> StoreMark | None:
        """Return the mark, None if the store has none. Raises UnusableStore, Unavailable."""
        with self._connection() as connection:
            return _read(connection)

    def is_new(self) -> bool:
        """Return whether there are no members yet. Raises like `read_mark`."""
        with self._connection() as connection:
            return connection.execute("SELECT 1 FROM members LIMIT 1").fetchone() is None

    def write_mark(self, mark: StoreMark, before: StoreMark | None) -> bool:
        """Write a mark if the current one is `before`. Return whether it was. Raises like `read_mark`."""
        with self._connection() as connection:
            retry_while_busy(lambda: connection.execute("BEGIN IMMEDIATE"), BUSY_TIMEOUT)
            with connection:
                if _read(connection) != before:
                    return False
                connection.execute(_TABLE)
                connection.execute("INSERT OR REPLACE INTO mark VALUES (1, ?)", (mark.text(),))
                return True

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with closing(open_for_writing(self._path, BUSY_TIMEOUT, MEMBER_LAYOUT)) as connection:
            try:
                yield connection
            except sqlite3.Error as error:
                raise map_sqlite_error(self._path, error) from error


def mark_check(required: StoreRequirements) -> CheckMark:
    """Return a function that raises StoreRefused if the mark in a file is not as required."""

    def check(connection: sqlite3.Connection, writes: bool) -> None:  # noqa: FBT001 - the signature of a check
        required.check(_read(connection), writes=writes)

    return check


def _read(connection: sqlite3.Connection) -> StoreMark | None:
    if connection.execute(_HAS_TABLE).fetchone() is None:
        return None
    row = connection.execute("SELECT text FROM mark").fetchone()
    return None if row is None else parse_mark(row[0])
