"""A file with an earlier layout is upgraded step by step when it is opened."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from stratabase.core.store.sqlite.file import Layout, open_for_writing
from stratabase.core.unusable_store import UnusableStore

FIRST = Layout(b"Test", 1, ("CREATE TABLE things (a)", "INSERT INTO things VALUES (1)"))
STEPS = {1: ("ALTER TABLE things ADD COLUMN b",), 2: ("UPDATE things SET b = a + 1",)}
THIRD = Layout(b"Test", 3, ("CREATE TABLE things (a, b)",), STEPS)


def content(path: Path) -> list[tuple[int, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return [*connection.execute("SELECT * FROM things"), *connection.execute("PRAGMA user_version")]


def test_every_upgrade_step_runs_once(tmp_path: Path) -> None:
    path = tmp_path / "things.db"
    open_for_writing(path, 0, FIRST).close()
    for _ in range(2):
        open_for_writing(path, 0, THIRD).close()
        assert content(path) == [(1, 2), (3,)]


def test_a_new_file_needs_no_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "things.db"
    open_for_writing(path, 0, THIRD).close()
    assert content(path) == [(3,)]


def test_a_layout_without_an_upgrade_step_is_refused_and_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "things.db"
    open_for_writing(path, 0, FIRST).close()
    for later in (Layout(b"Test", 2, ()), Layout(b"Test", 3, (), {2: STEPS[2]})):
        with pytest.raises(
            UnusableStore, match="has layout 1, but this version of Stratabase supports layout"
        ):
            open_for_writing(path, 0, later)
    assert content(path) == [(1,), (1,)]
