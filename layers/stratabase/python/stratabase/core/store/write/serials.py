"""Generates the numbers of Serial attributes, each from a counter item that only increases.

A process takes a block of numbers from the counter in one call, `increment`, which adds to the counter and
returns the sum. So no two processes get the same number, and none has to read the counter or to try again.
An earlier release writes the next number under the condition that the counter is as it read it. Such a write
fails after an increment, and an increment counts from what it wrote. So both may run side by side.

A block has one number, or as many as a request needs, unless numbers are wanted fast. So there are gaps only
after a refused write, a lost response or a crash, or when the rest of a larger block is not used.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from threading import Lock

from stratabase.core import waiting
from stratabase.core.domain.objects.entity import SerialName
from stratabase.core.store.engine.parallel import ParallelMap, sequential_map
from stratabase.core.store.engine.port import Engine, Item
from stratabase.core.store.layout import keys

_LAST = "last"
"""The attribute of a counter with the last number that was taken."""
BLOCKS_PER_SECOND = 20
"""How many blocks all processes together take from a counter, if numbers are wanted faster than this.

DynamoDB writes an item at most 1,000 times a second.
"""
_MAX_SECONDS = 10.0
"""The maximum time that a block lasts at the rate at which its process uses numbers."""
_REST_SECONDS = 60.0
"""How long the rest of a block is used. So the numbers of several processes stay roughly in order."""
_WINDOW = 1.0
"""The minimum time over which the rate of a counter is measured, in seconds."""


class SerialCounters:
    """A generator of serial numbers for one process, whose requests may run in any number of threads."""

    def __init__(
        self,
        engine: Engine,
        parallel_map: ParallelMap = sequential_map,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        """`parallel_map`: takes the numbers of several attributes. The clocks return seconds."""
        self._engine = engine
        self._parallel_map = parallel_map
        self._clock = clock
        self._wall_clock = wall_clock
        self._lock = Lock()
        self._counters: dict[SerialName, _Counter] = {}

    def next(self, wanted: Mapping[SerialName, int]) -> Mapping[SerialName, Sequence[int]]:
        """Return new numbers, as many of each attribute as `wanted` says. Raises Unavailable.

        Numbers start at 1 and are never returned twice. They increase from one call to the next.
        """
        names = [*wanted]
        if len(names) == 1:  # most requests
            return {names[0]: self._counter(names[0]).take(wanted[names[0]])}
        taken = self._parallel_map(lambda name: self._counter(name).take(wanted[name]), names)
        return dict(zip(names, taken, strict=True))

    def _counter(self, name: SerialName) -> "_Counter":
        with self._lock:
            return self._counters.setdefault(
                name, _Counter(self._engine, name, self._clock, self._wall_clock)
            )


class _Counter:
    """The numbers of one attribute that this process may assign.

    At most one thread takes a block at a time. The others wait for it, and the next block has the numbers for
    all of them.
    """

    def __init__(
        self,
        engine: Engine,
        name: SerialName,
        clock: Callable[[], float],
        wall_clock: Callable[[], float],
    ) -> None:
        self._engine = engine
        self._key = keys.counter(name)
        self._clock = clock
        self._wall_clock = wall_clock
        self._taken_at = wall_clock()
        """When the last block was taken, by the wall clock."""
        self._lock = Lock()
        self._free: deque[int] = deque()
        self._missing = 0
        """How many numbers the waiting threads still need."""
        self._refill: Future[None] | None = None
        """Done when the block that is being taken is there. None if none is being taken."""
        self._rate = _Rate(clock())

    def take(self, wanted: int) -> list[int]:
        """Return numbers that are greater than all returned before. Raises Unavailable."""
        taken: list[int] = []
        while True:
            with self._lock:
                taken += self._take_free(wanted - len(taken))
                missing = wanted - len(taken)
                if not missing:
                    return taken
                self._missing += missing
                refill, is_mine = self._refill, self._refill is None
                if refill is None:
                    refill = self._refill = Future()
                    size = max(self._missing, self._rate.block(self._clock()))
            try:
                if is_mine:
                    self._take_block(size, refill)
                waiting.until(refill)
            finally:
                with self._lock:
                    self._missing -= missing

    def _take_free(self, wanted: int) -> list[int]:
        # Check both clocks: the monotonic clock stops while Lambda freezes a process.
        age = self._clock() - self._rate.taken_at
        if age > _REST_SECONDS or not 0 <= self._wall_clock() - self._taken_at <= _REST_SECONDS:
            self._free.clear()
        return [self._free.popleft() for _ in range(min(wanted, len(self._free)))]

    def _take_block(self, size: int, refill: "Future[None]") -> None:
        """Take a block from the counter, and let the waiting threads proceed, with an error if it failed."""
        try:
            last = self._engine.increment(self._key, _LAST, size)
        except BaseException as error:
            with self._lock:
                self._refill = None
            refill.set_exception(error)
            raise
        with self._lock:
            self._free.extend(range(last - size + 1, last + 1))
            self._rate.note(self._clock(), last, size)
            self._taken_at = self._wall_clock()
            self._refill = None
        refill.set_result(None)


class _Rate:
    """How fast the numbers of a counter are used: by all processes, and by this one.

    The sums that the counter returns show the numbers that all processes have taken in the meantime.
    """

    def __init__(self, now: float) -> None:
        self.taken_at = now
        """When the last block was taken."""
        self._size = 0
        """The size of the last block."""
        self._window: tuple[float, int] | None = None
        """When the present measurement began, and the last number then. None before the first block."""
        self._last = 0
        self._before = 0.0
        """The numbers a second in the measurement before."""

    def block(self, now: float) -> int:
        """Return the size of the next block."""
        if self._window is None:
            return 1
        since, first = self._window
        by_all = max(self._before, (self._last - first) / max(now - since, _WINDOW))
        by_this = self._size / max(now - self.taken_at, 0.001)
        return max(1, int(min(by_all / BLOCKS_PER_SECOND, by_this * _MAX_SECONDS)))

    def note(self, now: float, last: int, size: int) -> None:
        """Note a block that was taken."""
        since, first = self._window or (now, last)
        if self._window is None or now - since >= _WINDOW:
            self._before = (last - first) / max(now - since, _WINDOW)
            self._window = now, last
        self.taken_at, self._size, self._last = now, size, last


def raise_counter(engine: Engine, name: SerialName, number: int) -> None:
    """Let the numbers of a Serial attribute begin after a number, unless they do already. Raises Unavailable.

    An attribute that had another type before can have numbers that its counter does not know. If numbers are
    taken meanwhile, some are skipped. The rest of a block that a process has is not affected.
    """
    key = keys.counter(name)
    last = last_number(engine.get([key])[0])
    if last < number:
        engine.increment(key, _LAST, number - last)


def last_number(counter: Item | None) -> int:
    """Return the last number that was taken from a counter. 0 if there is no counter yet."""
    return 0 if counter is None else int(str(counter.attributes[_LAST]))
