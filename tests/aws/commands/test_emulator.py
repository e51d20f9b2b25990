"""`make run STORE=dynamodb`: a signal to any process ends the whole process tree."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.repository import ROOT
from tests.service import eventually, free_port

pytestmark = pytest.mark.built

DEADLINE = 60
COMMAND = [
    *("make", f"VENV={sys.prefix}", "run", "STORE=dynamodb"),
    # Whether the packages are up to date is no matter of this test.
    *("-o", f"{sys.prefix}/.run", "-o", ".venv-ministack/.done"),
]


class Process(NamedTuple):
    """A process as `ps` shows it."""

    parent: int
    state: str
    command: str


class ProcessTree:
    """The processes of make, the emulator, the service and its worker."""

    def __init__(self, port: int, make: "subprocess.Popen[str]") -> None:
        self.port = port
        self.make = make
        self.pids: dict[str, int] = {"make": make.pid}
        self._commands: dict[int, str] = {}

    def find(self) -> None:
        """Find the processes, all of which must run."""
        running = processes()
        self._find(running, "wrapper", "make", "stratabase_aws.commands.emulator")
        self._find(running, "emulator", "wrapper", "-m uvicorn ministack.app:app")
        self._find(running, "serve", "wrapper", "stratabase serve")
        self._find(running, "worker", "serve", "stratabase.server.process.worker")
        self._commands = {pid: running[pid].command for pid in self.pids.values()}

    def _find(self, running: Mapping[int, Process], name: str, parent: str, command: str) -> None:
        (self.pids[name],) = (
            pid
            for pid, each in running.items()
            if each.parent == self.pids[parent] and command in each.command
        )

    def living(self) -> list[str]:
        """Return the processes that still run. Another process may have reused an id."""
        running = processes()
        return [
            name
            for name, pid in self.pids.items()
            if pid in running and running[pid].command == self._commands.get(pid)
        ]

    def answers(self) -> bool:
        """Return whether the service accepts connections."""
        try:
            socket.create_connection(("127.0.0.1", self.port), DEADLINE).close()
        except OSError:
            return False
        return True


def processes() -> dict[int, Process]:
    """Return all processes by id, except for zombies."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True
    )
    rows = (line.split(None, 3) for line in listed.stdout.splitlines())
    return {
        int(pid): Process(int(parent), state, command)
        for pid, parent, state, command in rows
        if state[0] != "Z"
    }


@contextmanager
def tree(home: Path) -> Iterator[ProcessTree]:
    """Run the process tree until the test ends."""
    port = free_port()
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    with subprocess.Popen(
        COMMAND,
        cwd=ROOT,
        env={**surroundings, "PORT": str(port), "STRATABASE_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as make:
        running = ProcessTree(port, make)
        try:
            assert make.stdout is not None
            printed = next((line for line in make.stdout if re.search(r"curl -u", line)), None)
            assert printed, "it ended before it served"
            running.find()
            yield running
        finally:
            for name in running.living():
                os.kill(running.pids[name], signal.SIGKILL)


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize(
    ("result", "number", "code"),
    [
        ("make", signal.SIGTERM, -signal.SIGTERM),
        *(
            pytest.param("wrapper", number, 0, marks=pytest.mark.thorough)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        ),
        ("emulator", signal.SIGTERM, 2),
        *(
            pytest.param(process, signal.SIGTERM, 0, marks=pytest.mark.thorough)
            for process in ("serve", "worker")
        ),
        pytest.param(
            *("wrapper", signal.SIGKILL, 2),
            marks=pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells its children"),
        ),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_a_signal_to_one_process_ends_the_whole_process_tree(
    tmp_path: Path, result: str, number: signal.Signals, code: int
) -> None:
    with tree(tmp_path) as running:
        assert running.answers()

        os.kill(running.pids[result], number)

        assert running.make.wait(DEADLINE) == code
        eventually(lambda: running.living() == [])
        assert not running.answers()
