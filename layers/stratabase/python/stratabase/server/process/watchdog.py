"""Detection of workers whose event loop is blocked, by probes that they must answer in time."""

import math
import signal
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from enum import Enum, auto
from typing import Generic, Protocol, TypeVar

CHECKS_PER_LIMIT = 20
"""The minimum number of checks within the time limit."""
MAX_PERIOD = 60.0
"""The seconds between two checks without a limit."""
SLOW_SECONDS = 3.0
"""The seconds after which a worker counts as slow, because new connections should not wait longer."""
SLOW_DIVISOR = 3
"""If the time limit divided by this number is less, a worker counts as slow after that time."""
SHOW_TRACEBACKS: signal.Signals = getattr(signal, "SIGUSR1", signal.SIGABRT)
"""The signal on which a worker writes the stack traces of its threads to standard error. Windows lacks
SIGUSR1, but has no workers."""


class ProbeTarget(Hashable, Protocol):
    """A worker that answers a probe from its event loop."""

    def probe(self) -> None:
        """Ask the worker to answer, without waiting for the answer."""


class ProbeResult(Enum):
    """What the watchdog reports about a worker."""

    SLOW = auto()
    """The worker has not answered for a part of the time limit. Reported once per probe."""
    STUCK = auto()
    """The worker has not answered for the whole time limit. Reported once per probe."""


class _Wait:
    """The state of a worker's pending probe. `seconds` is how long the answer is overdue."""

    def __init__(self) -> None:
        self.probed = False
        self.seconds = 0.0
        self.slow = False
        self.stuck = False


W = TypeVar("W", bound=ProbeTarget)


class Watchdog(Generic[W]):
    """Detects slow and stuck workers by their answers to probes. It counts only time in which it runs itself.

    `limit` is the seconds that an answer can take. 0 means without limit.
    """

    def __init__(self, limit: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit or math.inf
        self._slow_after = min(SLOW_SECONDS, self._limit / SLOW_DIVISOR) if limit else math.inf
        self._period = min(self._limit / CHECKS_PER_LIMIT, SLOW_SECONDS / 4) if limit else MAX_PERIOD
        self._clock = clock
        self._last_check = clock()
        self._waits: dict[W, _Wait] = {}

    def seconds_until_check(self) -> float:
        """Return the seconds until the next check."""
        return max(0.0, self._last_check + self._period - self._clock())

    def check(self, workers: Iterable[W]) -> Iterator[tuple[W, ProbeResult]]:
        """Probe the workers that have no pending probe. Yield those that are newly slow or stuck."""
        step = self._elapsed()
        self._waits = {worker: self._waits.get(worker) or _Wait() for worker in workers}
        for worker, wait in self._waits.items():
            if not wait.probed:
                wait.probed = True
                worker.probe()
                continue
            wait.seconds += step
            if wait.seconds >= self._slow_after and not wait.slow:
                wait.slow = True
                yield worker, ProbeResult.SLOW
            elif wait.seconds >= self._limit and not wait.stuck:
                wait.stuck = True
                yield worker, ProbeResult.STUCK

    def record_answer(self, worker: W) -> float | None:
        """Record that a worker has answered. Return how many seconds that took if it was slow, or None."""
        wait = self._waits.pop(worker, None)
        return wait.seconds if wait is not None and wait.slow else None

    def pending_seconds(self, worker: W) -> float:
        """Return for how many seconds the answer of a worker has been pending."""
        return self._waits[worker].seconds if worker in self._waits else 0.0

    def is_slow(self, worker: W) -> bool:
        """Return whether a worker was reported as slow and has not answered since."""
        return worker in self._waits and self._waits[worker].slow

    def _elapsed(self) -> float:
        """Return the seconds since the last check, at most two periods.

        If the machine slept or the supervisor was suspended, more time has passed. Workers could not answer
        then, or the supervisor could not read the answers, so this time does not count.
        """
        now = self._clock()
        elapsed, self._last_check = now - self._last_check, now
        return min(elapsed, 2 * self._period)
