"""A process that answers each line of its input by a process of its own, which may be killed meanwhile.

Each line is JSON: a path, the name of what to run, and the number of the step before which it is killed.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.repository import ROOT


class ForkingProcess:
    """Runs a module that calls `answer_lines`."""

    def __init__(self, module: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module], cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def answer(self, path: Path, name: str, last: int) -> Any:
        """Send a line, and return the answer."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([str(path), name, last]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        """End the process."""
        self._process.communicate()
        assert self._process.returncode == 0


def answer_lines(answer: Callable[[Path, str, int], object]) -> None:
    """Print the answer to each line of the input."""
    for line in sys.stdin:
        path, name, last = json.loads(line)
        print(json.dumps(answer(Path(path), name, last)), flush=True)  # noqa: T201 - how processes talk here


def output_of_fork(work: Callable[[int], None]) -> tuple[bytes, int]:
    """Run a function in a new process. Return what it writes to the descriptor it gets, and its exit code."""
    hears, tells = os.pipe()
    pid = os.fork()
    if pid == 0:
        work(tells)
        os._exit(0)
    os.close(tells)
    with os.fdopen(hears, "rb") as pipe:
        output = pipe.read()
    _, status = os.waitpid(pid, 0)
    return output, os.waitstatus_to_exitcode(status)
