"""Ends what deletions have left, in a thread of its own, for as long as the service runs."""

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import Protocol, Self

from stratabase.domain.issues.refusals import Unavailable
from stratabase.observe import Log
from stratabase.store.write.cleanup import CleanupSteps

PERIOD = 300.0
"""Seconds from one look at what deletions have left, here and in other processes, to the next."""
RETRY_PERIOD = 15.0
"""Seconds until the next look if the store did not answer."""
STOP_TIMEOUT = 5.0
"""Seconds that the step under way gets at the end."""


class SweepableStore(Protocol):
    """Where deletions may leave something: the stored objects."""

    def hand_over_cleanup(self, take: Callable[[CleanupSteps], None]) -> None:
        """Have `take` get what a deletion has no time to end."""

    def sweep_steps(self) -> CleanupSteps:
        """Return what ends all that deletions have left."""


class Sweeper:
    """Sweeps when it starts, whenever a deletion has left something, and from time to time."""

    def __init__(self, store: SweepableStore, log: Log, period: float = PERIOD) -> None:
        self._store = store
        self._log = log
        self._period = period
        self._due = monotonic()
        self._tasks: SimpleQueue[CleanupSteps] = SimpleQueue()
        self._ending = Event()
        self._thread = Thread(target=self._run, name="sweeper", daemon=True)

    def __enter__(self) -> Self:
        self._store.hand_over_cleanup(self._tasks.put)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Have the step under way be the last; what is left then waits in the store for the next start."""
        self._ending.set()
        self._tasks.put(iter(()))
        self._thread.join(STOP_TIMEOUT)

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                self._do(self._next())
            except Unavailable as error:
                self._retry_later("Cleanup after deletions postponed", error)
            except Exception as error:  # noqa: BLE001 - whatever it is, the next sweep may fare better
                self._retry_later("Cleanup after deletions failed", error)

    def _next(self) -> CleanupSteps:
        """Wait for what a deletion leaves, or until it is time to look by itself."""
        try:
            return self._tasks.get(timeout=max(0.0, self._due - monotonic()))
        except Empty:
            self._due = monotonic() + self._period
            return self._store.sweep_steps()

    def _do(self, steps: CleanupSteps) -> None:
        for _ in steps:
            if self._ending.is_set():
                return

    def _retry_later(self, text: str, error: Exception) -> None:
        if self._ending.is_set():
            return  # the store may be closed by now
        self._due = min(self._due, monotonic() + RETRY_PERIOD)
        if isinstance(error, Unavailable):
            self._log.warning(text, reason=str(error))
        else:
            self._log.error(text, error=error)
