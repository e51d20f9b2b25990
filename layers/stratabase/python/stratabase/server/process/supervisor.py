"""The supervisor: keeps workers serving, and replaces them when files change, or when they die or get stuck.

A new version replaces the serving one only when all of its workers are ready. If one fails, the old workers
keep serving.
"""

import os
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

from stratabase.server.process.console import Console
from stratabase.server.process.messages import ReportKind, WorkerReport, WorkerTask
from stratabase.server.process.unavailable import UnavailableServer
from stratabase.server.process.watchdog import ProbeResult, Watchdog
from stratabase.server.process.watcher import Watcher
from stratabase.server.process.worker_process import ServedVersion, WorkerProcess
from stratabase.terminal.command_error import FAILED

RESTART_DELAYS = (0.0, 0.5, 1.0, 2.0, 5.0)
"""The seconds before a worker is started again after its first death, its second death, and so on."""
RETRY_DELAY = 30.0
"""The seconds before a worker is started again that failed to start in place of another one."""
STABLE_AFTER = 10.0
"""The seconds that a worker must serve before its death counts as the first again."""
_OF_SERVING_WORKERS = frozenset({ReportKind.DRAINING, ReportKind.ALIVE, ReportKind.COUNTED})
"""The reports that a worker sends after it is ready. Others come from a worker that is outdated."""


