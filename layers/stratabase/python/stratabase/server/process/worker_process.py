"""The supervisor's representation of a worker process, and of the workers of one version.

The workers of a version serve one state of the model and the code.
"""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from mmap import mmap

from stratabase.core.current_request import SIZE, CurrentRequest
from stratabase.server.process.messages import (
    Orders,
    WorkerOrder,
    WorkerReport,
    WorkerTask,
    orders_to_line,
    read_report,
)
from stratabase.server.process.watchdog import SHOW_TRACEBACKS

WORKER_MODULE = "stratabase.server.process.worker"
"""The program of a worker."""


class WorkerProcess:
    """A worker process, which the constructor starts. Another thread calls `on_report` and `on_end`.

    Create it in the main thread, because on Linux a worker ends with the thread that started it.
    """

    def __init__(
        self,
        job: WorkerTask,
        listener: socket.socket,
        on_report: "Callable[[WorkerProcess, WorkerReport], None]",
        on_end: "Callable[[WorkerProcess, int], None]",
    ) -> None:
        self.number = job.number
        """The number of the worker among those of its version."""
        self.metrics_process = job.metrics_process
        """The number of the worker among all that count metrics."""
        self.has_begun = False
        """Whether the worker was told to accept requests. Killing it can then cut off clients."""
        self.served_since: float | None = None
        """Since when the worker serves, in the time of `time.monotonic`, and must answer probes."""
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
        """The id of the process."""
        return self._process.pid

    def probe(self) -> None:
        """Ask the worker for the report ALIVE, which its event loop sends."""
        self._order(WorkerOrder.PROBE)

    def begin(self) -> None:
        """Let a prepared worker accept requests."""
        self.has_begun = True
        self._order(WorkerOrder.BEGIN)

    def current_request(self) -> str:
        """Return the method, route and trace id of the worker's current request, or an empty text."""
        return self._current_request.name()

    def show_tracebacks(self) -> None:
        """Make the worker write the stack traces of its threads to standard error, even if it is stuck."""
        self._process.send_signal(SHOW_TRACEBACKS)

    def retire(self) -> None:
        """Make the worker finish its pending requests and end, because another one takes over."""
        self._process.terminate()

    def stop(self) -> None:
        """Make the worker finish its pending requests and end, because the service stops."""
        self._order(WorkerOrder.STOP)

    def kill(self) -> None:
        """Kill the worker."""
        self._process.kill()

    def _order(self, order: WorkerOrder) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # the worker has ended, and another thread calls `on_end`
            os.write(self._process.stdin.fileno(), order.value)

    def _follow(self, orders: Orders, reports: int) -> None:
        """Send the orders, call `on_report` for each report, and `on_end` at the end."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(orders_to_line(orders))
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the worker has ended already
        with open(reports, "rb") as lines:
            for line in lines:
                self._on_report(self, read_report(line))
        self._on_end(self, self._process.wait())


def _start(*inherited: int) -> "subprocess.Popen[bytes]":
    """Start a worker. Its standard input closes when this process dies, so the worker notices that."""
    return subprocess.Popen(  # noqa: S603 - a command of this program
        [sys.executable, "-P", "-m", WORKER_MODULE, str(os.getpid())],
        stdin=subprocess.PIPE,
        pass_fds=inherited,
        # An interrupt at the terminal is for the supervisor, which lets the worker finish.
        start_new_session=True,
    )


class ServedVersion:
    """The workers of one version, by their numbers. `size` is how many of them serve once it is complete.

    The workers of a new version begin to serve together. So clients get no answers of a version that fails
    to start in one of its workers.
    """

    def __init__(self, model: str | None, size: int) -> None:
        self.model = model
        """The text of the model at the start of the version."""
        self.size = size
        self.starting: dict[int, WorkerProcess] = {}
        """The workers that do not serve yet. One can start beside a serving worker, to replace it."""
        self.prepared: set[WorkerProcess] = set()
        """Those of them that wait for the order to begin."""
        self.serving: dict[int, WorkerProcess] = {}
        self.reports: list[WorkerReport] = []
        """What to show when the version takes over."""

    @property
    def is_prepared(self) -> bool:
        """Whether all workers of a new version wait for the order to begin."""
        return len(self.prepared) == self.size

    @property
    def is_complete(self) -> bool:
        """Whether all workers serve."""
        return len(self.serving) == self.size

    def vacant(self) -> list[int]:
        """Return the numbers of the workers that neither serve nor start."""
        return [n for n in range(self.size) if n not in self.serving and n not in self.starting]

    def workers(self) -> Iterator[WorkerProcess]:
        """Yield all workers."""
        yield from self.starting.values()
        yield from self.serving.values()

    def __contains__(self, worker: WorkerProcess) -> bool:
        return worker in self.workers()

    def is_serving(self, worker: WorkerProcess) -> bool:
        """Return whether a worker serves."""
        return self.serving.get(worker.number) is worker

    def is_starting(self, worker: WorkerProcess) -> bool:
        """Return whether a worker does not serve yet."""
        return self.starting.get(worker.number) is worker

    def record_ready(self, worker: WorkerProcess) -> WorkerProcess | None:
        """Record that a starting worker serves. Return the worker that it replaces, if there is one."""
        del self.starting[worker.number]
        self.prepared.discard(worker)
        replaced = self.serving.get(worker.number)
        self.serving[worker.number] = worker
        return replaced

    def remove(self, worker: WorkerProcess) -> None:
        """Forget a worker that has ended or failed."""
        self.prepared.discard(worker)
        for workers in (self.starting, self.serving):
            if workers.get(worker.number) is worker:
                del workers[worker.number]
