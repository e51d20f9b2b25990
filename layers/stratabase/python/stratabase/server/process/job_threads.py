"""Background threads that run jobs for as long as the service runs, one for each kind.

So a mail server that does not answer delays no cleanup.
"""

from collections.abc import Callable, Iterable
from contextlib import closing
from threading import Event, Thread
from time import monotonic
from typing import Any, Self

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.jobs.job import JobKind
from stratabase.core.jobs.runner import JobsFailed, Runner
from stratabase.core.observe import Log

RETRY_PERIOD = 15.0
"""The seconds until the next round if one fails."""
STOP_TIMEOUT = 5.0
"""The seconds that the current steps get to finish at shutdown."""


class JobThreads:
    """Threads that run jobs at the start, periodically, and when this process has added some.

    Use it as a context manager. If not `looks`, the threads only run after this process has added jobs,
    because another process looks for all others.
    """

    def __init__(
        self, kinds: Iterable[JobKind[Any]], now: Callable[[], Instant], log: Log, *, looks: bool = True
    ) -> None:
        """`now`: returns the present instant."""
        runner = Runner(now, log)
        self._threads = [
            _JobThread(kind, runner, now, log, looks=looks)
            for kind in kinds
            if looks or kind.on_added is not None
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop after the current steps. The queues keep what is left until the next start."""
        for thread in self._threads:
            thread.end()
        deadline = monotonic() + STOP_TIMEOUT
        for thread in self._threads:
            thread.join(max(0.0, deadline - monotonic()))  # the next process repeats what takes longer


class _JobThread(Thread):
    def __init__(
        self, kind: JobKind[Any], runner: Runner, now: Callable[[], Instant], log: Log, *, looks: bool
    ) -> None:
        super().__init__(name=f"jobs: {kind.name}", daemon=True)
        self._kind = kind
        self._runner = runner
        self._now = now
        self._log = log
        self._looks = looks
        self._wake = Event()
        self._is_ending = False
        if kind.on_added is not None:
            kind.on_added(self._wake.set)

    def run(self) -> None:
        """Run rounds until the end."""
        pause: float | None = 0.0 if self._looks else None
        while not self._is_ending:
            self._wake.wait(pause)
            self._wake.clear()
            try:
                pause = self._pause(has_failed=self._has_failed())
            except Exception as error:  # noqa: BLE001 - the thread must survive; the next round can succeed
                self._report(error)
                pause = RETRY_PERIOD

    def end(self) -> None:
        """Stop after the current step."""
        self._is_ending = True
        self._wake.set()

    def _has_failed(self) -> bool:
        """Run one round, or a part of it. Return whether jobs have failed, for reasons that are logged."""
        with closing(self._runner.steps([self._kind])) as steps:
            try:
                while not self._is_ending and next(steps, self) is not self:
                    pass
            except JobsFailed:
                return True
        return False

    def _pause(self, *, has_failed: bool) -> float | None:
        """Return the seconds until the next round, None to wait until this process has added a job."""
        waits = [self._kind.period] if self._looks else []
        if self._kind.lease is None:
            waits += [RETRY_PERIOD] if has_failed else []
        elif (due := self._kind.queue.next_due(now := self._now())) is not None:
            waits.append((due - now) / 1000)
        return min(waits, default=None)

    def _report(self, error: Exception) -> None:
        if self._is_ending:
            return  # the store may be closed by now
        if isinstance(error, Unavailable):
            self._log.warning("Jobs postponed", job=self._kind.name, reason=str(error))
        else:
            self._log.error("Jobs postponed", job=self._kind.name, error=error)
