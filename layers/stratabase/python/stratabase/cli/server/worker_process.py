"""A worker process, as the supervisor sees it."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from mmap import mmap

from stratabase.cli.gateway.current_request import SIZE, CurrentRequest
from stratabase.cli.server.messages import Job, Orders, WorkerReport, orders_to_line, read_report
from stratabase.cli.server.watchdog import SHOW_TRACEBACKS


class WorkerProcess:
    """A worker: started when made; `on_report` and `on_end` are called from a thread of its own.

    Make it in the main thread: on Linux a worker ends with the thread that started it.
    """

    def __init__(
        self,
        job: Job,
        listener: socket.socket,
        on_report: "Callable[[WorkerProcess, WorkerReport], None]",
        on_end: "Callable[[WorkerProcess, int], None]",
    ) -> None:
        self.model: str | None = None
        """The text of the model when it was started."""
        self.watched = False
        """Whether its event loop runs, and is expected to answer probes."""
        self._on_report = on_report
        self._on_end = on_end
        read_end, write_end = os.pipe()
        with tempfile.TemporaryFile() as shared:
            shared.truncate(SIZE)
            self._current_request = CurrentRequest(mmap(shared.fileno(), SIZE))
            self._process = _start(write_end, listener.fileno(), shared.fileno())
            current_request = shared.fileno()
        os.close(write_end)
        orders = Orders(job, listener.fileno(), write_end, current_request)
        threading.Thread(target=self._follow, args=(orders, read_end), daemon=True).start()

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def probe(self) -> None:
        """Ask it for the report ALIVE, which it makes in its event loop."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has gone, which another thread tells
            os.write(self._process.stdin.fileno(), b"?")

    def current_request(self) -> str:
        """Return the method, route and trace id of the request that its event loop works on, if any."""
        return self._current_request.name()

    def show_tracebacks(self) -> None:
        """Have it write to standard error what all its threads do, whatever they do."""
        self._process.send_signal(SHOW_TRACEBACKS)

    def retire(self) -> None:
        """Have it finish the requests that it has, and end."""
        self._process.terminate()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def _follow(self, orders: Orders, reports: int) -> None:
        """Give it its orders, pass its reports on, and tell when it has gone."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(orders_to_line(orders))
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it has gone already
        with open(reports, "rb") as lines:
            for line in lines:
                self._on_report(self, read_report(line))
        self._on_end(self, self._process.wait())


def _start(*inherited: int) -> "subprocess.Popen[bytes]":
    """Start a process. Its standard input is open as long as we live, so that it notices when we do not."""
    return subprocess.Popen(  # noqa: S603 - our own
        [sys.executable, "-P", "-m", "stratabase.cli.server.worker", str(os.getpid())],
        stdin=subprocess.PIPE,
        pass_fds=inherited,
        # An interrupt at the terminal is for the supervisor, which lets the worker finish.
        start_new_session=True,
    )
