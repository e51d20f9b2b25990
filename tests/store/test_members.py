"""What every store of members promises."""

import multiprocessing
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stratabase.domain.change import Conflict
from stratabase.domain.member import Member
from stratabase.domain.refusal import Unavailable
from stratabase.model.formats import Formats
from stratabase.store.sqlite import members as sqlite_members
from stratabase.store.sqlite.engine import SqliteEngine
from stratabase.store.sqlite.fault import UnusableStore
from stratabase.store.sqlite.members import SqliteMembers

ANNA = Member(
    id="1",
    username="Anna",
    email="Anna@Example.com",
    profile="Administrator",
    notes="first é 🙂",
    formats=Formats("dd.MM.yyyy", "HH:mm:ss", "Europe/Berlin", "de"),
    password="$argon2id$x",
    disabled=True,
)

ADAPTERS: dict[str, Callable[[Path], SqliteMembers]] = {
    "sqlite": lambda folder: SqliteMembers(folder / "deep" / "members.db")
}


@pytest.fixture(params=ADAPTERS)
def members(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteMembers]:
    store = ADAPTERS[request.param](tmp_path)
    yield store
    store.close()


def test_at_first_there_is_nobody(members: SqliteMembers) -> None:
    assert members.any() is False
    assert members.by_username("Anna") is None


def test_a_member_comes_back_as_it_was_added(members: SqliteMembers) -> None:
    members.add(ANNA)
    assert members.any() is True
    assert members.by_username("Anna") == ANNA


def test_a_member_with_the_least_comes_back(members: SqliteMembers) -> None:
    least = Member("2", "bert", "b@example.com", "Clerk")
    members.add(least)
    assert members.by_username("bert") == least


@pytest.mark.parametrize(
    ("added", "asked"),
    [("Anna", "ANNA"), ("Straße", "STRASSE"), ("é", "e\u0301"), ("E\u0301", "é"), ("ΣΊΣΥΦΟΣ", "σίσυφος")],
)
def test_names_compare_without_case_and_spelling(added: str, asked: str, members: SqliteMembers) -> None:
    members.add(Member("1", added, "a@example.com", "Clerk"))
    found = members.by_username(asked)
    assert found is not None
    assert found.username == added


@pytest.mark.parametrize("asked", ["Ann", "Annab", "", "Anna%", "\x00", "' OR 1=1 --"])
def test_other_names_find_nobody(asked: str, members: SqliteMembers) -> None:
    members.add(ANNA)
    assert members.by_username(asked) is None


@pytest.mark.parametrize(
    "second",
    [
        Member("1", "bert", "b@example.com", "Clerk"),
        Member("2", "aNNA", "b@example.com", "Clerk"),
        Member("2", "bert", "aNNA@eXAMPLE.com", "Clerk"),
    ],
)
def test_ids_names_and_addresses_are_unique(second: Member, members: SqliteMembers) -> None:
    members.add(ANNA)
    with pytest.raises(Conflict):
        members.add(second)
    assert members.by_username("bert") is None
    assert members.by_username("anna") == ANNA


def test_of_many_that_add_the_same_name_at_once_one_does(members: SqliteMembers) -> None:
    added: list[str] = []

    def add(number: int) -> None:
        try:
            members.add(Member(str(number), "admin", f"{number}@example.com", "Clerk"))
            added.append(str(number))
        except Conflict:
            pass

    threads = [threading.Thread(target=add, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = members.by_username("admin")
    assert found is not None
    assert added == [found.id]


def test_what_was_added_outlives_the_store(tmp_path: Path) -> None:
    path = tmp_path / "members.db"
    first = SqliteMembers(path)
    first.add(ANNA)
    first.close()
    second = SqliteMembers(path)
    assert second.by_username("anna") == ANNA
    second.close()


def test_only_the_owner_may_read_the_file(tmp_path: Path) -> None:
    store = SqliteMembers(tmp_path / "members.db")
    store.add(ANNA)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    store.close()
    assert modes == {"members.db": 0o600, "members.db-shm": 0o600, "members.db-wal": 0o600}


def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    store = SqliteMembers(tmp_path / "members.db")
    modes = [
        store._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")
    ]
    store.close()
    assert modes == ["wal", 2]


def test_a_file_that_stays_locked_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_members, "PATIENCE", 0.01)
    store = SqliteMembers(tmp_path / "members.db")
    other = sqlite3.connect(tmp_path / "members.db")
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable):
        store.add(ANNA)
    other.close()
    store.add(ANNA)
    store.close()


def test_what_is_no_database_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "members.db").write_bytes(b"not a database, but long enough to look at" * 100)
    with pytest.raises(UnusableStore, match="Put a backup in its place"):
        SqliteMembers(tmp_path / "members.db")


def test_a_file_of_objects_is_not_taken_for_one_of_members(tmp_path: Path) -> None:
    SqliteEngine(tmp_path / "objects.db").close()
    with pytest.raises(UnusableStore, match="is a database of another program or kind"):
        SqliteMembers(tmp_path / "objects.db")


def test_processes_that_open_a_new_file_at_once_share_it(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(4)
    results = context.Queue()
    path = str(tmp_path / "members.db")
    processes = [context.Process(target=_add_admin, args=(path, n, start, results)) for n in range(4)]
    for process in processes:
        process.start()
    outcomes = sorted(results.get(timeout=60) for _ in processes)
    for process in processes:
        process.join()
    assert outcomes == ["added", "conflict", "conflict", "conflict"]


def _add_admin(
    path: str, number: int, start: threading.Barrier, results: "multiprocessing.Queue[str]"
) -> None:
    start.wait()
    store = SqliteMembers(Path(path))
    try:
        store.add(Member(str(number), "admin", f"{number}@example.com", "Boss"))
        results.put("added")
    except Conflict:
        results.put("conflict")
    store.close()
