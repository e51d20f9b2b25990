"""DynamoDB and Secrets Manager on this machine: an emulator (ministack) in a process of its own.

It forgets everything when it ends. `python -m cli.emulator COMMAND …` runs a command beside it, with the
settings that lead the service there.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cli.fault import BROKEN, Fault

PYTHON = Path(".venv-ministack") / "bin" / "python"
PATIENCE = 60.0
"""Seconds in which it must be ready."""
ACCOUNT = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
"""It lets anybody in, but a request must be signed by somebody."""


@contextmanager
def emulator() -> Iterator[str]:
    """Run the emulator on a free port of the loopback, and yield its address. Raises Fault."""
    if not PYTHON.exists():
        raise Fault(
            f"The emulator is not installed: {PYTHON} is missing; `make {PYTHON.parts[0]}/.done` makes it."
        )
    with tempfile.TemporaryDirectory(prefix="ministack-") as folder:
        port = _free_port()
        process = _start(port, folder)
        try:
            _await_ready(process, port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


def main() -> int:
    """Run the command that follows beside an emulator."""
    try:
        with emulator() as address:
            settings = {"STRATABASE_STORE": "dynamodb", "STRATABASE_ENDPOINT": address, **ACCOUNT}
            return subprocess.run(sys.argv[1:], env=os.environ | settings, check=False).returncode  # noqa: S603 - ours
    except KeyboardInterrupt:
        return 0
    except Fault as fault:
        print(fault, file=sys.stderr)
        return BROKEN


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _start(port: int, folder: str) -> "subprocess.Popen[bytes]":
    environment = {
        "PATH": os.environ["PATH"],
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "LOG_LEVEL": "ERROR",
        "SERVICES": "dynamodb,secretsmanager",
        "TMPDIR": folder,
    }
    quiet = subprocess.DEVNULL
    command = [str(PYTHON), "-m", "ministack"]
    return subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet)  # noqa: S603 - our own


def _await_ready(process: "subprocess.Popen[bytes]", port: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_ministack/health", timeout=5):
                return
        except OSError:
            time.sleep(0.05)
    raise Fault(f"The emulator is not ready on port {port} (exit code {process.poll()}).")


if __name__ == "__main__":
    sys.exit(main())
