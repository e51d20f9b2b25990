"""Runs `stratabase serve` in its own process, and reads its output line by line."""

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Any

from tests.cli.project_server import VARIABLE
from tests.forked_commands import IS_SUPPORTED, ForkedCommand, start_command
from tests.repository import ROOT

DEADLINE = 30
MODEL = """
extend schema @application(name: "Shop") @profile(name: "Administrator", administrator: true)
type Pet { name: String! }
"""
CODE = """
import ctypes
import os
from pathlib import Path
from stratabase.core import waiting
from stratabase.core.http.base.messages import Response

MODEL = Path(os.environ["STRATABASE_MODEL"] or "model.graphql").read_text()
WORD = "first"
INTERPRETER, MUTEX = ctypes.PyDLL(None), bytes(64)

def respond(request):
    if request.path == "/slow":
        waiting.offload(Path("gate").read_text)
    if request.path == "/blocked":
        Path("gate").read_text()
    if request.path == "/stuck":
        for _ in "12":  # the second time it waits for ever, and keeps the interpreter
            INTERPRETER.pthread_mutex_lock(MUTEX)
    return Response(200, body=f"{WORD} {os.getpid()} {MODEL}".encode())
"""


class Project:
    """A folder with a model and the code of an endpoint, which tests may edit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model = folder / "layers/model/model.graphql"
        self.code = folder / "code/app.py"
        self.home = folder / ".stratabase"
        for file, text in ((self.model, MODEL), (self.code, CODE)):
            file.parent.mkdir(parents=True)
            file.write_text(text)

    def edit(self, file: Path, old: str, new: str) -> None:
        """Replace a file by a new one, as many editors do."""
        text = file.read_text()
        assert old in text
        (file.parent / "new~").write_text(text.replace(old, new))
        (file.parent / "new~").rename(file)


class Terminal:
    """A command that runs in a project's folder. Tests can wait for each printed line once."""

    def __init__(self, project: Project, *arguments: str, **environment: str) -> None:
        own = {"STRATABASE_MODEL": str(project.model), VARIABLE: str(project.code), "PYTHONPATH": str(ROOT)}
        environment = {**own, **environment}
        is_alone = not ("serve" in arguments and "--no-reload" not in arguments)
        is_alone = is_alone and not {"--workers", "--metrics"} & {*arguments}
        if IS_SUPPORTED and is_alone:
            self._start_fork(project.folder, arguments, environment)
        else:
            module = "tests.cli.project_server" if "serve" in arguments else "stratabase.cli"
            command = [sys.executable, "-P", "-m", module, *arguments]
            self._start(project.folder, command, environment)

    @classmethod
    def of(cls, folder: Path, command: Sequence[str], environment: Mapping[str, str]) -> "Terminal":
        """Run another command, such as that of an installed package, in a folder."""
        terminal = cls.__new__(cls)
        terminal._start(folder, command, environment)
        return terminal

    def _start(self, folder: Path, command: Sequence[str], environment: Mapping[str, str]) -> None:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**surroundings(), "PORT": "0", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdout is not None
        self._follow(process, process.stdout)

    def _start_fork(self, folder: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        reader, writer = os.pipe()
        with os.fdopen(writer, "w") as output:
            all_variables = {**surroundings(), "PORT": "0", **environment}
            process = start_command(arguments, all_variables, output, folder=folder)
        self._follow(process, os.fdopen(reader))

    def _follow(self, process: "subprocess.Popen[str] | ForkedCommand", output: IO[str]) -> None:
        self._process, self._output = process, output
        self.printed: list[str] = []
        self._lines: Queue[str | None] = Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self.port = 0

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_for_all(self, *patterns: str) -> None:
        """Wait until each pattern matches one of the next lines. These come in any order."""
        missing = set(patterns)
        while missing:
            line = self.wait_for("|".join(missing))
            missing -= {pattern for pattern in missing if re.search(pattern, line)}

    def wait_for(self, pattern: str) -> str:
        """Return the next line that matches a pattern."""
        deadline = time.monotonic() + DEADLINE
        while (line := self._line(deadline)) is not None:
            if re.search(pattern, line):
                return line
        raise AssertionError(f"no line has {pattern!r}:\n" + "\n".join(self.printed))

    def started(self) -> "Terminal":
        """Wait until the service is ready."""
        self.port = int(self.wait_for(r"Health +http://127\.0\.0\.1:\d+").rsplit(":")[-1].split("/")[0])
        self.wait_for("    -d '")
        return self

    def get(self, path: str = "/") -> str:
        """Send a GET request, and return the body of the response."""
        connection = self.connection()
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read().decode()
        connection.close()
        assert response.status == 200, body
        return body

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, and return the exit code after all processes that write to the output ended."""
        if self._process.poll() is None:
            self.send(number)
        return self.exit_code()

    def exit_code(self) -> int:
        """Return the exit code after the command and all of its processes ended."""
        code = self._process.wait(DEADLINE)
        self._reader.join(DEADLINE)
        assert not self._reader.is_alive(), "something that it started lives on"
        self._output.close()
        return code

    def _read(self) -> None:
        for line in self._output:
            self.printed.append(line.rstrip("\n"))
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def _line(self, deadline: float) -> str | None:
        try:
            return self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except Empty:
            return None


def surroundings() -> Mapping[str, str]:
    """Return the environment of the tests without the settings of a service."""
    ours = ("STRATABASE_", "PORT", "HOST")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def serving(project: Project, *arguments: str, **environment: str) -> Iterator[Terminal]:
    """Serve a project until the test is over (for fixtures)."""
    terminal = Terminal(project, "serve", *arguments, **environment)
    try:
        yield terminal
    finally:
        terminal.end(signal.SIGKILL)


def run(project: Project, *arguments: str, **environment: str) -> tuple[int, str]:
    """Run a command to its end, and return its exit code and output."""
    terminal = Terminal(project, *arguments, **environment)
    code: Any = terminal.exit_code()
    return code, "\n".join(terminal.printed)
