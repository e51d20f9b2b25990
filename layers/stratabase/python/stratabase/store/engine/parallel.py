"""Doing the same to several things: one after the other, or at once where each waits for a network."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from stratabase import waiting

T = TypeVar("T")
R = TypeVar("R")


class ParallelMap(Protocol):
    """A way of doing the same to several things."""

    def __call__(self, work: Callable[[T], R], each: Sequence[T]) -> list[R]:
        """Return what `work` returns of each, in their order; raise what it raises."""


def sequential_map(work: Callable[[T], R], each: Sequence[T]) -> list[R]:
    """Return what `work` returns of each, in their order."""
    abreast = ConcurrentRoundTrips(work)
    try:
        return [abreast(one) for one in each]
    finally:
        abreast.end()


class ThreadedMap:
    """Does it in threads of its own: at most so many at once, whoever asks."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._door = Lock()
        self._pool: Any = None

    def __call__(self, work: Callable[[T], R], each: Sequence[T]) -> list[R]:
        """Return what `work` returns of each, in their order; raise what it raises."""
        if len(each) < 2:
            return sequential_map(work, each)
        abreast = ConcurrentRoundTrips(work)
        futures = [self._threads().submit(copy_context().run, abreast, one) for one in each]
        try:
            return [waiting.until(future) for future in futures]
        finally:
            for future in futures:
                future.cancel()
            abreast.end()

    def close(self) -> None:
        """Let the threads end."""
        with self._door:
            if self._pool is not None:
                self._pool.shutdown()

    def _threads(self) -> Any:
        with self._door:
            if self._pool is None:
                from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only when it is needed

                self._pool = ThreadPoolExecutor(self._most, "side by side")
            return self._pool


class _RoundTrips:
    """A row of round trips, one after the other."""

    __slots__ = ("made",)

    def __init__(self, made: int = 0) -> None:
        self.made = made


_row: ContextVar[_RoundTrips | None] = ContextVar("trips", default=None)


@contextmanager
def count_round_trips() -> Iterator[None]:
    """Have the round trips be counted that are made meanwhile on behalf of the same request."""
    token = _row.set(_RoundTrips())
    try:
        yield
    finally:
        _row.reset(token)


def add_round_trips(number: int) -> int:
    """Note round trips; return how many came before them."""
    row = _row.get()
    if row is None:
        return 0
    row.made += number
    return row.made - number


class ConcurrentRoundTrips(Generic[T, R]):
    """The same work on several things, which counts as if all of it began at once."""

    def __init__(self, work: Callable[[T], R]) -> None:
        self._work = work
        self._row = _row.get()
        self._start = self._row.made if self._row else 0
        self._ends: list[int] = []

    def __call__(self, one: T) -> R:
        """Return what the work returns of one of the things."""
        if self._row is None:
            return self._work(one)
        own = _RoundTrips(self._start)
        token = _row.set(own)
        try:
            return self._work(one)
        finally:
            _row.reset(token)
            self._ends.append(own.made)

    def end(self) -> None:
        """Go on behind the longest row."""
        if self._row is not None:
            self._row.made = max(self._ends, default=self._start)
