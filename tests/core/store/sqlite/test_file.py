"""The SQLite file: private, durable, and opened only if its layout is known."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from stratabase.core.domain.issues.refusals import StoreOutOfService, Unavailable
from stratabase.core.store.engine.port import ITEMS, NOT_EXISTS, Batch, Item, Key, Put
from stratabase.core.store.sqlite import file
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.unusable_store import UnusableStore
from tests.contract.engine.engine_calls import HERE, commit, find_item, put, run_concurrently


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def altered(path: Path, statement: str) -> None:
    """Change the file without the engine."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def refusal(path: Path) -> str:
    """Return the text with which the engine refuses a file."""
    with pytest.raises(UnusableStore) as refused:
        SqliteEngine(path, busy_timeout=0)
    return str(refused.value)


def test_only_the_owner_may_read_the_file(engine: SqliteEngine, path: Path) -> None:
    commit(engine, Put(Item(HERE)))
    assert mode(path.parent) == 0o700
    assert {each.name: mode(each) for each in path.parent.iterdir()} == dict.fromkeys(
        ["store.db", "store.db-wal", "store.db-shm"], 0o600
    )


def test_an_existing_folder_keeps_its_permissions(path: Path) -> None:
    path.parent.mkdir(mode=0o755)
    SqliteEngine(path).close()
    assert mode(path.parent) == 0o755


def test_committed_data_survives_reopening(path: Path) -> None:
    item = Item(HERE, {"n": 1}, "{}")
    with closing(SqliteEngine(path)) as engine:
        commit(engine, Put(item))
    with closing(SqliteEngine(path)) as engine:
        assert find_item(engine) == item


def test_a_path_may_have_any_characters(tmp_path: Path) -> None:
    path = tmp_path / "a b%20?mode=ro#ü" / "store.db"
    with closing(SqliteEngine(path)) as engine:
        commit(engine, Put(Item(HERE)))
        assert find_item(engine)
    assert [each.name for each in path.parent.iterdir()] == ["store.db"]


def test_closing_leaves_one_complete_file(path: Path) -> None:
    engine = SqliteEngine(path)
    commit(engine, Put(Item(HERE)))
    engine.close()
    assert [each.name for each in path.parent.iterdir()] == ["store.db"]


def test_closing_checkpoints_the_log_even_if_others_have_the_file_open(path: Path) -> None:
    with closing(SqliteEngine(path)) as other:
        assert find_item(other) is None
        engine = SqliteEngine(path)
        commit(engine, Put(Item(HERE)))
        engine.close()
        assert path.with_name("store.db-wal").stat().st_size == 0
        assert find_item(other) == Item(HERE)


def test_closing_twice_is_allowed(path: Path) -> None:
    engine = SqliteEngine(path)
    engine.close()
    engine.close()


@pytest.mark.parametrize(
    "call",
    [
        lambda engine: engine.get([HERE]),
        lambda engine: list(engine.range(ITEMS, "p")),
        lambda engine: engine.commit(Batch("late", ())),
    ],
    ids=["get", "range", "commit"],
)
@pytest.mark.parametrize("used", [False, True])
def test_calls_after_close_are_refused(
    path: Path, call: Callable[[SqliteEngine], object], used: bool
) -> None:
    engine = SqliteEngine(path)
    if used:
        call(engine)
    engine.close()
    with pytest.raises(Unavailable, match="The store is closed"):
        call(engine)


def test_every_commit_is_flushed_to_disk(engine: SqliteEngine) -> None:
    writing = engine._writer._connection
    assert writing.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
    assert writing.execute("PRAGMA synchronous").fetchall() == [(2,)], "2 is FULL"


def test_readers_cannot_write(engine: SqliteEngine) -> None:
    with pytest.raises(Unavailable):
        engine._readers.read(lambda connection: connection.execute("DELETE FROM items"))


def test_a_new_file_may_be_opened_concurrently(path: Path) -> None:
    for number in range(5):
        new = path.with_name(f"{number}.db")
        engines = run_concurrently(*[partial(SqliteEngine, new)] * 6)
        run_concurrently(
            *(
                partial(commit, each, Put(Item(Key("p", str(n))), NOT_EXISTS))
                for n, each in enumerate(engines)
            )
        )
        for each in engines:
            assert all(each.get([Key("p", str(n)) for n in range(6)]))
            each.close()


