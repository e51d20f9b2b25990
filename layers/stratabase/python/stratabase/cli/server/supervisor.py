"""The supervisor: keeps a worker serving, and replaces it when files change, or when it dies or gets stuck.

A new worker replaces the serving one only when it is ready. If it fails, the old worker keeps serving.
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

from stratabase.cli.server.console import Console
from stratabase.cli.server.messages import Job, ReportKind, WorkerReport
from stratabase.cli.server.watchdog import ProbeResult, Watchdog
from stratabase.cli.server.watcher import Watcher
from stratabase.cli.server.worker_process import WorkerProcess
from stratabase.cli.terminal.command_error import FAILED

RESTART_DELAYS = (0.0, 0.5, 1.0, 2.0, 5.0)
"""The seconds before a worker is started again after its first death, its second death, and so on."""
STABLE_AFTER = 10.0
"""The seconds that a worker must serve before its death counts as the first again."""
_OF_SERVING_WORKERS = frozenset({ReportKind.DRAINING, ReportKind.ALIVE, ReportKind.COUNTED})
"""The reports that a worker sends after it is ready. Others come from a worker that is outdated."""


class Supervisor:
    """Runs workers on one listening socket, so that a new worker takes over without refusing connections.

    All state belongs to the thread that runs `run`. Other threads and signal handlers only enqueue actions.
    `limit` is the seconds for which the event loop of a worker can be blocked. 0 means without limit.
    """

    def __init__(
        self, job: Job, model: Path, listener: socket.socket, console: Console, limit: float
    ) -> None:
        self._job = job
        self._model = model
        self._listener = listener
        self._console = console
        self._events: SimpleQueue[Callable[[], None]] = SimpleQueue()
        """The actions that the thread of `run` executes in order."""
        self._workers: set[WorkerProcess] = set()
        self._serving: WorkerProcess | None = None
        self._starting: WorkerProcess | None = None
        self._pending_reports: dict[WorkerProcess, list[WorkerReport]] = {}
        """The reports to show when a replaced worker accepts no more requests, by that worker."""
        self._watchdog: Watchdog[WorkerProcess] = Watchdog(limit)
        self._last_replaced: WorkerProcess | None = None
        """The last slow worker for which another worker was started."""
        self._served_model: str | None = None
        self._served_since: float | None = None
        self._deaths = 0
        self._stopping = False
        self._code = 0

    def run(self) -> int:
        """Serve until a signal stops the service, and return the exit code."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self._events.put(self._end))
        self._start()
        watcher = self._watcher()
        watcher.start()
        while self._workers or not self._stopping:
            self._run_next_action()
        watcher.stop()
        return self._code

    def _run_next_action(self) -> None:
        """Execute the next action, or check the workers if none arrives until the next check is due."""
        try:
            action = self._events.get(timeout=self._watchdog.seconds_until_check())
        except Empty:
            self._check_workers()
        else:
            action()

    def _check_workers(self) -> None:
        """Kill stuck workers, and start another worker for a slow one."""
        # Replace a slow worker one check after it was found. Then the stack traces of the slow worker are
        # written before its successor reports anything.
        self._replace_slow_worker()
        for worker, finding in self._watchdog.check([each for each in self._workers if each.watched]):
            seconds = self._watchdog.pending_seconds(worker)
            silence = f"The worker (process {worker.pid}) has not responded for {seconds:.0f} s"
            if finding is ProbeResult.STUCK:
                self._console.warn(f"{silence}. Stopping it.")
                worker.kill()
            else:
                self._console.warn(
                    f"{silence}{_request_text(worker)}. Stack traces of its threads, main thread last:"
                )
                worker.show_tracebacks()

    def _replace_slow_worker(self) -> None:
        """Start another worker if the serving one is slow, because it can be stuck while clients wait.

        Start only one for each slow worker: its successor can be slow for the same reason.
        """
        slow = [worker for worker in self._workers if self._watchdog.is_slow(worker)]
        if (
            slow == [self._serving]
            and self._last_replaced not in slow
            and not self._starting
            and not self._stopping
        ):
            self._console.warn("Starting another worker for new connections.")
            self._last_replaced = self._serving
            self._start()

    def _enqueue(self, action: Callable[..., None], *arguments: Any) -> None:
        self._events.put(partial(action, *arguments))

    def _watcher(self) -> Watcher:
        root = self._job.template.parent
        trees = [root / "layers", root / "functions"]
        return Watcher(trees, [self._job.template, self._model], partial(self._enqueue, self._on_change))

    def _start(self) -> None:
        """Start a worker. Kill one that is still starting, because it has read outdated files."""
        if self._starting is not None:
            self._starting.kill()
        job = replace(self._job, previous_model=self._served_model)
        worker = WorkerProcess(
            job, self._listener, partial(self._enqueue, self._on_report), partial(self._enqueue, self._on_end)
        )
        worker.model = _read_text(self._model)
        self._starting = worker
        self._workers.add(worker)

    def _on_change(self, paths: Iterable[Path]) -> None:
        if not self._stopping:
            self._console.say(f"Changed: {', '.join(sorted(_relative(path) for path in paths))}")
            self._start()

    def _on_report(self, worker: WorkerProcess, report: WorkerReport) -> None:
        if worker is self._starting or report.kind in _OF_SERVING_WORKERS:
            self._HANDLERS[report.kind](self, worker, report)

    def _on_progress(self, _worker: WorkerProcess, report: WorkerReport) -> None:
        self._console.show(report)

    def _on_ready(self, worker: WorkerProcess, report: WorkerReport) -> None:
        """Let a new worker take over from the serving one."""
        announcement = (
            report if self._served_since is None else replace(report, lines=("Serving the new version.",))
        )
        if self._serving is None:
            self._console.show(announcement)
        elif self._watchdog.is_slow(self._serving):
            # A stuck worker accepts no requests, so do not wait for its report. It ends when it runs again.
            self._console.show(announcement)
            self._serving.retire()
        else:
            self._pending_reports[self._serving] = [announcement]
            self._serving.retire()
        worker.watched = True
        self._serving, self._starting = worker, None
        self._served_model, self._served_since = worker.model, time.monotonic()

    def _on_draining(self, worker: WorkerProcess, _report: WorkerReport) -> None:
        """Show that a new worker has taken over, now that no request reaches the old one."""
        for pending in self._pending_reports.pop(worker, ()):
            self._console.show(pending)

    def _on_counted(self, _worker: WorkerProcess, report: WorkerReport) -> None:
        """Show what the changes of the model concern, but not before the new model is announced."""
        if self._pending_reports:
            next(reversed(self._pending_reports.values())).append(report)
        else:
            self._console.show(report)

    def _on_alive(self, worker: WorkerProcess, _report: WorkerReport) -> None:
        """Record that the event loop of a worker runs."""
        silent = self._watchdog.record_answer(worker)
        if silent is not None:
            self._console.warn(f"The worker (process {worker.pid}) responds again after {silent:.0f} s.")
            if worker is self._last_replaced:
                self._last_replaced = None

    def _on_failed(self, _worker: WorkerProcess, report: WorkerReport) -> None:
        """Show why a new worker failed. Keep the serving one, or stop if nothing has ever served."""
        self._console.show(report)
        self._starting = None
        if self._served_since is None:
            self._code = FAILED
            self._end()
        elif self._serving is not None:
            self._console.warn("The last valid version keeps serving.")
        else:
            self._console.warn("Stratabase serves nothing until you fix this error.")

    _HANDLERS: ClassVar[dict[ReportKind, Callable[["Supervisor", WorkerProcess, WorkerReport], None]]] = {
        ReportKind.MODEL_CHANGED: _on_progress,
        ReportKind.PROGRESS: _on_progress,
        ReportKind.COUNTED: _on_counted,
        ReportKind.READY: _on_ready,
        ReportKind.FAILED: _on_failed,
        ReportKind.DRAINING: _on_draining,
        ReportKind.ALIVE: _on_alive,
    }

    def _on_end(self, worker: WorkerProcess, code: int) -> None:
        self._workers.discard(worker)
        self._on_draining(worker, WorkerReport(ReportKind.DRAINING))
        if self._stopping:
            return
        death = f"The worker (process {worker.pid}) {_describe_exit(code)}"
        if worker is self._serving and code == 0:
            # The supervisor only stops workers that no longer serve, so somebody else has stopped this one.
            self._console.say(
                f"The worker (process {worker.pid}) received a signal to stop. Stopping the service."
            )
            self._serving = None
            self._end()
        elif worker is self._serving:
            self._serving = None
            self._deaths = 0 if time.monotonic() - (self._served_since or 0) > STABLE_AFTER else self._deaths
            self._restart(death)
        elif worker is self._starting and self._was_killed(code):
            self._starting = None
            self._restart(f"{death} before it was ready")
        elif worker is self._starting:
            self._on_failed(worker, WorkerReport(ReportKind.FAILED, (f"{death} before it was ready.",)))

    def _was_killed(self, code: int) -> bool:
        """Return whether a starting worker was killed from outside while nothing serves. A retry can help."""
        return code == -signal.SIGKILL and self._serving is None and self._served_since is not None

    def _restart(self, death: str) -> None:
        """Start a worker in place of one that died, after a delay that grows with each death."""
        self._console.warn(f"{death}. Starting another worker.")
        pause = RESTART_DELAYS[min(self._deaths, len(RESTART_DELAYS) - 1)]
        self._deaths += 1
        timer = threading.Timer(pause, self._enqueue, [self._start_if_none])
        timer.daemon = True
        timer.start()

    def _start_if_none(self) -> None:
        if not self._stopping and self._serving is None and self._starting is None:
            self._start()

    def _end(self) -> None:
        """Let the workers finish their requests. The second call kills them."""
        if self._serving is not None and not self._stopping:
            self._console.say("Finishing current requests. To stop immediately, interrupt again.")
        for worker in self._workers:
            if self._stopping or worker is self._starting:
                worker.kill()
            else:
                worker.retire()
        self._stopping = True


def _read_text(model: Path) -> str | None:
    try:
        return model.read_text("utf-8")
    except (OSError, UnicodeError):
        return None


def _relative(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _request_text(worker: WorkerProcess) -> str:
    """Return the request that a worker runs as a part of a sentence, or an empty text."""
    name = worker.current_request()
    return f" in {name}" if name else ""


def _describe_exit(code: int) -> str:
    """Return how a process ended as a part of a sentence."""
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"exited with code {code}"
