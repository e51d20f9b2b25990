"""A process killed at any SQL statement leaves the old graph or the new one."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.core.store.engine_items import Items, all_items, object_items
from tests.forked_process import ForkingProcess
from tests.graphs.company import COMPANY
from tests.graphs.company_engines import original
from tests.graphs.stored_company import company_items
from tests.graphs.write_cases import LARGE, WRITE_CASES
from tests.rows import each_row
from tests.soak import count, seed

NEVER = -1
"""No statement has this number."""


class ProcessOutcome(NamedTuple):
    """What a process completed, and the content of its file after reopening and a sweep."""

    statements: int
    heard: bool
    left: Items


class ProcessKiller:
    """Runs processes on copies of a file, and kills them."""

    def __init__(self, folder: Path) -> None:
        self._original = original(folder)
        self._path = folder / "store.db"
        self._process = ForkingProcess("tests.core.operations.write.killed_process")

    def life(self, name: str, last: int) -> ProcessOutcome:
        """Return the outcome of a command whose process is killed before a statement."""
        for path in self._path.parent.glob(f"{self._path.name}*"):
            path.unlink()
        shutil.copyfile(self._original, self._path)
        statements, heard = self._process.answer(self._path, name, last)
        return ProcessOutcome(statements, heard, self._left())

    def _left(self) -> Items:
        engine = SqliteEngine(self._path)
        Repository(engine, COMPANY).sweep()
        items = object_items(all_items(engine))
        engine.close()
        return items

    def end(self) -> None:
        """End the process."""
        self._process.end()


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProcessKiller]:
    killer = ProcessKiller(tmp_path_factory.mktemp("killed"))
    yield killer
    killer.end()


@pytest.mark.soak
@each_row("name", Random(seed()).sample([*WRITE_CASES], count(8, len(WRITE_CASES))))
def test_a_killed_process_leaves_the_old_or_the_new_graph(killer: ProcessKiller, name: str) -> None:
    """The old one up to some statement, and from there on the new one; a client that heard of it finds it."""
    whole = killer.life(name, NEVER)
    assert whole.heard == (whole.left != object_items(company_items()))
    every = count(1000, 5) if name == LARGE else count(16, 1)
    lives = [killer.life(name, last) for last in range(seed() % every, whole.statements, every)]
    assert {life.heard for life in lives} <= {False}
    are_new = [life.left == whole.left for life in lives]
    old = [life.left for life, is_new in zip(lives, are_new, strict=True) if not is_new]
    assert [left == object_items(company_items()) for left in old] == [True] * len(old)
    assert are_new == sorted(are_new)
