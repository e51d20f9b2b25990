"""The process that serves: it gets its job through its standard input, and lives no longer than that."""

import asyncio
import contextlib
import faulthandler
import json
import os
import socket
import sys
import threading
from collections.abc import Callable
from io import FileIO
from mmap import mmap
from pathlib import Path

from cli.gateway.current_request import SIZE, current_request
from cli.processes import end_with_parent
from cli.server.explanation import explain
from cli.server.job import Job
from cli.server.report import News, Report, tell
from cli.server.watchdog import SHOW_TRACEBACKS


class Pulse:
    """Answers the supervisor's probes from the event loop: an answer shows that the loop turns."""

    def __init__(self, answer: Callable[[], None]) -> None:
        self._answer = answer
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Answer from the event loop that runs here."""
        self._loop = asyncio.get_running_loop()

    def probed(self) -> None:
        """Have the loop answer as soon as it turns."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: this process is about to end
                self._loop.call_soon_threadsafe(self._answer)


def main() -> int:
    """Serve as told by the first line of the standard input. Returns the exit code."""
    end_with_parent(int(sys.argv[1]))
    faulthandler.register(SHOW_TRACEBACKS, all_threads=True)
    orders = json.loads(sys.stdin.buffer.readline())
    current_request.share(mmap(orders["current_request"], SIZE))
    os.close(orders["current_request"])
    os.set_inheritable(orders["reports"], False)
    reports = FileIO(orders["reports"], "wb")
    pulse = Pulse(lambda: tell(reports, Report(News.ALIVE)))
    threading.Thread(target=follow_supervisor, args=(pulse.probed,), name="supervisor", daemon=True).start()

    def told(report: Report) -> None:
        if report.news is News.READY:
            pulse.start()
        tell(reports, report)

    job = Job(Path(orders["template"]), orders["address"], orders["previous_model"])
    try:
        from cli.server import service  # noqa: PLC0415 - if it cannot be imported, the supervisor must know why

        listener = socket.socket(fileno=orders["listener"])
        service.serve(job, listener, told)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is explained
        tell(reports, Report(News.FAILED, explain(error)))
        return 1
    return 0


def follow_supervisor(probed: Callable[[], None]) -> None:
    """Pass its probes on, and end at once with the standard input: the supervisor is dead.

    This needs the interpreter, which a thread that is stuck in C code may keep for itself. On Linux the
    kernel ends the process in that case too (see cli.processes).
    """
    # Not through sys.stdin: a thread that waits inside of it would hold up the end of the process.
    while os.read(0, 1):
        probed()
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