def test_opening_a_file_again_keeps_the_locks_of_the_process(engine: SqliteEngine, path: Path) -> None:
    commit(engine, Put(Item(HERE, {"n": 1})))
    log = path.with_name("store.db-wal").stat().st_ino

    SqliteEngine(path).close()
    other = f"from stratabase.core.store.sqlite.engine import *; SqliteEngine(Path({str(path)!r})).close()"
    subprocess.run([sys.executable, "-c", other], check=True)

    assert path.with_name("store.db-wal").stat().st_ino == log, "another process removed the log in use"
    commit(engine, Put(Item(HERE, {"n": 2})))
    with closing(sqlite3.connect(path)) as reading:
        assert reading.execute("SELECT count(*) FROM items").fetchone() == (1,)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write to any file")
def test_a_file_that_is_only_readable_is_refused(path: Path) -> None:
    SqliteEngine(path).close()
    path.chmod(0o400)
    assert f"{path} cannot be opened: Permission denied. Use a file that you can write to." in refusal(path)


def test_a_newer_layout_is_refused_and_unchanged(path: Path) -> None:
    SqliteEngine(path).close()
    altered(path, f"PRAGMA user_version = {file.OBJECT_LAYOUT.version + 1}")
    before = path.read_bytes()
    text = refusal(path)
    assert f"{path} has layout 2, but this version of Stratabase supports layout 1. Use the version" in text
    assert path.read_bytes() == before


def test_another_program_s_database_is_refused_and_unchanged(path: Path) -> None:
    path.parent.mkdir()
    altered(path, "CREATE TABLE theirs (x)")
    before = path.read_bytes()
    assert f"{path} is a database of another program or kind. Use another file" in refusal(path)
    assert path.read_bytes() == before


def test_a_file_that_is_not_a_database_is_refused_and_unchanged(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("Dear diary, " * 1000)
    text = refusal(path)
    assert f"{path} is damaged or not a Stratabase database" in text
    assert "Restore a backup" in text
    assert path.read_text() == "Dear diary, " * 1000


def test_damage_found_later_is_reported(path: Path) -> None:
    with closing(SqliteEngine(path)) as engine:
        put(engine, [Item(Key("p", f"{n:04}"), state="x" * 500) for n in range(300)])
    content = path.read_bytes()
    path.write_bytes(content[:65536] + b"\xff" * (len(content) - 65536))
    with closing(SqliteEngine(path)) as engine:
        with pytest.raises(StoreOutOfService, match="is damaged"):
            list(engine.range(ITEMS, "p"))
        with pytest.raises(StoreOutOfService, match="is damaged"):
            put(engine, [Item(Key("p", f"{n:04}"), state="y") for n in range(300)])


def test_a_folder_in_place_of_the_file_is_refused(path: Path) -> None:
    path.mkdir(parents=True)
    assert f"{path} cannot be opened: Is a directory. Use a file that you can write to." in refusal(path)


def test_a_path_that_cannot_be_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "Use a file that you can write to." in refusal(tmp_path / "file" / "store.db")


def test_a_file_locked_permanently_by_another_is_refused(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert "cannot be opened (database is locked). Check whether another program uses it" in refusal(path)


def test_an_old_sqlite_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.36.0")
    assert "This Python has SQLite 3.36.0, but Stratabase requires 3.37.0 or later. Use a Python" in refusal(
        path
    )
    assert not path.exists()


def test_a_disk_that_does_not_support_wal_is_refused(path: Path) -> None:
    with (
        closing(sqlite3.connect(":memory:")) as connection,
        pytest.raises(UnusableStore, match="Use a local disk"),
    ):
        file._write_ahead(path, connection)


def test_a_removed_file_is_not_recreated_empty(path: Path) -> None:
    engine = SqliteEngine(path)
    for each in path.parent.iterdir():
        each.unlink()
    with pytest.raises(Unavailable):
        engine.get([HERE])
    engine.close()
    assert not path.exists()
