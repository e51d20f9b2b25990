"""The worker process, which serves. It receives its job on standard input, and ends when that is closed."""

import asyncio
import contextlib
import faulthandler
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from io import FileIO
from mmap import mmap

from stratabase.core.current_request import SIZE, current_request
from stratabase.server.process.background_output import background_output
from stratabase.server.process.console import explain_error
from stratabase.server.process.messages import (
    ReportKind,
    WorkerOrder,
    WorkerReport,
    read_orders,
    write_report,
)
from stratabase.server.process.watchdog import SHOW_TRACEBACKS
from stratabase.terminal.processes import end_with_parent, rare_garbage_collection


class Heartbeat:
    """Answers the supervisor's probes from the event loop, which shows that the loop is not blocked."""

    def __init__(self, answer: Callable[[], None]) -> None:
        self._answer = answer
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Answer probes from the running event loop from now on."""
        self._loop = asyncio.get_running_loop()

    def probe(self) -> None:
        """Schedule the answer in the event loop."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed, so this process is about to end
                self._loop.call_soon_threadsafe(self._answer)


def main() -> int:
    """Serve by the orders in the first line of standard input, and return the exit code."""
    # 1. Prepare for a supervisor that dies, and for a stuck thread.
    end_with_parent(int(sys.argv[1]))
    faulthandler.register(SHOW_TRACEBACKS, all_threads=True)
    # 2. Read the orders, and take over the inherited file descriptors.
    orders = read_orders(sys.stdin.buffer.readline())
    current_request.share(mmap(orders.current_request, SIZE))
    os.close(orders.current_request)
    os.set_inheritable(orders.reports, False)
    reports = FileIO(orders.reports, "wb")
    # 3. Follow the supervisor's orders from now on. The event loop starts later (see `send`).
    heartbeat = Heartbeat(lambda: write_report(reports, WorkerReport(ReportKind.ALIVE)))
    begin, serving, stopping = threading.Event(), threading.Event(), threading.Event()

    def stop() -> None:
        stopping.set()
        if serving.is_set():
            signal.raise_signal(signal.SIGTERM)

    actions = {WorkerOrder.PROBE: heartbeat.probe, WorkerOrder.BEGIN: begin.set, WorkerOrder.STOP: stop}
    threading.Thread(target=follow_supervisor, args=(actions,), name="supervisor", daemon=True).start()

    def send(report: WorkerReport) -> None:
        if report.kind is ReportKind.READY:
            heartbeat.start()
            serving.set()
            if stopping.is_set():  # the server handles the signal from now on: earlier, it would kill
                signal.raise_signal(signal.SIGTERM)
        write_report(reports, report)

    # 4. Serve.
    try:
        from stratabase.server.process import service  # noqa: PLC0415 - errors of the import are reported, too

        listener = socket.socket(fileno=orders.listener)
        with background_output():
            service.serve(orders.job, listener, send, begin=begin.wait, stopping=stopping)
    except Exception as error:  # noqa: BLE001 - every error is reported to the supervisor
        write_report(reports, WorkerReport(ReportKind.FAILED, explain_error(error)))
        return 1
    return 0


def follow_supervisor(actions: Mapping[WorkerOrder, Callable[[], object]]) -> None:
    """Execute each order of the supervisor. End the process at once if the supervisor dies.

    This thread needs the interpreter lock, which a thread that is stuck in C code can keep. On Linux, the
    kernel ends the process in that case (see `processes`).
    """
    # Do not use sys.stdin: a thread that blocks in it would prevent the process from ending.
    while order := os.read(0, 1):
        actions[WorkerOrder(order)]()
    os._exit(1)


if __name__ == "__main__":
    with rare_garbage_collection():
        sys.exit(main())
