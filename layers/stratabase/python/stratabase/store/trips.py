"""How many round trips of a request follow one another: of those made side by side, the longest row."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class _Trips:
    """A row of round trips, one after the other."""

    __slots__ = ("made",)

    def __init__(self, made: int = 0) -> None:
        self.made = made


_row: ContextVar[_Trips | None] = ContextVar("trips", default=None)


@contextmanager
def counting() -> Iterator[None]:
    """Have the round trips be counted that are made meanwhile on behalf of the same request."""
    token = _row.set(_Trips())
    try:
        yield
    finally:
        _row.reset(token)


def made(number: int) -> int:
    """Note round trips; return how many came before them."""
    row = _row.get()
    if row is None:
        return 0
    row.made += number
    return row.made - number


class Abreast(Generic[T, R]):
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
        own = _Trips(self._start)
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
