"""Doing the same to several things: one after the other, or at once where each waits for a network."""

from collections.abc import Callable, Sequence
from contextvars import copy_context
from threading import Lock
from typing import Any, Protocol, TypeVar

from stratabase import waiting
from stratabase.store.trips import Abreast

T = TypeVar("T")
R = TypeVar("R")


class SideBySide(Protocol):
    """A way of doing the same to several things."""

    def __call__(self, work: Callable[[T], R], each: Sequence[T]) -> list[R]:
        """Return what `work` returns of each, in their order; raise what it raises."""


def one_by_one(work: Callable[[T], R], each: Sequence[T]) -> list[R]:
    """Return what `work` returns of each, in their order."""
    abreast = Abreast(work)
    try:
        return [abreast(one) for one in each]
    finally:
        abreast.end()


class Threads:
    """Does it in threads of its own: at most so many at once, whoever asks."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._door = Lock()
        self._pool: Any = None

    def __call__(self, work: Callable[[T], R], each: Sequence[T]) -> list[R]:
        """Return what `work` returns of each, in their order; raise what it raises."""
        if len(each) < 2:
            return one_by_one(work, each)
        abreast = Abreast(work)
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
