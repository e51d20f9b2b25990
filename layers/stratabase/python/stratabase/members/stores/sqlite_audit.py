"""The audit trail in the SQLite file of the members, and when keys were last used."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from stratabase.core.domain.objects.instant import Instant
from stratabase.members.audit_entry import MAX_PAGE, AuditEntry, AuditKind, AuditPage
from stratabase.members.stores.member_file import MemberFile

_STEP = 500
"""The number of entries that one transaction deletes or changes: about a millisecond."""

AUDIT_TABLES = (
    """
CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  member TEXT NOT NULL,
  actor TEXT NOT NULL,
  way TEXT NOT NULL,
  detail TEXT NOT NULL,
  address TEXT NOT NULL,
  device TEXT NOT NULL,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID
""",
    "CREATE INDEX audit_members ON audit (member, id)",
    "CREATE INDEX audit_actors ON audit (actor) WHERE address <> '' OR device <> ''",
    """
CREATE TABLE key_uses (
  member TEXT NOT NULL,
  key TEXT NOT NULL,
  hour INTEGER NOT NULL,
  PRIMARY KEY (member, key)
) STRICT, WITHOUT ROWID
""",
    "CREATE TABLE removed_members (member TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID",
)
"""The statements that create the tables. `detail` is JSON. `removed_members` has those to forget."""

_INSERT = "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO"
_FORGET_PLACES = """
UPDATE audit SET address = '', device = '' WHERE id IN (
  SELECT id FROM audit WHERE actor = ? AND (address <> '' OR device <> '') LIMIT ?
)
"""
_FORGET_NAMES = """
UPDATE audit SET detail = json_remove(detail, '$.name') WHERE id IN (
  SELECT id FROM audit WHERE member = ? AND json_extract(detail, '$.name') IS NOT NULL LIMIT ?
)
"""
_PRUNE = "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE id < ? LIMIT ?)"
_NOTE_USE = (
    "INSERT INTO key_uses VALUES (?, ?, ?) ON CONFLICT (member, key) DO UPDATE SET hour = "
    "max(hour, excluded.hour)"
)


def append_entries(connection: sqlite3.Connection, entries: Sequence[AuditEntry]) -> None:
    """Write entries that are not there yet, in the transaction of a connection."""
    if entries:
        connection.executemany(f"{_INSERT} NOTHING", map(_row, entries))


def note_removal(connection: sqlite3.Connection, member: str, entries: Sequence[AuditEntry]) -> None:
    """Write that a member is removed, with the entries that report it, in the transaction of a connection."""
    at = max((entry.at for entry in entries), default=0)
    connection.execute("INSERT OR REPLACE INTO removed_members VALUES (?, ?)", (member, at))
    append_entries(connection, entries)


class SqliteAuditTrail:
    """The audit trail in the file of the members."""

    def __init__(self, file: MemberFile) -> None:
        self._file = file

    def append(self, entries: Sequence[AuditEntry]) -> None:
        """Write entries that are not there yet."""
        if entries:
            self._file.transact(lambda connection: append_entries(connection, entries))

    def count(self, entry: AuditEntry) -> None:
        """Write an hourly entry, or add its count to the entry with its id."""
        self._execute(f"{_INSERT} UPDATE SET count = count + excluded.count", _row(entry))

    def page(
        self, first: str, *, after: str | None = None, limit: int = MAX_PAGE, member: str | None = None
    ) -> AuditPage:
        """Return at most `limit` entries whose ids are `first` or greater, newest first."""
        conditions = {"id >= ?": first, "id < ?": after, "member = ?": member}
        given = {condition: value for condition, value in conditions.items() if value is not None}
        statement = f"SELECT * FROM audit WHERE {' AND '.join(given)} ORDER BY id DESC LIMIT ?"  # noqa: S608 - no text of a client
        with self._file.read() as connection:
            rows = connection.execute(statement, (*given.values(), limit + 1)).fetchall()
        found = [*map(_entry, rows[:limit])]
        return AuditPage(found, found[-1].id if len(rows) > limit else None)

    def forget(self, member: str) -> Iterator[None]:
        """Remove what identifies a deleted member other than by id."""
        for statement in (_FORGET_PLACES, _FORGET_NAMES):
            while self._execute(statement, (member, _STEP)):
                yield
        self._execute("DELETE FROM key_uses WHERE member = ?", (member,))
        yield

    def to_forget(self, removed_before: Instant) -> Sequence[str]:
        """Return the ids of members who were removed before an instant."""
        statement = "SELECT member FROM removed_members WHERE at < ? ORDER BY at"
        with self._file.read() as connection:
            return [member for (member,) in connection.execute(statement, (removed_before,))]

    def forgotten(self, member: str) -> None:
        """Record that nothing is left to forget of a member."""
        self._execute("DELETE FROM removed_members WHERE member = ?", (member,))

    def prune(self, first: str) -> Iterator[None]:
        """Delete the entries whose ids are less than `first`."""
        while self._execute(_PRUNE, (first, _STEP)):
            yield

    def note_use(self, member: str, key: str, hour: Instant) -> None:
        """Record that a key of a member was used in the hour that begins at an instant."""
        self._execute(_NOTE_USE, (member, key, hour))

    def uses(self, member: str) -> Mapping[str, Instant]:
        """Return when the keys of a member were used last, by the id of the key: the start of the hour."""
        with self._file.read() as connection:
            rows = connection.execute("SELECT key, hour FROM key_uses WHERE member = ?", (member,)).fetchall()
        return dict(rows)

    def _execute(self, statement: str, values: tuple[Any, ...]) -> int:
        """Execute a statement in a transaction of its own. Return the number of changed rows."""
        return self._file.transact(lambda connection: connection.execute(statement, values).rowcount)


def _row(entry: AuditEntry) -> tuple[Any, ...]:
    detail = orjson.dumps(dict(entry.detail)).decode()
    start = entry.id, entry.at, entry.kind.value, entry.member, entry.actor, entry.way, detail
    return *start, entry.address, entry.device, entry.count


def _entry(row: tuple[Any, ...]) -> AuditEntry:
    id_, at, kind, member, actor, way, detail, address, device, count = row
    return AuditEntry(
        id_, at, AuditKind(kind), member, actor, way, orjson.loads(detail), address, device, count
    )
