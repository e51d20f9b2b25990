"""An emulator of DynamoDB, S3 and Secrets Manager on this machine (ministack), in its own process.

The emulator loses its data when it stops. `python -m stratabase_aws.commands.emulator COMMAND …` runs a
command with settings that make the service use the emulator. If the command or the emulator ends, or this
process receives a signal to stop, all three stop.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from stratabase.terminal.command_error import FAILED, CommandError
from stratabase.terminal.processes import tie_to_parent
from stratabase.terminal.settings import EMULATOR_CREDENTIALS

Process = subprocess.Popen[bytes]
ProcessEvent = Process | signal.Signals
"""An event for `_run`: a process that has ended, or a signal that this process has received."""

PYTHON = Path(".venv-ministack") / "bin" / "python"
_SERVER = (
    *("-m", "uvicorn", "ministack.app:app", "--host", "127.0.0.1", "--timeout-keep-alive", "75"),
    *("--no-access-log", "--no-proxy-headers", "--log-level", "error"),
)
"""Uvicorn with httptools and uvloop, with which a call takes a third less CPU than with `-m ministack`."""
SERVICES = "dynamodb,s3,secretsmanager"
"""The services that an instance uses."""
BUCKET = "stratabase-files"
"""The bucket of the files. The service creates it."""
READY_TIMEOUT = 60.0
"""The seconds within which the emulator must be ready."""


@contextmanager
def emulator(services: str = SERVICES) -> Iterator[str]:
    """Run the emulator on a free port of the loopback interface, and yield its URL. Raises CommandError.

    `services`: the services that it emulates, separated by commas. Empty: all.
    """
    with _running_emulator(lambda: False, services) as (address, _):
        yield address


@contextmanager
def _running_emulator(
    interrupted: Callable[[], bool], services: str = SERVICES
) -> Iterator[tuple[str, Process]]:
    """Run the emulator, and yield its URL and its process. Raises CommandError, also if interrupted."""
    if not PYTHON.exists():
        raise CommandError(
            f"The emulator is not installed: {PYTHON} is missing. Run `make {PYTHON.parts[0]}/.done`."
        )
    with tempfile.TemporaryDirectory(prefix="ministack-") as folder:
        port = _free_port()
        process = _start_emulator(port, folder, services)
        try:
            _await_ready(process, port, interrupted)
            yield f"http://127.0.0.1:{port}", process
        finally:
            process.kill()
            process.wait()


def main() -> int:
    """Run the command in the arguments together with an emulator, and return its exit code."""
    events: SimpleQueue[ProcessEvent] = SimpleQueue()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: events.put(signal.Signals(number)))
    try:
        with _running_emulator(lambda: not events.empty()) as (address, process):
            settings = {
                "STRATABASE_STORE": "dynamodb",
                "STRATABASE_ENDPOINT": address,
                "STRATABASE_CREATE_TABLES": "on",
                "STRATABASE_BUCKET": BUCKET,
                **EMULATOR_CREDENTIALS,
            }
            return _run(sys.argv[1:], settings, process, events)
    except CommandError as error:
        print(error, file=sys.stderr)
        return FAILED


def _run(
    command_line: Sequence[str],
    settings: dict[str, str],
    emulator: Process,
    events: "SimpleQueue[ProcessEvent]",
) -> int:
    """Run a command until it ends, and return its exit code. Stop it if the emulator ends."""
    # In its own session, the command receives each signal only from this process, not also from the terminal.
    command = subprocess.Popen(  # noqa: S603 - the command in the arguments
        tie_to_parent(command_line, signal.SIGTERM), env=os.environ | settings, start_new_session=True
    )
    for process in (command, emulator):
        threading.Thread(target=_report_exit, args=(process, events), daemon=True).start()
    emulator_stopped = False
    while (event := events.get()) is not command:
        if isinstance(event, signal.Signals):
            # SIGHUP means that the terminal was closed. SIGTERM lets the command finish its requests.
            command.send_signal(signal.SIGTERM if event is signal.SIGHUP else event)
        else:
            emulator_stopped = True
            print(
                f"The emulator stopped ({_describe_exit(emulator)}). Stopping the service.", file=sys.stderr
            )
            command.terminate()
    return FAILED if emulator_stopped else _exit_code(command)


def _report_exit(process: Process, events: "SimpleQueue[ProcessEvent]") -> None:
    process.wait()
    events.put(process)


def _describe_exit(process: Process) -> str:
    code = process.returncode
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name


def _exit_code(process: Process) -> int:
    """Return the exit code of a process by the convention of shells: 128 plus the number of a signal."""
    code = process.returncode
    return code if code >= 0 else 128 - code


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _start_emulator(port: int, folder: str, services: str) -> Process:
    environment = {
        "PATH": os.environ["PATH"],
        "GATEWAY_PORT": str(port),
        "LOG_LEVEL": "ERROR",
        **({"SERVICES": services} if services else {}),
        "TMPDIR": folder,
    }
    quiet = subprocess.DEVNULL
    command = tie_to_parent([str(PYTHON), *_SERVER, "--port", str(port)], signal.SIGKILL)
    # In its own session, the emulator survives an interrupt, and the service can finish its requests.
    return subprocess.Popen(  # noqa: S603 - a command of this program
        command, env=environment, stdout=quiet, stderr=quiet, start_new_session=True
    )


def _await_ready(process: Process, port: int, interrupted: Callable[[], bool]) -> None:
    deadline = time.monotonic() + READY_TIMEOUT
    while time.monotonic() < deadline and process.poll() is None:
        if interrupted():
            raise CommandError("Interrupted before the emulator was ready.")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_ministack/health", timeout=5):
                return
        except OSError:
            time.sleep(0.05)
    raise CommandError(f"The emulator did not start on port {port} (exit code {process.poll()}).")


if __name__ == "__main__":
    sys.exit(main())
