"""The rows of the members: how their file is laid out, and what each change does in a transaction."""

import sqlite3
from dataclasses import asdict
from typing import Any

import orjson

from stratabase.domain.member import MailedLink, Member, NamesTaken, Roster, folded
from stratabase.domain.objects.commit_refusals import Conflict
from stratabase.model.formats import Formats
from stratabase.store.sqlite.file import Layout

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
LAYOUT = Layout(b"StrM", 3, (_TABLE, *_REVISIONS), {1: _REVISIONS, 2: ()})
"""Names are unique by their columns, which hold them folded; all that is shown is in the JSON.

Since layout 3 that may have `pending_email` and `confirmation`, which earlier versions cannot read.
"""

_LINKS = ("reset", "confirmation")
"""The fields of a member that are links."""

Row = tuple[Any, ...]


def add(connection: sqlite3.Connection, member: Member) -> None:
    """Add a member. Raises NamesTaken; Conflict when the id is taken."""
    if connection.execute("SELECT 1 FROM members WHERE id = ?", (member.id,)).fetchone():
        raise Conflict
    _check_names(connection, member)
    connection.execute(
        "INSERT INTO members (username, email, member, revision, id) VALUES (?, ?, ?, 1, ?)", _row(member)
    )


def change(connection: sqlite3.Connection, before: Member, after: Member, roster: Roster | None) -> None:
    """Put `after` in place of `before`. Raises Conflict, NamesTaken."""
    _check_present(connection, before, roster)
    _check_names(connection, after)
    connection.execute(
        "UPDATE members SET username = ?, email = ?, member = ?, revision = revision + 1 WHERE id = ?",
        _row(after),
    )


def remove(connection: sqlite3.Connection, member: Member, roster: Roster | None) -> None:
    """Take a member away. Raises Conflict."""
    _check_present(connection, member, roster)
    connection.execute("DELETE FROM members WHERE id = ?", (member.id,))


def _check_present(connection: sqlite3.Connection, member: Member, roster: Roster | None) -> None:
    """Raise Conflict unless all is as it was read; end the roster."""
    row = connection.execute("SELECT revision FROM members WHERE id = ?", (member.id,)).fetchone()
    if row != (member.revision,):
        raise Conflict
    if roster is not None:
        ended = "UPDATE roster SET revision = revision + 1 WHERE revision = ?"
        if connection.execute(ended, (roster.revision,)).rowcount != 1:
            raise Conflict


def _check_names(connection: sqlite3.Connection, member: Member) -> None:
    others = "SELECT 1 FROM members WHERE {} = ? AND id <> ?"
    names = {"username": folded(member.username), "email": folded(member.email)}
    taken = tuple(
        field
        for field, name in names.items()
        if connection.execute(others.format(field), (name, member.id)).fetchone()
    )
    if taken:
        raise NamesTaken(taken)


def _row(member: Member) -> Row:
    fields = {name: value for name, value in asdict(member).items() if name != "revision"}
    return (folded(member.username), folded(member.email), orjson.dumps(fields).decode(), member.id)


def member_of(row: Row) -> Member:
    """Return the member of a row with the columns `member` and `revision`."""
    text, revision = row
    fields: dict[str, Any] = orjson.loads(text)
    links = {name: MailedLink(**fields[name]) for name in _LINKS if fields.get(name)}
    return Member(**{**fields, **links, "formats": Formats(**fields["formats"]), "revision": revision})
