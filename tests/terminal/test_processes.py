"""Child processes end with their parent: by the kernel on Linux, by a pipe elsewhere."""

import signal
import subprocess
import sys
import threading

import pytest

from stratabase.terminal.processes import tie_to_parent

DEADLINE = 30
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties processes to their parent")

BUSY = "print('here', flush=True); import re; re.match('(a+)+$', 'a' * 99 + '!')"
"""Keeps the interpreter, so that no thread of the process could end it."""
PARENT = f"""
import signal, subprocess, sys
from stratabase.terminal.processes import tie_to_parent
subprocess.Popen(tie_to_parent([sys.executable, "-c", {BUSY!r}], signal.SIGKILL)).wait()
"""
FOLLOWER = """
from stratabase.server.process.messages import WorkerOrder
from stratabase.server.process.worker import follow_supervisor
follow_supervisor({WorkerOrder.PROBE: lambda: print("probed", flush=True)})
"""


@linux
def test_a_tied_process_ends_when_its_parent_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"here\n"

    parent.kill()
    parent.wait(DEADLINE)

    reader = threading.Thread(target=parent.stdout.read, daemon=True)
    reader.start()
    reader.join(DEADLINE)
    assert not reader.is_alive(), "the child lives on"
    parent.stdout.close()


@linux
def test_a_process_whose_parent_ended_before_it_was_tied_ends() -> None:
    orphan = [
        sys.executable,
        "-P",
        "-m",
        "stratabase.terminal.processes",
        "0",
        "15",
        sys.executable,
        "-c",
        "print('alive')",
    ]

    done = subprocess.run(orphan, stdout=subprocess.PIPE, check=False)

    assert (done.returncode, done.stdout) == (-signal.SIGTERM, b"")


@linux
def test_the_end_of_another_thread_ends_no_process() -> None:
    """The kernel would count it as the end of the parent."""
    commands: list[list[str]] = []
    thread = threading.Thread(target=lambda: commands.append(tie_to_parent(["sleep", "1"], signal.SIGKILL)))
    thread.start()
    thread.join()

    assert commands == [["sleep", "1"]]


@linux
def test_a_command_that_cannot_be_run_is_named() -> None:
    done = subprocess.run(
        tie_to_parent(["./no such command"], signal.SIGTERM), stderr=subprocess.PIPE, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (
        127,
        "Running ./no such command failed: No such file or directory.\n",
    )


def test_a_worker_ends_when_the_pipe_from_its_supervisor_closes() -> None:
    """This matters on systems whose kernel does not end the worker."""
    worker = subprocess.Popen([sys.executable, "-c", FOLLOWER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(b"?")
    worker.stdin.flush()
    assert worker.stdout.readline() == b"probed\n"

    worker.stdin.close()

    assert worker.wait(DEADLINE) == 1
    worker.stdout.close()


COMMAND = """
import atexit, gc, sys
from stratabase.cli.__main__ import run
sys.argv[1:] = ["--version"]
atexit.register(lambda: print(gc.get_threshold()[0] > 10_000, gc.get_freeze_count() > 10_000))
run()
"""


def test_a_command_rarely_collects_garbage_and_not_at_its_end() -> None:
    """Python would search all modules again and again, which takes a third of the time of a start."""
    output = subprocess.run(
        [sys.executable, "-c", COMMAND], check=True, capture_output=True, text=True
    ).stdout

    assert output.splitlines()[-1] == "True True"
