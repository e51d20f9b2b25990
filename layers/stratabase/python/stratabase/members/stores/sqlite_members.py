"""The members of an instance in a SQLite file, and the mark of the file."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.store_mark import StoreMark, StoreRequirements, parse_mark
from stratabase.core.store.sqlite.errors import map_sqlite_error, retry_while_busy
from stratabase.core.store.sqlite.file import Layout, open_for_writing
from stratabase.members.audit_entry import AuditEntry
from stratabase.members.credentials import ApiKey, ExchangeCode, ProviderLink, Session
from stratabase.members.member import (
    LINK_FIELD,
    MailedLink,
    Member,
    MemberKind,
    NamesTaken,
    Roster,
    email_spellings,
    fold_name,
)
from stratabase.members.password import NEW_SHORTEST_PASSWORD, SHORTEST_PASSWORD
from stratabase.members.stores.member_file import BUSY_TIMEOUT, CheckMark, MemberFile
from stratabase.members.stores.sqlite_audit import AUDIT_TABLES, append_entries, note_removal
from stratabase.values.formats.preferences import Formats

_TABLE = """
CREATE TABLE members (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL UNIQUE,
  member TEXT NOT NULL
) STRICT, WITHOUT ROWID
"""

_REVISIONS = (
    "ALTER TABLE members ADD COLUMN revision INTEGER NOT NULL DEFAULT 1",
    "CREATE TABLE roster (revision INTEGER NOT NULL) STRICT",
    "INSERT INTO roster VALUES (0)",
)

_PROGRAMS_AND_LINKS = (
    """
