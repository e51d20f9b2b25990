"""Starts processes that execute an operation on files and are killed meanwhile.

Run as `python -m tests.core.operations.files.killed_process`.

Each line of the input is JSON: a folder, the name of an operation, and a number. For each line, a new process
prepares a service in that folder, writes what it has prepared to `prepared.json`, and runs the operation. It
is killed before the call of the stores with that number, from 0. The output is the number of calls, or 0 if
the process was killed.
"""

import json
import os
import signal
from pathlib import Path
from typing import NoReturn

from stratabase.core.files.folder import FolderBlobs
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.core.operations.files.interrupted_operations import OPERATIONS, Prepared
from tests.core.operations.files.interrupted_stores import Calls, Interruption, OpenStores
from tests.forked_process import answer_lines, output_of_fork

BEGUN = b"."


def _kill() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def open_stores(folder: Path) -> OpenStores:
    """Open the stores in a folder."""
    return OpenStores(SqliteEngine(folder / "store.db"), FolderBlobs(folder / "files"))


def live(folder: Path, name: str, last: int, result: int) -> None:
    """Prepare a service and run an operation. Report how many calls begin."""
    (operation,) = (each for each in OPERATIONS if each.__name__ == name)
    prepared = Prepared(open_stores(folder), Calls(_kill))
    content = {file_id: data.decode() for file_id, data in prepared.scenario.contents.items()}
    versioned = [list(reference) for reference in prepared.versioned]
    (folder / "prepared.json").write_text(json.dumps([content, versioned]), "utf-8")
    before = prepared.calls.number
    prepared.calls.interrupt(last, Interruption.STOP)
    operation(prepared)
    os.write(result, BEGUN * (prepared.calls.number - before))


def lived(folder: Path, name: str, last: int) -> int:
    """Return how many calls a process has made, 0 if it was killed."""
    result, exit_code = output_of_fork(lambda tells: live(folder, name, last, tells))
    assert exit_code == (0 if result else -signal.SIGKILL)
    return len(result)


if __name__ == "__main__":
    answer_lines(lived)
