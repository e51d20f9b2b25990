"""Notices workers whose event loop does not turn: it probes each one and counts how long an answer takes."""

import math
import signal
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from enum import Enum, auto
from typing import Generic, Protocol, TypeVar

CHECKS_PER_LIMIT = 20
"""How often the watchdog looks within the time limit."""
MAX_PERIOD = 60.0
"""Seconds from one look to the next at most."""
SLOW_DIVISOR = 3
"""After this part of the time limit, a worker counts as slow."""
SHOW_TRACEBACKS: signal.Signals = getattr(signal, "SIGUSR1", signal.SIGABRT)
"""On this signal a worker writes the tracebacks of its threads to standard error. Windows has no workers."""


class ProbeTarget(Hashable, Protocol):
    """A worker that answers a probe from its event loop."""

    def probe(self) -> None:
        """Ask it to answer, without waiting for the answer."""


class ProbeResult(Enum):
    """What the watchdog has found out about a worker."""

    SLOW = auto()
    """It has not answered for a part of the time limit; found once."""
    STUCK = auto()
    """It has not answered for the whole time limit; found once."""


class _Wait:
    """How long a worker has owed an answer."""

    def __init__(self) -> None:
        self.probed = False
        self.seconds = 0.0
        self.slow = False
        self.stuck = False


W = TypeVar("W", bound=ProbeTarget)


class Watchdog(Generic[W]):
    """Judges workers by the answers to its probes, in seconds during which it was itself awake.

    `limit` is for how many seconds a worker may owe an answer; 0 means for ever.
    """

    def __init__(self, limit: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit or math.inf
        self._period = min(self._limit / CHECKS_PER_LIMIT, MAX_PERIOD)
        self._clock = clock
        self._last_check = clock()
        self._waits: dict[W, _Wait] = {}

    def due(self) -> float:
        """Return in how many seconds it is time for the next look."""
        return max(0.0, self._last_check + self._period - self._clock())

    def check(self, workers: Iterable[W]) -> Iterator[tuple[W, ProbeResult]]:
        """Probe the workers that owe no answer, and yield those that have owed one for too long."""
        step = self._elapsed()
        self._waits = {worker: self._waits.get(worker) or _Wait() for worker in workers}
        for worker, wait in self._waits.items():
            if not wait.probed:
                wait.probed = True
                worker.probe()
                continue
            wait.seconds += step
            if wait.seconds >= self._limit / SLOW_DIVISOR and not wait.slow:
                wait.slow = True
                yield worker, ProbeResult.SLOW
            elif wait.seconds >= self._limit and not wait.stuck:
                wait.stuck = True
                yield worker, ProbeResult.STUCK

    def answered(self, worker: W) -> float | None:
        """Note that a worker has answered; return how long it took if it was slow."""
        wait = self._waits.pop(worker, None)
        return wait.seconds if wait is not None and wait.slow else None

    def seconds(self, worker: W) -> float:
        """Return how long a worker has owed an answer."""
        return self._waits[worker].seconds if worker in self._waits else 0.0

    def is_slow(self, worker: W) -> bool:
        """Return whether a worker was found to be slow and has not answered since."""
        return worker in self._waits and self._waits[worker].slow

    def _elapsed(self) -> float:
        """Return the seconds since the last look, at most two periods.

        When the machine slept, or the supervisor was stopped, much more time has passed. No worker could
        answer in it, or no supervisor could read the answer, so it counts against nobody.
        """
        now = self._clock()
        elapsed, self._last_check = now - self._last_check, now
        return min(elapsed, 2 * self._period)
