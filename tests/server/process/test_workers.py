"""`stratabase serve --workers`: several processes serve one version, and end and reload together."""

import os
import pty
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.cli.terminal import DEADLINE, Project, Terminal, run, serving
from tests.service import eventually


@pytest.fixture
def terminal(project: Project) -> Iterator[Terminal]:
    """A service of two workers that does not watch files."""
    yield from serving(project, "--workers", "2", "--no-reload")


IN_A_TERMINAL = """
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGHUP, signal.SIG_DFL)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-P", "-m", "stratabase.cli", "serve"])
"""


def children(terminal: Terminal) -> set[int]:
    """Return the process ids of the workers."""
    return {
        int(pid) for pid in Path(f"/proc/{terminal.pid}/task/{terminal.pid}/children").read_text().split()
    }


def models(terminal: Terminal, number: int = 20) -> set[str]:
    """Return the models with which the workers answer."""
    with ThreadPoolExecutor(number) as threads:
        return {answer.split(maxsplit=2)[2] for answer in threads.map(terminal.get, ["/"] * number)}


def read_until(terminal: int, expected: bytes) -> None:
    """Read from a terminal until it has printed a text."""
    printed = b""
    while expected not in printed:
        assert select.select([terminal], [], [], DEADLINE)[0], printed
        printed += os.read(terminal, 1000)


def _has_ended(state: Path) -> bool:
    """Return whether a process has ended, by its file `stat`. Its parent has not noticed yet."""
    return state.read_text().split()[2] == "Z"


@contextmanager
def blocked(terminal: Terminal, project: Project) -> Iterator[None]:
    """Block one of the workers."""
    os.mkfifo(project.folder / "gate")
    connection = terminal.connection()
    connection.request("GET", "/blocked")
    with (project.folder / "gate").open("w"):  # opens when the endpoint reads
        yield
    assert connection.getresponse().status == 200
    connection.close()


def test_the_workers_of_a_service_reload_and_end_together(terminal: Terminal, project: Project) -> None:
    """This is one test, because each start of a worker takes about half a second."""
    terminal.started()
    first = children(terminal)
    with blocked(terminal, project):
        assert {int(terminal.get().split()[1]) for _ in range(10)} < first

    # 1. SIGHUP starts a version with the new model.
    project.edit(project.model, "name: String!", "name: String!  nickname: String")
    assert not any("nickname" in model for model in models(terminal))
    terminal.send(signal.SIGHUP)
    terminal.wait_for(r"^  Safe: Pet\.nickname: String added$")
    terminal.wait_for("Serving the new version")
    assert all("nickname" in model for model in models(terminal))
    eventually(lambda: len(children(terminal)) == 2)
    second = children(terminal)
    assert not second & first
    assert sum("Pet.nickname" in line for line in terminal.printed) == 1

    # 2. A version of which one worker fails answers nothing.
    fatal = 'os.mkdir("loaded") if not os.path.exists("loaded") else os._exit(7)\nWORD = "second"'
    project.edit(project.code, 'WORD = "first"', fatal)
    terminal.send(signal.SIGHUP)
    terminal.wait_for("exited with code 7 before it was ready")
    terminal.wait_for("The last valid version keeps serving")
    eventually(lambda: children(terminal) == second)
    assert all(terminal.get().startswith("first") for _ in range(10))

    # 3. A worker that dies is replaced while the others serve.
    project.edit(project.code, fatal, 'WORD = "first"')
    killed, other = second
    os.kill(killed, signal.SIGKILL)
    assert int(terminal.get().split()[1]) == other
    terminal.wait_for(rf"process {killed}\) was killed by SIGKILL. Starting another worker")
    pid = int(terminal.wait_for("Another worker serves").split()[-1].strip(".)"))
    assert children(terminal) == {other, pid}

    # 4. No worker outlives its supervisor.
    assert terminal.end(signal.SIGKILL) == -signal.SIGKILL
    eventually(lambda: not any(Path(f"/proc/{each}").exists() for each in (other, pid)))


@pytest.mark.thorough
def test_a_dead_worker_is_not_replaced_by_one_with_another_model(
    terminal: Terminal, project: Project
) -> None:
    terminal.started()
    project.edit(project.model, "name: String!", "name: String!  nickname: String")
    os.kill(next(iter(children(terminal))), signal.SIGKILL)
    terminal.wait_for("Serving the new version")
    assert all("nickname" in model for model in models(terminal))
    assert terminal.end() == 0


@pytest.mark.thorough
def test_the_service_fails_if_a_worker_dies_before_all_of_the_first_version_serve(project: Project) -> None:
    """Without this, the supervisor would run on without a worker. The second worker here never serves."""
    waits = (
        'if os.path.exists("loaded"):\n    from stratabase.server.process import service\n'
        '    service.run_server = lambda *_: os.kill(os.getpid(), 19)\nPath("loaded").touch()\nWORD ='
    )
    project.edit(project.code, "WORD =", waits)
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        port = probe.getsockname()[1]
    for terminal in serving(project, "--workers=2", "--metrics=127.0.0.1:0", PORT=str(port)):
        terminal.port = port
        terminal.wait_for("Metrics")  # is printed once the port is open
        os.kill(int(terminal.get().split()[1]), signal.SIGKILL)
        terminal.wait_for("was killed by SIGKILL before all workers served")
        assert terminal.exit_code() == 1


@pytest.mark.thorough
def test_a_service_that_stops_ignores_a_worker_that_fails_to_start(project: Project) -> None:
    waits = 'if Path("gate").exists():\n    Path("gate").read_text()\n    raise ValueError\nWORD ='
    project.edit(project.code, "WORD =", waits)
    for terminal in serving(project, "--workers", "1", "--no-reload"):
        terminal.started()
        os.mkfifo(project.folder / "gate")
        os.kill(int(terminal.get().split()[1]), signal.SIGKILL)
        writer = os.open(project.folder / "gate", os.O_WRONLY)  # opens when the endpoint reads
        state = Path(f"/proc/{next(iter(children(terminal)))}/stat")
        terminal.send(signal.SIGSTOP)
        os.close(writer)
        eventually(partial(_has_ended, state))
        terminal.send(signal.SIGTERM)
        terminal.send(signal.SIGCONT)
        assert terminal.exit_code() == 0


@pytest.mark.parametrize("number", ["0", "65", "two", "-1"])
def test_an_invalid_number_of_workers_is_named(project: Project, number: str) -> None:
    code, printed = run(project, "serve", f"--workers={number}")

    assert code == 2
    assert f'"{number}" is not valid. Use a whole number from 1 to 64.' in printed


def test_the_service_stops_when_its_terminal_closes(project: Project) -> None:
    """SIGHUP reloads a service without a terminal, and one whose terminal is still open."""
    ours, theirs = pty.openpty()

    process = subprocess.Popen(
        [sys.executable, "-P", "-c", IN_A_TERMINAL],
        cwd=project.folder,
        env={**os.environ, "PORT": "0", "STRATABASE_MODEL": str(project.model)},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    read_until(ours, b"    -d '")
    process.send_signal(signal.SIGHUP)
    read_until(ours, b"Serving the new version")

    os.close(ours)

    assert process.wait(DEADLINE) == 0
