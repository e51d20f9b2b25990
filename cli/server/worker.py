"""The process that serves: it gets its job through its standard input, and lives no longer than that."""

import json
import os
import socket
import sys
import threading
from io import FileIO
from pathlib import Path

from cli.server.explanation import explain
from cli.server.job import Job
from cli.server.report import News, Report, tell


def main() -> int:
    """Serve as told by the first line of the standard input. Returns the exit code."""
    orders = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_die_with_the_supervisor, daemon=True).start()
    os.set_inheritable(orders["reports"], False)
    reports = FileIO(orders["reports"], "wb")
    job = Job(Path(orders["template"]), orders["address"], orders["previous_model"])
    try:
        from cli.server import service  # noqa: PLC0415 - if it cannot be imported, the supervisor must know why

        listener = socket.socket(fileno=orders["listener"])
        service.serve(job, listener, lambda report: tell(reports, report))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is explained
        tell(reports, Report(News.FAILED, explain(error)))
        return 1
    return 0


def _die_with_the_supervisor() -> None:
    """End at once when the standard input does: the supervisor is dead, and its port should be free."""
    # Not through sys.stdin: a thread that waits inside of it would hold up the end of the process.
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
