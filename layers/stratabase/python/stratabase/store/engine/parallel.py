"""The same work on several things: one after another, or at the same time where each waits for a network.

What a request waits for is counted in round trips: of those made at the same time, the longest row counts.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from stratabase import waiting

T = TypeVar("T")
R = TypeVar("R")


class _RoundTrips:
    """How many round trips were made one after another, in a request or in one of its parallel parts."""

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
    """Count round trips that were made; return how many came before them, 0 where nobody counts."""
    count = _round_trips.get()
    if count is None:
        return 0
    count.made += number
    return count.made - number


class ParallelMap(Protocol):
    """A way to do the same work on several things."""

    def __call__(self, work: Callable[[T], R], each: Sequence[T]) -> list[R]:
        """Return what `work` returns of each, in their order; raise what it raises."""


def sequential_map(work: Callable[[T], R], each: Sequence[T]) -> list[R]:
    """Return what `work` returns of each, in their order, doing one after another."""
    part = _ParallelPart(work)
    try:
        return [part(one) for one in each]
    finally:
        part.end()


class ThreadedMap:
    """Does the work in threads of its own: at most so many at once, whoever asks."""

    def __init__(self, max_threads: int) -> None:
        self._max_threads = max_threads
        self._lock = Lock()
        self._pool: Any = None

    def __call__(self, work: Callable[[T], R], each: Sequence[T]) -> list[R]:
        """Return what `work` returns of each, in their order; raise what it raises."""
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
        """Let the threads end."""
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
    """Work whose round trips count as if the work on all things began at once."""

    def __init__(self, work: Callable[[T], R]) -> None:
        self._work = work
        self._count = _round_trips.get()
        self._made_before = self._count.made if self._count else 0
        self._made_after: list[int] = []

    def __call__(self, one: T) -> R:
        """Return what the work returns of one of the things."""
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
        """Go on counting behind the longest row."""
        if self._count is not None:
            self._count.made = max(self._made_after, default=self._made_before)