CREATE TABLE new_members (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  email TEXT UNIQUE,
  member TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID
""",
    "INSERT INTO new_members SELECT id, username, email, member, revision FROM members",
    "DROP TABLE members",
    "ALTER TABLE new_members RENAME TO members",
    """
CREATE TABLE links (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  member TEXT NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID
""",
)

_OF_LAYOUT_4 = (
    *_PROGRAMS_AND_LINKS,
    *AUDIT_TABLES,
    "CREATE TABLE defaults (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID",
)
_DEFAULTS_OF_NEW_FILES = f"INSERT INTO defaults VALUES ('password_length', {NEW_SHORTEST_PASSWORD})"  # noqa: S608 - a number
_DEFAULT = "SELECT value FROM defaults WHERE name = ?"

MEMBER_LAYOUT = Layout(
    b"StrM",
    4,
    (_TABLE, *_REVISIONS, *_OF_LAYOUT_4, _DEFAULTS_OF_NEW_FILES),
    {1: _REVISIONS, 2: (), 3: _OF_LAYOUT_4},
)
"""The columns `username` and `email` have the folded names and are unique. `email` of a program is NULL.

`member` has the fields as JSON, lists only if they are not empty, and `kind` only of programs. `links` has
the ID of the member who is linked to an account at an identity provider. `defaults` has the defaults with
which a file began: without a row, it is a file of an earlier version, which keeps those of that version.
`sqlite_audit` has the other tables.

Since layout 3, the JSON can have `pending_email` and `confirmation`, and since layout 4 `kind`, `sessions`,
`keys`, `links` and `codes`. Earlier versions cannot read them, and refuse the file.
"""

_LINK_FIELDS = ("reset", "confirmation")
"""The fields of a member that are mailed links."""
_LISTS: Mapping[str, Callable[..., Any]] = {
    "earlier_resets": MailedLink,
    "sessions": Session,
    "keys": lambda *, networks, **fields: ApiKey(**fields, networks=tuple(networks)),
    "links": ProviderLink,
    "codes": ExchangeCode,
}
"""The fields of a member that are lists, each with the function that makes an element of its fields."""

_BATCH_SIZE = 200
"""Members that are read at a time: about 100 KB."""
_BY_IDS = "SELECT id, member, revision FROM members WHERE id IN (SELECT value FROM json_each(?))"
_AFTER_ID = "SELECT member, revision FROM members WHERE id > ? ORDER BY id LIMIT ?"
_BY_ID = "SELECT member, revision FROM members WHERE id = ?"
_BY_USERNAME = "SELECT member, revision FROM members WHERE username = ?"
_BY_EMAIL = "SELECT member, revision FROM members WHERE email = ?"
_BY_LINK = (
    "SELECT m.member, m.revision FROM links l JOIN members m ON m.id = l.member "
    "WHERE l.issuer = ? AND l.subject = ?"
)


class SqliteMembers:
    """Members in a file that only its owner can read. Raises UnusableStore if the file cannot be opened."""

    def __init__(self, path: Path, check: CheckMark = lambda _connection, _writes: None) -> None:
        """`check`: see `MemberFile`."""
        self.file = MemberFile(path, MEMBER_LAYOUT, check)
        """The file, which other stores share."""

    def by_id(self, id_: str) -> Member | None:
        """Return the member with an id, or None."""
        return self._find(_BY_ID, id_)

    def by_username(self, username: str) -> Member | None:
        """Return the member with a username, or None. Case does not matter."""
        return self._find(_BY_USERNAME, fold_name(username))

    def by_email(self, email: str) -> Member | None:
        """Return the member with an email address in any spelling, or None."""
        found = (self._find(_BY_EMAIL, spelling) for spelling in email_spellings(email))
        return next(filter(None, found), None)

    def by_link(self, issuer: str, subject: str) -> Member | None:
        """Return the member who is linked to an account at an identity provider, or None."""
        return self._find(_BY_LINK, issuer, subject)

    def by_ids(self, ids: Sequence[str]) -> list[Member | None]:
        """Return the members in the order of `ids`, None for an id that no member has."""
        wanted = orjson.dumps([*filter(_is_storable, dict.fromkeys(ids))]).decode()
        with self.file.read() as connection:
            rows = connection.execute(_BY_IDS, (wanted,)).fetchall()
        found = {id_: _member_of_row(*row) for id_, *row in rows}
        return [found.get(id_) for id_ in ids]

    def batches(self) -> Iterator[Sequence[Member]]:
        """Yield all members in the order of their ids, in batches."""
        last = ""
        while True:
            with self.file.read() as connection:
                rows = connection.execute(_AFTER_ID, (last, _BATCH_SIZE)).fetchall()
            batch = [_member_of_row(*row) for row in rows]
            yield batch
            if len(batch) < _BATCH_SIZE:
                return
            last = batch[-1].id

    def roster(self) -> Roster:
        """Return all members by username, with the revision of the roster.

        The revision is read first, so the members are at least as new as the revision.
        """
        with self.file.read() as connection:
            (revision,) = connection.execute("SELECT revision FROM roster").fetchone()
            rows = connection.execute("SELECT member, revision FROM members ORDER BY username").fetchall()
        return Roster(tuple(_member_of_row(*row) for row in rows), revision)

    def any(self) -> bool:
        """Return whether any member exists."""
        with self.file.read() as connection:
            return connection.execute("SELECT 1 FROM members LIMIT 1").fetchone() is not None

    def shortest_password(self) -> int:
        """Return the minimum length of a password that this file began with."""
        with self.file.read() as connection:
            row = connection.execute(_DEFAULT, ("password_length",)).fetchone()
        return SHORTEST_PASSWORD if row is None else int(row[0])

    def add(self, member: Member, *, is_moved: bool = False, audit: Sequence[AuditEntry] = ()) -> None:
        """Add a member, who can come from another store. Raises NamesTaken, or Conflict if the id exists."""

        def work(connection: sqlite3.Connection) -> None:
            _insert(connection, member, is_moved)
            append_entries(connection, audit)

        self.file.transact(work)

    def change(
        self,
        before: Member,
        after: Member,
        roster: Roster | None = None,
        *,
        audit: Sequence[AuditEntry] = (),
    ) -> None:
        """Replace `before` with `after`. If a roster is given, it must still be the current one.

        Raises Conflict, NamesTaken.
        """

        def work(connection: sqlite3.Connection) -> None:
            _update(connection, before, after, roster)
            append_entries(connection, audit)

        self.file.transact(work)

    def remove(
        self, member: Member, roster: Roster | None = None, *, audit: Sequence[AuditEntry] = ()
    ) -> None:
        """Delete a member. If a roster is given, it must still be the current one. Raises Conflict."""

        def work(connection: sqlite3.Connection) -> None:
            _delete(connection, member, roster)
            note_removal(connection, member.id, audit)

        self.file.transact(work)

    def close(self) -> None:
        """Close the file. Later calls raise Unavailable."""
        self.file.close()

    def _find(self, statement: str, *key: str) -> Member | None:
        try:
            with self.file.read() as connection:
                row = connection.execute(statement, key).fetchone()
        except UnicodeEncodeError:  # a lone surrogate, which no stored name contains
            return None
        return _member_of_row(*row) if row else None


def _is_storable(text: str) -> bool:
    """Return whether a text has no lone surrogates, which no stored text contains."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _insert(connection: sqlite3.Connection, member: Member, is_moved: bool) -> None:  # noqa: FBT001 - as in `add`
    """Add a member. Raises NamesTaken, or Conflict if the id exists."""
    if connection.execute("SELECT 1 FROM members WHERE id = ?", (member.id,)).fetchone():
        raise Conflict
    _check_names(connection, member, is_moved=is_moved)
    connection.execute(
        "INSERT INTO members (username, email, member, revision, id) VALUES (?, ?, ?, 1, ?)", _row(member)
    )
    _write_links(connection, None, member)


def _update(connection: sqlite3.Connection, before: Member, after: Member, roster: Roster | None) -> None:
    """Replace `before` with `after`. Raises Conflict, NamesTaken."""
    _check_present(connection, before, roster)
    _check_names(connection, after, before)
    connection.execute(
        "UPDATE members SET username = ?, email = ?, member = ?, revision = revision + 1 WHERE id = ?",
        _row(after),
    )
    _write_links(connection, before, after)


def _delete(connection: sqlite3.Connection, member: Member, roster: Roster | None) -> None:
    """Delete a member. Raises Conflict."""
    _check_present(connection, member, roster)
    connection.execute("DELETE FROM members WHERE id = ?", (member.id,))
    _write_links(connection, member, None)


def _check_present(connection: sqlite3.Connection, member: Member, roster: Roster | None) -> None:
    """Raise Conflict if the member or roster has changed since it was read. Advance the roster's revision."""
    row = connection.execute("SELECT revision FROM members WHERE id = ?", (member.id,)).fetchone()
    if row != (member.revision,):
        raise Conflict
    # Of two changes that depend on the same roster, one fails. So two concurrent requests cannot remove the
    # last two administrators.
    if roster is not None:
        statement = "UPDATE roster SET revision = revision + 1 WHERE revision = ?"
        if connection.execute(statement, (roster.revision,)).rowcount != 1:
            raise Conflict


def _check_names(
    connection: sqlite3.Connection, member: Member, before: Member | None = None, *, is_moved: bool = False
) -> None:
    """Raise NamesTaken if another member has the username or the email address, unless it was so before.

    `is_moved`: the address can be that of another member in another spelling.
    """
    others = "SELECT 1 FROM members WHERE {} IN (SELECT value FROM json_each(?)) AND id <> ?"
    former = _spellings(before) if before else {}
    compared = 1 if is_moved else None
    taken = tuple(
        field
        for field, spellings in _spellings(member).items()
        if spellings != former.get(field)
        and connection.execute(
            others.format(field), (orjson.dumps(spellings[:compared]).decode(), member.id)
        ).fetchone()
    )
    linked = "SELECT 1 FROM links WHERE issuer = ? AND subject = ? AND member <> ?"
    is_linked = any(
        connection.execute(linked, (*account, member.id)).fetchone() for account in _accounts(member)
    )
    if taken or is_linked:
        raise NamesTaken((*taken, LINK_FIELD) if is_linked else taken)


def _write_links(connection: sqlite3.Connection, before: Member | None, after: Member | None) -> None:
    """Let the table of links have those that a member has after a change. None: there is no such member."""
    former = {*_accounts(before)} if before else set()
    present = dict.fromkeys(_accounts(after), after.id) if after else {}
    for account in former - present.keys():
        connection.execute("DELETE FROM links WHERE issuer = ? AND subject = ?", account)
    for account in present.keys() - former:
        connection.execute("INSERT INTO links VALUES (?, ?, ?)", (*account, present[account]))


def _accounts(member: Member) -> Iterator[tuple[str, str]]:
    """Yield the issuer and the subject of each link of a member."""
    return ((link.issuer, link.subject) for link in member.links)


def _spellings(member: Member) -> dict[str, tuple[str, ...]]:
    """Return the folded spellings of a member's unique names, by field."""
    spellings: dict[str, tuple[str, ...]] = {"username": (fold_name(member.username),)}
    return {**spellings, "email": email_spellings(member.email)} if member.email else spellings


def _row(member: Member) -> tuple[str, str | None, str, str]:
    """Return the columns `username`, `email`, `member` and `id`."""
    fields = asdict(member)
    del fields["revision"]
    for name in _LISTS:
        if not fields[name]:
            del fields[name]
    if member.kind is MemberKind.PERSON:
        del fields["kind"]
    email = fold_name(member.email) if member.email else None
    return fold_name(member.username), email, orjson.dumps(fields).decode(), member.id


def _member_of_row(text: str, revision: int) -> Member:
    """Return the member of a row with the columns `member` and `revision`."""
    fields: dict[str, Any] = orjson.loads(text)
    for name in _LINK_FIELDS:
        if fields.get(name):
            fields[name] = MailedLink(**fields[name])
    for name, make in _LISTS.items():
        if name in fields:
            fields[name] = tuple(make(**each) for each in fields[name])
    if "kind" in fields:
        fields["kind"] = MemberKind(fields["kind"])
    fields["formats"] = Formats(**fields["formats"])
    return Member(**fields, revision=revision)


# Versions without marks ignore the table, so it does not change the layout of the file.
_MARK_TABLE = (
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
                connection.execute(_MARK_TABLE)
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
