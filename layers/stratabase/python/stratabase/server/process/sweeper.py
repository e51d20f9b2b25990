"""A background thread that sweeps for as long as the service runs."""

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import Protocol, Self

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.observe import Log
from stratabase.core.store.write.cleanup import CleanupSteps

PERIOD = 300.0
"""The seconds between two sweeps, which also find what deletions in other processes have left."""
RETRY_PERIOD = 15.0
"""The seconds until the next sweep if one fails."""
STOP_TIMEOUT = 5.0
"""The seconds that the current step gets to finish at shutdown."""


class SweepableStore(Protocol):
    """The part of an instance that the sweeper uses."""

    def hand_over_cleanup(self, take: Callable[[CleanupSteps], None]) -> None:
        """Pass the cleanup that a deletion has no time for to `take` from now on."""

    def sweep_steps(self) -> CleanupSteps:
        """Return the steps that delete what deletions have left, and files that nothing refers to."""


class Sweeper:
    """A thread that sweeps at the start and periodically, and cleans up after each large deletion.

    Use it as a context manager. `period` is the seconds between two sweeps. With None, the thread only cleans
    up after the deletions of this process, because another process sweeps.
    """

    def __init__(self, store: SweepableStore, log: Log, period: float | None = PERIOD) -> None:
        self._store = store
        self._log = log
        self._period = period
        self._due = None if period is None else monotonic()
        self._tasks: SimpleQueue[CleanupSteps] = SimpleQueue()
        self._ending = Event()
        self._thread = Thread(target=self._run, name="sweeper", daemon=True)

    def __enter__(self) -> Self:
        self._store.hand_over_cleanup(self._tasks.put)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop after the current step. The store keeps what is left until the next start."""
        self._ending.set()
        self._tasks.put(iter(()))
        self._thread.join(STOP_TIMEOUT)

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                self._run_steps(self._next_steps())
            except Unavailable as error:
                self._retry_later("Cleanup after deletions postponed", error)
            except Exception as error:  # noqa: BLE001 - the thread must survive; the next sweep can succeed
                self._retry_later("Cleanup after deletions failed", error)

    def _next_steps(self) -> CleanupSteps:
        """Return the cleanup after the next deletion, or a whole sweep if it is due before."""
        try:
            return self._tasks.get(timeout=None if self._due is None else max(0.0, self._due - monotonic()))
        except Empty:
            self._due = None if self._period is None else monotonic() + self._period
            return self._store.sweep_steps()

    def _run_steps(self, steps: CleanupSteps) -> None:
        for _ in steps:
            if self._ending.is_set():
                return

    def _retry_later(self, text: str, error: Exception) -> None:
        if self._ending.is_set():
            return  # the store may be closed by now
        retry = monotonic() + RETRY_PERIOD
        self._due = retry if self._due is None else min(self._due, retry)
        if isinstance(error, Unavailable):
            self._log.warning(text, reason=str(error))
        else:
            self._log.error(text, error=error)
