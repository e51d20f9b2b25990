"""The members file: private, durable, shared by processes, and upgraded from earlier versions."""

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.store.ids import least_id
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.audit_entry import AuditEntry, AuditKind
from stratabase.members.credentials import ProviderLink, Session
from stratabase.members.member import MailedLink, Member, MemberKind, NamesTaken
from stratabase.members.stores import member_file
from stratabase.members.stores.sqlite_audit import SqliteAuditTrail
from stratabase.members.stores.sqlite_members import SqliteMembers
from stratabase.values.formats.preferences import Formats
from tests.rivals import in_processes

ANNA = Member(
    "1",
    "Anna",
    "Anna@Example.com",
    "Boss",
    "first é 🙂",
    Formats(language="de"),
    "$argon2id$x",
    disabled=True,
)

LAYOUT_1 = """
PRAGMA application_id = 1400140365;
PRAGMA user_version = 1;
PRAGMA journal_mode = WAL;
CREATE TABLE members (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL UNIQUE,
  member TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""
"""What the first version made of an empty file."""


def write_layout_1(path: Path) -> None:
    """Write the file as the first version did, with Anna in it."""
    fields = {
        "id": "1",
        "username": "Anna",
        "email": "Anna@Example.com",
        "profile": "Boss",
        "notes": "first é 🙂",
        "formats": {
            "date_format": "dd/MM/yyyy",
            "time_format": "HH:mm",
            "time_zone": "UTC",
            "language": "de",
        },
        "password": "$argon2id$x",
        "disabled": True,
    }
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(LAYOUT_1)
        row = ("1", "anna", "anna@example.com", orjson.dumps(fields).decode())
        connection.execute("INSERT INTO members VALUES (?, ?, ?, ?)", row)


def schema(path: Path) -> list[tuple[str, ...]]:
    """Return how a file is laid out, and its version."""
    with closing(sqlite3.connect(path)) as connection:
        columns = connection.execute(
            'SELECT t.name, c.name, c.type, c."notnull", c.dflt_value FROM sqlite_schema t, '
            "pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY 1, 2"
        )
        return [*columns, *connection.execute("PRAGMA user_version")]


def test_a_file_with_the_first_layout_still_works(tmp_path: Path) -> None:
    path = tmp_path / "members.db"
    write_layout_1(path)
    with closing(SqliteMembers(path)) as members:
        (read,) = members.roster().members
        assert read == members.by_username("anna") == members.by_id("1") == ANNA
        members.change(read, Member("1", "Anne", "anna@example.com", "Boss"), members.roster())
        members.add(Member("2", "anna", "other@example.com", "Clerk"))
        with pytest.raises(Conflict):
            members.remove(read)
    SqliteMembers(tmp_path / "new.db").close()
    assert schema(path) == schema(tmp_path / "new.db")


def test_nothing_of_a_deleted_member_stays_in_the_file(tmp_path: Path) -> None:
    """SQLite would leave deleted rows in the free space of its pages."""
    path, address = tmp_path / "members.db", "203.0.113.77"
    entry = AuditEntry(
        least_id(1), 1, AuditKind.KEY_CREATED, "1", "1", address=address, detail={"name": "My laptop"}
    )
    personal = [
        each.encode() for each in (ANNA.username.casefold(), "anna@example.com", address, "My laptop")
    ]
    with closing(SqliteMembers(path)) as members:
        members.add(replace(ANNA, notes=None), audit=[entry])
        members.add(Member("2", "bert", "bert@example.org", "Boss"))
    assert all(each in path.read_bytes() for each in personal)
    with closing(SqliteMembers(path)) as members:
        stored = members.by_id("1")
        assert stored is not None
        members.remove(stored)
        for _step in SqliteAuditTrail(members.file).forget("1"):
            pass
    left = path.read_bytes()
    assert [each for each in personal if each in left] == []
    assert b"bert@example.org" in left


def test_only_a_new_file_asks_for_longer_passwords(tmp_path: Path) -> None:
    """An installation does not change by an upgrade."""
    write_layout_1(tmp_path / "earlier.db")
    for name, expected in {"earlier.db": 12, "new.db": 15}.items():
        for _start in range(2):
            with closing(SqliteMembers(tmp_path / name)) as members:
                assert members.shortest_password() == expected


LAYOUT_2 = (
    "ALTER TABLE members ADD COLUMN revision INTEGER NOT NULL DEFAULT 1",
    "CREATE TABLE roster (revision INTEGER NOT NULL) STRICT",
    "INSERT INTO roster VALUES (0)",
    "PRAGMA user_version = 2",
)
"""What the second version made of that."""


@pytest.mark.parametrize("reset", [None, {"hash": "ab" * 32, "until": 1_577_880_000_001}])
def test_a_file_with_the_second_layout_still_works(reset: dict[str, Any] | None, tmp_path: Path) -> None:
    path = tmp_path / "members.db"
    write_layout_1(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in LAYOUT_2:
            connection.execute(statement)
        (text,) = connection.execute("SELECT member FROM members").fetchone()
        fields = orjson.loads(text) | {"generation": 3, "reset": reset}
        connection.execute("UPDATE members SET member = ?", (orjson.dumps(fields).decode(),))
    link = MailedLink("ab" * 32, 1_577_880_000_001)
    with closing(SqliteMembers(path)) as members:
        read = members.by_email("ANNA@example.com")
        assert read == replace(ANNA, generation=3, reset=link if reset else None)
        waiting = replace(read, pending_email="anne@example.com", confirmation=link)
        members.change(read, waiting)
        assert members.by_id("1") == waiting
    SqliteMembers(tmp_path / "new.db").close()
    assert schema(path) == schema(tmp_path / "new.db")


LAYOUT_3 = ("PRAGMA user_version = 3",)
"""The third version added fields only."""


def test_a_file_with_the_third_layout_still_works(tmp_path: Path) -> None:
    path = tmp_path / "members.db"
    write_layout_1(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in (*LAYOUT_2, *LAYOUT_3):
            connection.execute(statement)
        connection.execute("UPDATE members SET revision = 5")
        connection.execute("UPDATE roster SET revision = 3")
    with closing(SqliteMembers(path)) as members:
        read = members.by_email("ANNA@example.com")
        assert read == ANNA
        assert (read.revision, members.roster().revision) == (5, 3)
        link = ProviderLink("https://id.example", "1", "entra", 1)
        members.change(read, replace(read, links=(link,), sessions=(Session("s", 1, 2, "password"),)))
        assert members.by_link("https://id.example", "1") == members.by_id("1")
        members.add(Member("2", "nightly", "", "Boss", kind=MemberKind.PROGRAM))
    SqliteMembers(tmp_path / "new.db").close()
    assert schema(path) == schema(tmp_path / "new.db")


def test_a_person_without_anything_new_is_stored_as_before(tmp_path: Path) -> None:
    """So a change of the layout is all that keeps earlier versions from reading the file."""
    with closing(SqliteMembers(tmp_path / "members.db")) as members:
        members.add(ANNA)
    with closing(sqlite3.connect(tmp_path / "members.db")) as connection:
        (text,) = connection.execute("SELECT member FROM members").fetchone()
    assert not orjson.loads(text).keys() & {"kind", "sessions", "keys", "links", "codes", "earlier_resets"}


def test_a_failed_upgrade_leaves_the_file_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "members.db"
    write_layout_1(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE roster (in_the_way)")
    before = schema(path)
    with pytest.raises(UnusableStore):
        SqliteMembers(path)
    assert schema(path) == before


def test_a_file_with_a_later_layout_is_refused_and_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "members.db"
    SqliteMembers(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 5")
    before = path.read_bytes()
    refusal = r"has layout 5, but this version of Stratabase supports layout 4\."
    with pytest.raises(UnusableStore, match=refusal):
        SqliteMembers(path)
    assert path.read_bytes() == before


def test_added_members_survive_reopening_the_store(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "members.db"
    with closing(SqliteMembers(path)) as first:
        first.add(ANNA)
    with closing(SqliteMembers(path)) as second:
        assert second.by_username("anna") == ANNA


def test_only_the_owner_may_read_the_file(tmp_path: Path) -> None:
    with closing(SqliteMembers(tmp_path / "members.db")) as store:
        store.add(ANNA)
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"members.db": 0o600, "members.db-shm": 0o600, "members.db-wal": 0o600}


def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    with closing(SqliteMembers(tmp_path / "members.db")) as store:
        modes = [
            store.file._writing._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous")
        ]
    assert modes == ["wal", 2]


def test_a_file_that_stays_locked_is_unavailable_to_writers_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(member_file, "BUSY_TIMEOUT", 0.01)
    with (
        closing(SqliteMembers(tmp_path / "members.db")) as store,
        closing(sqlite3.connect(tmp_path / "members.db")) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match=r"^The store is busy. Try again\.$"):
            store.add(ANNA)
        assert store.any() is False
        other.rollback()
        store.add(ANNA)
        assert store.any() is True


def test_a_file_that_is_not_a_database_is_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "members.db").write_bytes(b"not a database, but long enough to look at" * 100)
    with pytest.raises(UnusableStore, match="Restore a backup"):
        SqliteMembers(tmp_path / "members.db")


def test_an_objects_file_is_refused_as_a_members_file(tmp_path: Path) -> None:
    SqliteEngine(tmp_path / "objects.db").close()
    with pytest.raises(UnusableStore, match="is a database of another program or kind"):
        SqliteMembers(tmp_path / "objects.db")


def test_calls_after_close_are_refused(tmp_path: Path) -> None:
    store = SqliteMembers(tmp_path / "members.db")
    store.close()
    for call in (store.any, store.roster, lambda: store.by_id("1"), lambda: store.add(ANNA)):
        with pytest.raises(Unavailable):
            call()


@pytest.mark.parametrize("old", [False, True])
def test_processes_that_open_a_file_concurrently_share_it(old: bool, tmp_path: Path) -> None:
    """This holds for a new file and for one that must be upgraded."""
    path = tmp_path / "members.db"
    if old:
        write_layout_1(path)
    outcomes = in_processes(_add_admin, *((path, number) for number in range(4)))
    assert sorted(outcomes) == ["added", "taken", "taken", "taken"]
    with closing(SqliteMembers(path)) as members:
        assert len(members.roster().members) == 1 + old


def _add_admin(wait: Callable[[], object], path: Path, number: int) -> str:
    wait()
    with closing(SqliteMembers(path)) as store:
        try:
            store.add(Member(f"new{number}", "admin", f"{number}@example.com", "Boss"))
        except NamesTaken:
            return "taken"
    return "added"
