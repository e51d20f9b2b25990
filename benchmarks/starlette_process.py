"""The process of the server of Starlette."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def starlette(sent: Path, folder: Path) -> Iterator[tuple[int, int]]:
    """Serve a file, and store uploads in a folder. Yields the port and the process ID."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        number = listener.fileno()
        command = [sys.executable, "-m", "benchmarks.starlette_server", str(number), str(sent), str(folder)]
        port = listener.getsockname()[1]
        process = subprocess.Popen(command, pass_fds=[number])
    try:
        yield port, process.pid
    finally:
        process.terminate()
        process.wait()
