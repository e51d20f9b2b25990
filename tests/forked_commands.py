"""Runs `stratabase` in processes that are forked from one that has imported all of it.

Imports take most of the time of a short command, and of a start of the service. Tests see no difference,
unless they are about imports, or about environment variables that modules read when they are imported.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple
from uuid import uuid4

from tests.repository import ROOT

IS_SUPPORTED = sys.platform == "linux"
_MAX_MESSAGE = 200_000
"""Bytes of a command with its environment."""
_LATE_IMPORTS = ("argon2", "aws_lambda_powertools.logging", "aws_lambda_powertools.metrics", "boto3")
"""What the service imports when it is needed."""
_LEFT_OUT = {"stratabase.server.process.metrics"}
"""Modules that read an environment variable when they are imported."""


class ForkedCommand:
    """A command that runs, with those methods of `subprocess.Popen` that tests need."""

    def __init__(self, events: socket.socket) -> None:
        """`events`: yields the id of the process, and at its end the exit code."""
        self._events = events
        self._code: int | None = None
        self.pid = int(events.recv(32))

    def poll(self) -> int | None:
        """Return the exit code, None if the command still runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code when the command ends. Raises TimeoutExpired after some seconds."""
        if self._code is None:
            self._events.settimeout(timeout)
            try:
                self._code = int(self._events.recv(32))
            except (BlockingIOError, TimeoutError):
                raise subprocess.TimeoutExpired("stratabase", timeout or 0) from None
            self._events.close()
        return self._code

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal, unless the command has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)


def start_command(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    output: IO[Any],
    typed: str = "",
    folder: Path = ROOT,
) -> ForkedCommand:
    """Start `stratabase` in a folder. `typed` is its whole input."""
    events, sender = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with sender, TemporaryFile("w+") as input_:
        input_.write(typed)
        input_.seek(0)
        message = json.dumps([[*arguments], {**environment}, str(folder)]).encode()
        descriptors = [input_.fileno(), output.fileno(), sender.fileno()]
        socket.send_fds(_forking_process(), [message], descriptors)
    return ForkedCommand(events)


def run_command(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str]:
    """Run `stratabase` to its end. Return its exit code and output."""
    with TemporaryFile("w+") as output:
        process: ForkedCommand | subprocess.Popen[str]
        if IS_SUPPORTED:
            process = start_command(arguments, environment, output)
        else:
            command = [sys.executable, "-m", "stratabase.cli", *arguments]
            process = subprocess.Popen(
                command, env=environment, stdout=output, stderr=subprocess.STDOUT, text=True
            )
        code = process.wait()
        output.seek(0)
        return code, output.read()


@cache
def _forking_process() -> socket.socket:
    """Start the process that forks, and return where it takes commands. It ends with this process."""
    commands, receiver = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with receiver:
        line = [sys.executable, "-m", "tests.forked_commands", str(receiver.fileno())]
        process = subprocess.Popen(line, cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=[receiver.fileno()])
    atexit.register(process.wait)
    atexit.register(commands.close)
    return commands


class _Forks:
    """The commands that run."""

    def __init__(self) -> None:
        self._senders: dict[int, socket.socket] = {}
        signal.signal(signal.SIGCHLD, self._report_ends)

    def start(self, sender: socket.socket) -> bool:
        """Fork, and return whether this is the new process. Tell a socket how it goes on."""
        # A process that ends at once must not be reported before it is known.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        pid = os.fork()
        if pid:
            self._senders[pid] = sender
            sender.send(str(pid).encode())
        else:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for each in (sender, *self._senders.values()):
                each.close()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        return not pid

    def _report_ends(self, *_: object) -> None:
        while self._senders:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            with self._senders.pop(pid) as sender:
                sender.send(str(os.waitstatus_to_exitcode(status)).encode())


class _Command(NamedTuple):
    """A command with its descriptors, and where its events are sent."""

    arguments: list[str]
    environment: dict[str, str]
    folder: str
    input: int
    output: int
    sender: socket.socket


def _commands(receiver: socket.socket) -> Iterator[_Command]:
    """Yield what `start_command` sends."""
    while True:
        message, descriptors, _flags, _address = socket.recv_fds(receiver, _MAX_MESSAGE, 3)
        if not message:
            return
        arguments, environment, folder = json.loads(message)
        input_, output, sender = descriptors
        yield _Command(arguments, environment, folder, input_, output, socket.socket(fileno=sender))


def _import_everything() -> None:
    import stratabase  # noqa: PLC0415 - the tests import only what is above

    names = {each.name for each in pkgutil.walk_packages(stratabase.__path__, "stratabase.")}
    for name in sorted({*names, *_LATE_IMPORTS} - _LEFT_OUT):
        if not name.endswith("__main__") and ".project.files" not in name:
            importlib.import_module(name)


def _become(command: _Command) -> None:
    """Take over what a new process has from its parent, or makes when it imports a module."""
    from stratabase.server.http import request  # noqa: PLC0415 - see `_import_everything`

    for standard, descriptor in enumerate((command.input, command.output, command.output)):
        os.dup2(descriptor, standard)
    os.close(command.input)
    os.close(command.output)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    os.chdir(command.folder)
    os.environ.clear()
    os.environ.update(command.environment)
    time.tzset()
    request._ID_PREFIX = str(uuid4())[:24]
    sys.argv = ["stratabase", *command.arguments]


def main() -> int:
    """Run each command in a fork of this process until the tests end. Return the exit code."""
    _import_everything()
    from stratabase.cli.__main__ import run  # noqa: PLC0415 - see above
    from tests.cli import project_server  # noqa: PLC0415

    gc.collect()
    gc.freeze()
    forks = _Forks()
    with socket.socket(fileno=int(sys.argv[1])) as receiver:
        for command in _commands(receiver):
            if forks.start(command.sender):
                receiver.close()
                _become(command)
                if project_server.VARIABLE in os.environ:
                    project_server.add_endpoint()
                return run()
            os.close(command.input)
            os.close(command.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
