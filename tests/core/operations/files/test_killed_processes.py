"""A process killed at any call leaves no object without bytes, and no bytes that stay after the sweep."""

import json
from collections.abc import Iterator
from contextlib import closing
from itertools import count as numbers
from pathlib import Path
from random import Random

import pytest

from stratabase.core.domain.objects.entity import Reference
from tests.core.operations.files.file_scenario import FileScenario
from tests.core.operations.files.interrupted_operations import OPERATIONS
from tests.core.operations.files.killed_process import open_stores
from tests.core.operations.files.stored_files import check_no_bytes_are_missing, check_nothing_is_left
from tests.forked_process import ForkingProcess
from tests.rows import each_row
from tests.soak import count, seed

EVERY = count(6, 1)
"""How many calls are between two at which a process is killed."""
NEVER = -1
"""No call has this number."""


class ProcessKiller:
    """Runs processes on folders, and kills them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = numbers(1)
        self._process = ForkingProcess("tests.core.operations.files.killed_process")

    def life(self, name: str, last: int) -> int:
        """Check what a process leaves that is killed before a call. Return the number of calls it made."""
        folder = self._folder / str(next(self._numbers))
        folder.mkdir()
        calls: int = self._process.answer(folder, name, last)
        _check(folder)
        return calls

    def end(self) -> None:
        """End the process."""
        self._process.end()


def _check(folder: Path) -> None:
    content, versioned = json.loads((folder / "prepared.json").read_text("utf-8"))
    references = [Reference(*each) for each in versioned]
    engine, blobs = open_stores(folder)
    with closing(engine), closing(blobs):  # type: ignore[type-var]
        scenario = FileScenario(engine, blobs)
        scenario.contents = {file_id: text.encode() for file_id, text in content.items()}
        check_no_bytes_are_missing(scenario, references)
        check_nothing_is_left(scenario, references)


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProcessKiller]:
    killer = ProcessKiller(tmp_path_factory.mktemp("killed"))
    yield killer
    killer.end()


@pytest.mark.soak
@each_row("name", Random(seed()).sample([each.__name__ for each in OPERATIONS], count(4, len(OPERATIONS))))
def test_a_killed_process_loses_nothing_and_leaves_nothing(killer: ProcessKiller, name: str) -> None:
    calls = killer.life(name, NEVER)
    assert calls > 0
    for last in range(seed() % min(EVERY, calls), calls, EVERY):
        assert killer.life(name, last) == 0
