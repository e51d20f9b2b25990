"""Maps a function over a sequence, one item after another or in threads, and counts round trips.

The round trips of a request measure how often it waits for the network. Parallel calls count as much as the
longest chain of round trips among them.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from stratabase.core import waiting

T = TypeVar("T")
R = TypeVar("R")


class _RoundTrips:
    """The number of successive round trips in a request, or in one of its parallel calls."""

    __slots__ = ("made",)

    def __init__(self, made: int = 0) -> None:
        self.made = made


_round_trips: ContextVar[_RoundTrips | None] = ContextVar("round_trips", default=None)


@contextmanager
def count_round_trips() -> Iterator[None]:
    """Count the round trips that the current request makes inside the `with` block."""
    token = _round_trips.set(_RoundTrips())
    try:
        yield
    finally:
        _round_trips.reset(token)


def add_round_trips(number: int) -> int:
    """Add round trips to the count of the current request; return the count before them.

    Return 0 if the request does not count round trips.
    """
    count = _round_trips.get()
    if count is None:
        return 0
    count.made += number
    return count.made - number


class ParallelMap(Protocol):
    """A map function, which may run calls in parallel."""

    def __call__(self, work: Callable[[T], R], each: Sequence[T]) -> list[R]:
        """Return the results of `work`, in the order of the items. Raises what `work` raises."""


def sequential_map(work: Callable[[T], R], each: Sequence[T]) -> list[R]:
    """Return the results of `work` for each item, one after another. Raises what `work` raises."""
    part = _ParallelPart(work)
    try:
        return [part(one) for one in each]
    finally:
        part.end()


class ThreadedMap:
    """A map function that runs calls in a thread pool, which all of its callers share."""

    def __init__(self, max_threads: int) -> None:
        self._max_threads = max_threads
        self._lock = Lock()
        self._pool: Any = None

    def __call__(self, work: Callable[[T], R], each: Sequence[T]) -> list[R]:
        """Return the results of `work`, in the order of the items. Raises what `work` raises."""
        if len(each) < 2:
            return sequential_map(work, each)
        part = _ParallelPart(work)
        futures = [self._threads().submit(copy_context().run, part, one) for one in each]
        try:
            return [waiting.until(future) for future in futures]
        finally:
            for future in futures:
                future.cancel()
            part.end()

    def close(self) -> None:
        """Wait for the threads to finish, and end them."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown()

    def _threads(self) -> Any:
        with self._lock:
            if self._pool is None:
                from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only when it is needed

                self._pool = ThreadPoolExecutor(self._max_threads, "parallel map")
            return self._pool


class _ParallelPart(Generic[T, R]):
    """A function whose calls count round trips as if they all started at the same time."""

    def __init__(self, work: Callable[[T], R]) -> None:
        self._work = work
        self._count = _round_trips.get()
        self._made_before = self._count.made if self._count else 0
        self._made_after: list[int] = []

    def __call__(self, one: T) -> R:
        """Return the result of the function for one item."""
        if self._count is None:
            return self._work(one)
        own = _RoundTrips(self._made_before)
        token = _round_trips.set(own)
        try:
            return self._work(one)
        finally:
            _round_trips.reset(token)
            self._made_after.append(own.made)

    def end(self) -> None:
        """Set the count of the request to that of the longest chain."""
        if self._count is not None:
            self._count.made = max(self._made_after, default=self._made_before)
