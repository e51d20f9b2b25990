"""Starts processes that execute a command and are killed meanwhile.

Run as `python -m tests.core.operations.write.killed_process`.

Each line of the input is JSON: a path, the name of a command, and a number. For each line, a new process runs
the command on the company in that file. It is killed before the SQL statement with that number, from 0. The
output says how many statements had begun, and whether the process reported the command's end.
"""

import os
import signal
import sqlite3
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.forked_process import answer_lines, output_of_fork
from tests.graphs.commands import do
from tests.graphs.company import COMPANY
from tests.graphs.stored_company import services_over
from tests.graphs.write_cases import WRITE_CASES

BEGUN, HEARD = b".", b"!"


def watch(begun: Callable[[], None]) -> None:
    """Call a function at the start of each statement of all later connections, in any thread."""
    connect = sqlite3.connect

    def watched(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(lambda _: begun())
        return connection

    sqlite3.connect = watched  # type: ignore[assignment]


def live(path: Path, name: str, last: int, result: int) -> None:
    """Run a command, and report each statement and the end. Be killed before the statement with a number."""
    numbers = count()

    def begun() -> None:
        if next(numbers) == last:
            os.kill(os.getpid(), signal.SIGKILL)
        os.write(result, BEGUN)

    watch(begun)
    try:
        do(services_over(SqliteEngine(path), COMPANY), WRITE_CASES[name])
    except Refused:
        return
    os.write(result, HEARD)


def lived(path: Path, name: str, last: int) -> tuple[int, bool]:
    """Return how many statements a process began, and whether it reported the end of the command."""
    result, exit_code = output_of_fork(lambda tells: live(path, name, last, tells))
    assert exit_code in {0, -signal.SIGKILL}
    return result.count(BEGUN), HEARD in result


if __name__ == "__main__":
    answer_lines(lived)
