"""Keeps a worker serving: replaces it when something changes, or when it dies or gets stuck.

A worker that is broken replaces none that serves.
"""

import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, ClassVar

from cli.fault import BROKEN
from cli.server.announcer import Announcer
from cli.server.child import Child
from cli.server.job import Job
from cli.server.report import News, Report
from cli.server.watchdog import Finding, Watchdog
from cli.server.watcher import Watcher

PAUSES = (0.0, 0.5, 1.0, 2.0, 5.0)
"""Seconds before a worker that died is started again, the first time, the second …"""
STEADY = 10.0
"""Seconds that a worker must have served for its death to count as the first again."""


class Supervisor:
    """Starts workers on one socket, so that a new one takes over without a gap.

    `limit` is for how many seconds the event loop of a worker may stand still; 0 means for ever.
    """

    def __init__(
        self, job: Job, model: Path, listener: socket.socket, announcer: Announcer, limit: float
    ) -> None:
        self._job = job
        self._model = model
        self._listener = listener
        self._announcer = announcer
        self._events: SimpleQueue[Callable[[], None]] = SimpleQueue()
        """What is to be done, by the one thread that runs `run`."""
        self._living: set[Child] = set()
        self._serving: Child | None = None
        self._starting: Child | None = None
        self._successions: dict[Child, Report] = {}
        """What is to be told when a worker has left that was replaced."""
        self._watchdog: Watchdog[Child] = Watchdog(limit)
        self._relieved: Child | None = None
        """The last worker beside which another one was started because it was slow."""
        self._served_model: str | None = None
        self._served_since: float | None = None
        self._deaths = 0
        self._stopping = False
        self._code = 0

    def run(self) -> int:
        """Serve until told to end, and return the exit code."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self._events.put(self._end))
        self._start()
        watcher = self._watcher()
        watcher.start()
        while self._living or not self._stopping:
            self._do_next()
        watcher.stop()
        return self._code

    def _do_next(self) -> None:
        """Do what is to be done, or look after the workers when there is nothing for a while."""
        try:
            do = self._events.get(timeout=self._watchdog.due())
        except Empty:
            self._look_after_workers()
        else:
            do()

    def _look_after_workers(self) -> None:
        """End workers that are stuck; have another worker serve beside a slow one."""
        # Before the findings, so that the tracebacks of a slow worker are written before its successor tells.
        self._relieve()
        for worker, finding in self._watchdog.look([each for each in self._living if each.watched]):
            seconds = self._watchdog.seconds(worker)
            silence = f"The worker (process {worker.pid}) has not answered for {seconds:.0f} s"
            if finding is Finding.STUCK:
                self._announcer.warn(f"{silence}; ending it.")
                worker.kill()
            else:
                self._announcer.warn(f"{silence}{_in_request(worker)}. Its threads, the main thread last:")
                worker.show_tracebacks()

    def _relieve(self) -> None:
        """Start a worker beside the one that serves if that is slow: it may be stuck, and clients wait.

        Never start more than one: what made a worker slow may make its successor slow too.
        """
        slow = [worker for worker in self._living if self._watchdog.is_slow(worker)]
        if (
            slow == [self._serving]
            and self._relieved not in slow
            and not self._starting
            and not self._stopping
        ):
            self._announcer.warn("Starting another worker, which will take the new connections.")
            self._relieved = self._serving
            self._start()

    def _later(self, do: Callable[..., None], *arguments: Any) -> None:
        self._events.put(partial(do, *arguments))

    def _watcher(self) -> Watcher:
        root = self._job.template.parent
        trees = [root / "layers", root / "functions"]
        return Watcher(trees, [self._job.template, self._model], partial(self._later, self._on_change))

    def _start(self) -> None:
        """Start a worker, in place of one that is just starting: that has read what is no longer so."""
        if self._starting is not None:
            self._starting.kill()
        job = replace(self._job, previous_model=self._served_model)
        child = Child(
            job, self._listener, partial(self._later, self._on_report), partial(self._later, self._on_end)
        )
        child.model = _text(self._model)
        self._starting = child
        self._living.add(child)

    def _on_change(self, paths: Iterable[Path]) -> None:
        if not self._stopping:
            self._announcer.say(f"Changed: {', '.join(sorted(_shown(path) for path in paths))}")
            self._start()

    def _on_report(self, child: Child, report: Report) -> None:
        if child is self._starting or report.news in (News.LEFT, News.ALIVE):
            self._REACTIONS[report.news](self, child, report)

    def _on_news(self, _child: Child, report: Report) -> None:
        self._announcer.tell(report)

    def _on_ready(self, child: Child, report: Report) -> None:
        """Have a new worker take over."""
        told = report if self._served_since is None else replace(report, lines=("Serving that now.",))
        if self._serving is None:
            self._announcer.tell(told)
        elif self._watchdog.is_slow(self._serving):
            # It cannot take requests while it is stuck, and leaves when it is not any more.
            self._announcer.tell(told)
            self._serving.retire()
        else:
            self._successions[self._serving] = told
            self._serving.retire()
        child.watched = True
        self._serving, self._starting = child, None
        self._served_model, self._served_since = child.model, time.monotonic()

    def _on_left(self, child: Child, _report: Report) -> None:
        """Tell that a new worker has taken over: from now on no request reaches the old one."""
        told = self._successions.pop(child, None)
        if told is not None:
            self._announcer.tell(told)

    def _on_answer(self, child: Child, _report: Report) -> None:
        """Note that a worker's event loop turns."""
        silent = self._watchdog.answered(child)
        if silent is not None:
            self._announcer.warn(f"The worker (process {child.pid}) answers again, after {silent:.0f} s.")
            if child is self._relieved:
                self._relieved = None

    def _on_failure(self, _child: Child, report: Report) -> None:
        """Keep what there is."""
        self._announcer.tell(report)
        self._starting = None
        if self._served_since is None:
            self._code = BROKEN
            self._end()
        elif self._serving is not None:
            self._announcer.warn("The last good state keeps serving.")
        else:
            self._announcer.warn("Nothing is served until that is mended.")

    _REACTIONS: ClassVar[dict[News, Callable[["Supervisor", Child, Report], None]]] = {
        News.CHANGED: _on_news,
        News.PROGRESS: _on_news,
        News.READY: _on_ready,
        News.FAILED: _on_failure,
        News.LEFT: _on_left,
        News.ALIVE: _on_answer,
    }

    def _on_end(self, child: Child, code: int) -> None:
        self._living.discard(child)
        self._on_left(child, Report(News.LEFT))
        if self._stopping:
            return
        death = f"The worker (process {child.pid}) {_manner(code)}"
        if child is self._serving and code == 0:
            # A worker that this process tells to end serves no more; so somebody else told this one.
            self._announcer.say(f"The worker (process {child.pid}) was told to end; ending the service.")
            self._serving = None
            self._end()
        elif child is self._serving:
            self._serving = None
            self._deaths = 0 if time.monotonic() - (self._served_since or 0) > STEADY else self._deaths
            self._revive(death)
        elif child is self._starting and self._was_felled(code):
            self._starting = None
            self._revive(f"{death} before it served")
        elif child is self._starting:
            self._on_failure(child, Report(News.FAILED, (f"{death} before it served.",)))

    def _was_felled(self, code: int) -> bool:
        """Return whether a starting worker was killed from outside and nothing serves; the next may live."""
        return code == -signal.SIGKILL and self._serving is None and self._served_since is not None

    def _revive(self, death: str) -> None:
        """Start a worker in place of one that died, later each time."""
        self._announcer.warn(f"{death}; starting another.")
        pause = PAUSES[min(self._deaths, len(PAUSES) - 1)]
        self._deaths += 1
        timer = threading.Timer(pause, self._later, [self._start_if_none])
        timer.daemon = True
        timer.start()

    def _start_if_none(self) -> None:
        if not self._stopping and self._serving is None and self._starting is None:
            self._start()

    def _end(self) -> None:
        """Let the workers finish; told so again, end them."""
        if self._serving is not None and not self._stopping:
            self._announcer.say("Finishing what is under way. Once more ends it at once.")
        for child in self._living:
            if self._stopping or child is self._starting:
                child.kill()
            else:
                child.retire()
        self._stopping = True


def _text(model: Path) -> str | None:
    try:
        return model.read_text("utf-8")
    except (OSError, UnicodeError):
        return None


def _shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _in_request(worker: Child) -> str:
    """Say in which request a worker is, if it is in one."""
    name = worker.current_request()
    return f" in {name}" if name else ""


def _manner(code: int) -> str:
    """Say how a process ended."""
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"