class Supervisor:
    """Runs workers on one listening socket, so that new workers take over without refusing connections.

    All state belongs to the thread that runs `run`. Other threads and signal handlers only enqueue actions.
    `size` is the number of workers. `limit` is the seconds for which the event loop of a worker can be
    blocked. 0 means without limit. `watches` starts a new version when the model changes, or a file in the
    folder `code`.
    """

    def __init__(  # noqa: PLR0913 - what a family of processes needs
        self,
        job: WorkerTask,
        model: Path,
        listener: socket.socket,
        console: Console,
        limit: float,
        *,
        size: int = 1,
        watches: bool = True,
        code: Path | None = None,
    ) -> None:
        self._job = job
        self._model = model
        self._listener = listener
        self._unavailable = UnavailableServer(listener)
        self._console = console
        self._size = size
        self._watches = watches
        self._code = code
        self._has_terminal = _has_terminal()
        self._events: SimpleQueue[Callable[[], None]] = SimpleQueue()
        """The actions that the thread of `run` executes in order."""
        self._workers: set[WorkerProcess] = set()
        """All workers that have not ended."""
        self._current: ServedVersion | None = None
        """The version that serves."""
        self._next: ServedVersion | None = None
        """The version that starts."""
        self._undrained: set[WorkerProcess] = set()
        """The replaced workers that can still answer with the old version."""
        self._pending_reports: list[WorkerReport] = []
        """The reports to show when `_undrained` is empty."""
        self._watchdog: Watchdog[WorkerProcess] = Watchdog(limit)
        self._last_replaced: dict[int, WorkerProcess] = {}
        """By number, the last slow worker for which another worker was started."""
        self._deaths = 0
        self._killed_starts = 0
        """How often workers of a new version were killed from outside since it was asked for."""
        self._stopping = False
        self._exit_code = 0

    def count_workers(self) -> int:
        """Return the number of workers that serve. Any thread can call this."""
        current = self._current
        return 0 if current is None else len(current.serving)

    def run(self, metrics: Path | None = None) -> int:
        """Serve until a signal stops the service, and return the exit code.

        `metrics` is the folder in which the workers keep their metrics.
        """
        self._job = replace(self._job, metrics=metrics)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self._events.put(self._end))
        if hasattr(signal, "SIGHUP"):
            # `nohup` makes a process ignore that its terminal closes.
            outlives_terminal = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            on_hangup = partial(self._on_hangup, outlives_terminal)
            signal.signal(signal.SIGHUP, lambda *_: self._events.put(on_hangup))
        self._start_version()
        watcher = self._watcher()
        watcher.start()
        while self._workers or not self._stopping:
            self._run_next_action()
        watcher.stop()
        return self._exit_code

    def _run_next_action(self) -> None:
        """Execute the next action, or check the workers if none arrives until the next check is due."""
        try:
            action = self._events.get(timeout=self._watchdog.seconds_until_check())
        except Empty:
            self._check_workers()
        else:
            action()

    def _check_workers(self) -> None:
        """Kill stuck workers, and start other workers for slow ones."""
        # Replace a slow worker one check after it was found. Then the stack traces of the slow worker are
        # written before its successor reports anything.
        self._replace_slow_workers()
        watched = [each for each in self._workers if each.served_since is not None]
        for worker, finding in self._watchdog.check(watched):
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

    def _replace_slow_workers(self) -> None:
        """Start another worker for each serving one that is slow, because it can be stuck while clients wait.

        Start only one for each slow worker: its successor can be slow for the same reason.
        """
        current = self._current
        if current is None or self._next is not None or self._stopping:
            return
        slow = {worker for worker in self._workers if self._watchdog.is_slow(worker)}
        for worker in list(current.serving.values()):
            same_number = {each for each in slow if each.number == worker.number}
            if (
                same_number == {worker}
                and self._last_replaced.get(worker.number) is not worker
                and worker.number not in current.starting
            ):
                self._console.warn("Starting another worker for new connections.")
                self._last_replaced[worker.number] = worker
                self._start_worker(current, worker.number)

    def _enqueue(self, action: Callable[..., None], *arguments: Any) -> None:
        self._events.put(partial(action, *arguments))

    def _enqueue_later(self, seconds: float, action: Callable[[], None]) -> None:
        timer = threading.Timer(seconds, self._enqueue, [action])
        timer.daemon = True
        timer.start()

    def _watcher(self) -> Watcher:
        trees = [self._code] if self._watches and self._code is not None else []
        files = [self._model] if self._watches else []
        return Watcher(trees, files, partial(self._enqueue, self._on_change))

    # ------------------------------------------------------------------------------------ starting of workers

    def _start_version(self) -> None:
        """Start a new version. Abandon one that is still starting, because it has read outdated files.

        The other workers start after the first one, which creates and builds what all of them need.
        """
        self._abandon_next()
        self._next = ServedVersion(_read_text(self._model), self._size)
        self._start_worker(self._next, 0)

    def _start_worker(self, version: ServedVersion, number: int) -> None:
        """Start a worker of a version. Only the first worker of a new version reports what has changed."""
        is_first = version is self._next and number == 0
        served = self._current.model if self._current is not None else None
        taken = {each.metrics_process for each in self._workers}
        job = replace(
            self._job,
            number=number,
            previous_model=served if is_first else version.model,
            kept_model=version.model if self._job.keeps_model and version is self._current else None,
            metrics_process=min(set(range(len(taken) + 1)) - taken),
        )
        worker = WorkerProcess(
            job, self._listener, partial(self._enqueue, self._on_report), partial(self._enqueue, self._on_end)
        )
        version.starting[number] = worker
        self._workers.add(worker)

    def _abandon_next(self) -> None:
        """End the workers of the version that starts."""
        if self._next is not None:
            self._retire(self._next)
            self._next = None

    def _fill_current(self) -> None:
        """Start the missing workers of the serving version, or a new version if the model has changed.

        If the model is kept until somebody decides, a new version starts only on a change or a reload.
        """
        current = self._current
        if self._stopping or current is None or self._next is not None or not current.vacant():
            return
        if not self._job.keeps_model and _read_text(self._model) != current.model:
            self._start_version()
            return
        for number in current.vacant():
            self._start_worker(current, number)

    def _on_change(self, paths: Iterable[Path]) -> None:
        if not self._stopping:
            self._console.say(f"Changed: {', '.join(sorted(_relative(path) for path in paths))}")
            self._killed_starts = 0
            self._start_version()

    def _on_hangup(self, outlives_terminal: bool) -> None:  # noqa: FBT001 - internal
        """Start a new version on SIGHUP. If the terminal was closed, stop instead."""
        if self._has_terminal and not _has_terminal():
            self._has_terminal = False
            if not outlives_terminal:
                self._console.detach()
                self._end()
        elif not self._stopping:
            self._console.say("Reloading the model and the code.")
            self._killed_starts = 0
            self._start_version()

    # ------------------------------------------------------------------------------------- reports of workers

    def _version_of(self, worker: WorkerProcess) -> ServedVersion | None:
        """Return the version of a worker, or None if it was replaced or abandoned."""
        versions = (self._current, self._next)
        return next((version for version in versions if version is not None and worker in version), None)

    def _on_report(self, worker: WorkerProcess, report: WorkerReport) -> None:
        if report.kind is ReportKind.READY:
            worker.served_since = time.monotonic()  # also if it is outdated: it still finishes requests
        # At the end, no worker starts or takes over any more.
        version = None if self._stopping else self._version_of(worker)
        if (version is not None and version.is_starting(worker)) or report.kind in _OF_SERVING_WORKERS:
            self._HANDLERS[report.kind](self, worker, report)

    def _on_progress(self, worker: WorkerProcess, report: WorkerReport) -> None:
        if worker.number == 0:
            self._console.show(report)

    def _on_prepared(self, worker: WorkerProcess, _report: WorkerReport) -> None:
        """Let a replacement begin at once, and the workers of a new version begin together."""
        version = self._version_of(worker)
        if version is None or version is not self._next:
            self._unavailable.stop()
            worker.begin()
            return
        version.prepared.add(worker)
        if version.is_prepared:
            self._unavailable.stop()
            for each in version.prepared:
                each.begin()
        elif worker.number == 0:
            for number in version.vacant():
                self._start_worker(version, number)

    def _on_ready(self, worker: WorkerProcess, report: WorkerReport) -> None:
        """Let a new version take over from the serving one once all of its workers serve."""
        version = self._version_of(worker)
        assert version is not None
        replaced = version.record_ready(worker)
        if version is self._current:
            self._console.show(replace(report, lines=(f"Another worker serves (process {worker.pid}).",)))
        elif worker.number == 0:
            is_first = self._current is None
            version.reports.append(
                report if is_first else replace(report, lines=("Serving the new version.",))
            )
        if replaced is not None:
            replaced.retire()
        if version is self._next and version.is_complete:
            self._take_over(version)

    def _take_over(self, version: ServedVersion) -> None:
        """Retire the workers of the old version. Show that the new one serves when no old one answers."""
        old, self._current, self._next = self._current, version, None
        self._killed_starts = 0
        self._pending_reports += version.reports
        if old is not None:
            self._retire(old)
        self._show_pending_reports()
        # The file may have changed before it was watched, or while the workers were reading it.
        if self._watches and _read_text(self._model) not in {None, version.model}:
            self._on_change([self._model])

    def _retire(self, version: ServedVersion) -> None:
        """End the workers of a version, which can still answer until they have reported DRAINING."""
        for worker in version.workers():
            # A worker that was told to begin may have accepted clients, even if it has not reported READY.
            if not worker.has_begun:
                worker.kill()
                continue
            worker.retire()
            # A stuck worker accepts no requests, so do not wait for it. It ends when it runs again.
            if not self._watchdog.is_slow(worker):
                self._undrained.add(worker)

    def _show_pending_reports(self) -> None:
        if not self._undrained:
            for pending in self._pending_reports:
                self._console.show(pending)
            self._pending_reports.clear()

    def _on_draining(self, worker: WorkerProcess, _report: WorkerReport) -> None:
        """Show that a new version has taken over, if no request reaches the old one any more."""
        self._undrained.discard(worker)
        self._show_pending_reports()

    def _on_counted(self, worker: WorkerProcess, report: WorkerReport) -> None:
        """Show what the changes of the model concern, but not before the new model is announced."""
        if self._next is not None and worker in self._next:
            self._next.reports.append(report)
        elif self._pending_reports:
            self._pending_reports.append(report)
        else:
            self._console.show(report)

    def _on_alive(self, worker: WorkerProcess, _report: WorkerReport) -> None:
        """Record that the event loop of a worker runs."""
        silent = self._watchdog.record_answer(worker)
        if silent is not None:
            self._console.warn(f"The worker (process {worker.pid}) responds again after {silent:.0f} s.")
            if self._last_replaced.get(worker.number) is worker:
                del self._last_replaced[worker.number]

    def _on_failed(self, worker: WorkerProcess, report: WorkerReport) -> None:
        """Show why a worker failed to start. Keep those that serve, or stop if nothing has ever served."""
        version = self._version_of(worker)
        assert version is not None
        version.remove(worker)
        self._fail(version, report)

    def _fail(self, version: ServedVersion, report: WorkerReport) -> None:
        self._console.show(report)
        if version is self._next:
            self._abandon_next()
        if self._current is None:
            self._exit_code = FAILED
            self._end()
            return
        if self._stopping:
            return
        if not self._current.serving:
            self._console.warn("All requests get the status 503 until you fix this error.")
            self._unavailable.start()
        elif version is self._current:
            self._console.warn("The other workers keep serving.")
        else:
            self._console.warn("The last valid version keeps serving.")
        self._enqueue_later(RETRY_DELAY, self._fill_current)

    _HANDLERS: ClassVar[dict[ReportKind, Callable[["Supervisor", WorkerProcess, WorkerReport], None]]] = {
        ReportKind.MODEL_CHANGED: _on_progress,
        ReportKind.PROGRESS: _on_progress,
        ReportKind.COUNTED: _on_counted,
        ReportKind.PREPARED: _on_prepared,
        ReportKind.READY: _on_ready,
        ReportKind.FAILED: _on_failed,
        ReportKind.DRAINING: _on_draining,
        ReportKind.ALIVE: _on_alive,
    }

    # ---------------------------------------------------------------------------------------- ends of workers

    def _on_end(self, worker: WorkerProcess, code: int) -> None:
        self._workers.discard(worker)
        if self._last_replaced.get(worker.number) is worker:
            del self._last_replaced[worker.number]
        self._on_draining(worker, WorkerReport(ReportKind.DRAINING))
        version = self._version_of(worker)
        if self._stopping or version is None:
            return
        was_serving = version.is_serving(worker)
        death = f"The worker (process {worker.pid}) {_describe_exit(code)}"
        version.remove(worker)
        if version is self._next and code == -signal.SIGKILL and self._current is not None:
            self._retry_version(death if was_serving else f"{death} before it was ready")
        elif not was_serving and not self._was_killed(code):
            text = f"{death} before it was ready."
            self._fail(version, WorkerReport(ReportKind.FAILED, (text,)))
        elif was_serving and code == 0 and not version.serving:
            # The supervisor only stops workers that no longer serve, so somebody else has stopped this one.
            self._console.say(
                f"The worker (process {worker.pid}) received a signal to stop. Stopping the service."
            )
            self._end()
        elif self._current is None:
            text = f"{death} before all workers served."
            self._fail(version, WorkerReport(ReportKind.FAILED, (text,)))
        else:
            if version is self._next:
                self._abandon_next()
            is_stable = time.monotonic() - (worker.served_since or 0) > STABLE_AFTER
            self._deaths = 0 if was_serving and is_stable else self._deaths
            self._restart(death if was_serving else f"{death} before it was ready")

    def _retry_version(self, death: str) -> None:
        """Start a new version again whose worker was killed from outside, such as for lack of memory."""
        self._abandon_next()
        if self._killed_starts == len(RESTART_DELAYS):
            self._console.warn(f"{death}. The last valid version keeps serving.")
            self._enqueue_later(RETRY_DELAY, self._fill_current)
            return
        self._console.warn(f"{death}. Starting the new version again.")
        pause = RESTART_DELAYS[self._killed_starts]
        self._killed_starts += 1
        self._enqueue_later(pause, self._start_version_again)

    def _start_version_again(self) -> None:
        """Start a new version, unless another one was asked for meanwhile."""
        if self._next is None and not self._stopping:
            self._start_version()

    def _was_killed(self, code: int) -> bool:
        """Return whether a starting worker was killed from outside while workers are missing."""
        return code == -signal.SIGKILL and self._current is not None and bool(self._current.vacant())

    def _restart(self, death: str) -> None:
        """Start a worker in place of one that died, after a delay that grows with each death."""
        is_missing = self._current is not None and bool(self._current.vacant())
        self._console.warn(f"{death}. Starting another worker." if is_missing else f"{death}.")
        pause = RESTART_DELAYS[min(self._deaths, len(RESTART_DELAYS) - 1)]
        self._deaths += 1
        self._enqueue_later(pause, self._fill_current)

    def _end(self) -> None:
        """Let the workers finish their requests. The second call kills them."""
        if self._current is not None and not self._stopping:
            self._console.say("Finishing current requests. To stop immediately, interrupt again.")
        for worker in self._workers:
            if self._stopping or not worker.has_begun:
                worker.kill()
            else:
                worker.stop()
        self._stopping = True
        # Without this, new clients would wait in the queue of a socket from which nobody accepts them.
        self._unavailable.stop()
        self._listener.close()


def _read_text(model: Path) -> str | None:
    try:
        return model.read_text("utf-8")
    except (OSError, UnicodeError):
        return None


def _has_terminal() -> bool:
    """Return whether this process belongs to a terminal that is open."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


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
