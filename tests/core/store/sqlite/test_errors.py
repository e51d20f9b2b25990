"""Errors of SQLite become exceptions that say whether a retry can help."""

import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from stratabase.core.domain.issues.refusals import StoreFull, StoreOutOfService, Unavailable
from stratabase.core.store.sqlite.errors import map_sqlite_error
from stratabase.core.store.sqlite.snapshot import copy_database


def _error_of_a_full_file(path: Path) -> sqlite3.Error:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (x)")
    connection.execute("PRAGMA max_page_count = 2")
    with pytest.raises(sqlite3.Error) as raised:
        connection.execute("INSERT INTO t VALUES (zeroblob(1000000))")
    connection.close()
    return raised.value


def test_a_full_file_is_not_just_unavailable(tmp_path: Path) -> None:
    error = map_sqlite_error(tmp_path / "a.db", _error_of_a_full_file(tmp_path / "a.db"))
    assert isinstance(error, StoreFull)
    assert str(error).startswith(f"{tmp_path / 'a.db'}: database or disk is full.")


def test_a_damaged_file_is_for_the_operator_and_clients_get_no_path(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"no database" * 1_000)
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.DatabaseError) as raised:
        connection.execute("SELECT * FROM sqlite_schema")

    error = map_sqlite_error(path, raised.value)

    assert isinstance(error, StoreOutOfService)
    assert str(error).startswith(f"{path} is damaged or not a Stratabase database (file is not a database)")
    assert str(error.message) == "The store is temporarily unavailable. Try again later."
    assert error.__cause__ is raised.value


@pytest.mark.parametrize(("free", "expected"), [(0, StoreFull), (10**9, Unavailable)])
def test_an_error_of_input_and_output_on_a_full_disk_means_that_it_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, expected: type[Exception]
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    assert type(map_sqlite_error(tmp_path / "a.db", error)) is expected


def test_a_copy_names_its_target_if_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = _error_of_a_full_file(tmp_path / "full.db")
    sqlite3.connect(tmp_path / "a.db").close()

    class Source:
        def backup(self, _target: sqlite3.Connection) -> None:
            raise full

        def close(self) -> None:
            pass

    monkeypatch.setattr("stratabase.core.store.sqlite.snapshot.open_for_reading", lambda *_: Source())
    with pytest.raises(StoreFull) as raised:
        copy_database(tmp_path / "a.db", tmp_path / "b.db", 1)
    assert raised.value.place == str(tmp_path / "b.db")
