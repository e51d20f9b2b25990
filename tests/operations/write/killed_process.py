"""Starts processes that execute a command and are killed meanwhile.

Run as `python -m tests.operations.write.killed_process`.

Each line of the input is JSON: a path, the name of a command, and a number. For each line, a new process runs
the command on the company in that file. It is killed before the SQL statement with that number, from 0. The
output says how many statements had begun, and whether the process reported the command's end.
"""

import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from stratabase.domain.issues.refusals import Refused
from stratabase.store.sqlite.engine import SqliteEngine
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
    hears, tells = os.pipe()
    pid = os.fork()
    if pid == 0:
        live(path, name, last, tells)
        os._exit(0)
    os.close(tells)
    with os.fdopen(hears, "rb") as pipe:
        result = pipe.read()
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) in {0, -signal.SIGKILL}
    return result.count(BEGUN), HEARD in result


def main() -> None:
    """Run a process for each line of the input."""
    for line in sys.stdin:
        path, name, last = json.loads(line)
        print(json.dumps(lived(Path(path), name, last)), flush=True)  # noqa: T201 - how processes talk here


if __name__ == "__main__":
    main()
