"""The members of an instance, in one SQLite file of their own."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from stratabase import waiting
from stratabase.domain.member import Member, Roster, folded
from stratabase.store.sqlite.fault import refusal
from stratabase.store.sqlite.file import connect, prepare
from stratabase.store.sqlite.insist import insist
from stratabase.store.sqlite.member_rows import LAYOUT, add, change, member_of, remove

PATIENCE = 5.0
"""Seconds to wait for another process that is writing."""


class SqliteMembers:
    """Members in a file that only its owner may read; the names are kept folded, beside the member's JSON.

    Raises UnusableStore when there can be no such file.

    Two connections, one to write and one to read, each for one call at a time: a reader takes microseconds,
    and never waits for a writer, who waits for the disk and for other processes.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writing = prepare(path, PATIENCE, LAYOUT)
        self._reading = connect(path, PATIENCE)
        self._writers, self._readers = Lock(), Lock()

    def by_id(self, id_: str) -> Member | None:
        """Return the member with that id."""
        return self._one("SELECT member, revision FROM members WHERE id = ?", id_)

    def by_username(self, username: str) -> Member | None:
        """Return the member of that name."""
        return self._one("SELECT member, revision FROM members WHERE username = ?", folded(username))

    def by_email(self, email: str) -> Member | None:
        """Return the member with that address."""
        return self._one("SELECT member, revision FROM members WHERE email = ?", folded(email))

    def roster(self) -> Roster:
        """Return all members; its revision is read first, so that what it tells is at least as new."""
        with self._work(self._readers, self._reading) as connection:
            (revision,) = connection.execute("SELECT revision FROM roster").fetchone()
            rows = connection.execute("SELECT member, revision FROM members ORDER BY username").fetchall()
        return Roster(tuple(map(member_of, rows)), revision)

    def any(self) -> bool:
        """Return whether there is a member at all."""
        with self._work(self._readers, self._reading) as connection:
            return connection.execute("SELECT 1 FROM members LIMIT 1").fetchone() is not None

    def add(self, member: Member) -> None:
        """Add a member. Raises NamesTaken; Conflict when the id is taken."""
        self._write(lambda connection: add(connection, member))

    def change(self, before: Member, after: Member, roster: Roster | None = None) -> None:
        """Put `after` in place of `before`; with a roster, only while that is the present one."""
        self._write(lambda connection: change(connection, before, after, roster))

    def remove(self, member: Member, roster: Roster | None = None) -> None:
        """Remove a member, as `change` does. Raises Conflict."""
        self._write(lambda connection: remove(connection, member, roster))

    def close(self) -> None:
        """Let go of the file."""
        for lock, connection in ((self._readers, self._reading), (self._writers, self._writing)):
            with lock:
                connection.close()

    def _one(self, statement: str, key: str) -> Member | None:
        try:
            with self._work(self._readers, self._reading) as connection:
                row = connection.execute(statement, (key,)).fetchone()
        except UnicodeEncodeError:  # half of a surrogate pair, which nobody has in a name
            return None
        return member_of(row) if row else None

    def _write(self, work: Callable[[sqlite3.Connection], None]) -> None:
        waiting.aside(self._transact, work)

    def _transact(self, work: Callable[[sqlite3.Connection], None]) -> None:
        with self._work(self._writers, self._writing) as connection:
            insist(lambda: connection.execute("BEGIN IMMEDIATE"), PATIENCE)
            with connection:
                work(connection)

    @contextmanager
    def _work(self, lock: Lock, connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
        with lock:
            try:
                yield connection
            except sqlite3.Error as error:
                raise refusal(self._path, error) from error
