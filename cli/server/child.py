"""A worker process, as the supervisor sees it."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from cli.server.job import Job
from cli.server.report import Report, from_bytes


class Child:
    """A worker: started when made; `reported` and `gone` are called from a thread of its own."""

    def __init__(
        self,
        job: Job,
        listener: socket.socket,
        reported: "Callable[[Child, Report], None]",
        gone: "Callable[[Child, int], None]",
    ) -> None:
        self.model: str | None = None
        """The text of the model when it was started."""
        self._reported = reported
        self._gone = gone
        ours, theirs = os.pipe()
        self._process = _started(theirs, listener)
        os.close(theirs)
        orders = {
            "template": str(job.template),
            "address": job.address,
            "previous_model": job.previous_model,
            "listener": listener.fileno(),
            "reports": theirs,
        }
        threading.Thread(target=self._follow, args=(orders, ours), daemon=True).start()

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def retire(self) -> None:
        """Have it finish the requests that it has, and end."""
        self._process.terminate()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def _follow(self, orders: dict[str, Any], reports: int) -> None:
        """Give it its orders, pass its reports on, and tell when it has gone."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(orders).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it has gone already
        with open(reports, "rb") as lines:
            for line in lines:
                self._reported(self, from_bytes(line))
        self._gone(self, self._process.wait())


def _started(reports: int, listener: socket.socket) -> "subprocess.Popen[bytes]":
    """Start a process. Its standard input is open as long as we live, so that it notices when we do not."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "cli.server.worker"],
        stdin=subprocess.PIPE,
        pass_fds=(reports, listener.fileno()),
        # An interrupt at the terminal is for the supervisor, which lets the worker finish.
        start_new_session=True,
    )
