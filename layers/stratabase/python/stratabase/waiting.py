"""How code waits for something slow: by blocking its thread, unless a server has put in another way.

The local server answers many requests in one loop. It runs each in a greenlet and installs a `Waiting` that
hands the loop back until the slow thing is done, so the code in between needs no colour of its own.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")


class Waiting(Protocol):
    """A way of waiting."""

    def until(self, future: "Future[T]") -> T:
        """Return the future's result, or raise its exception."""

    def aside(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return what `work(*arguments)` returns, run where it holds up nobody else."""

    def pause(self, seconds: float) -> None:
        """Return after some time."""

    def give_way(self) -> None:
        """Let others go on before a long piece of work does."""


class Blocking:
    """The plain way: the thread waits."""

    def until(self, future: "Future[T]") -> T:
        """Block until the future is done."""
        return future.result()

    def aside(self, work: Callable[..., T], *arguments: Any) -> T:
        """Just do it."""
        return work(*arguments)

    def pause(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)

    def give_way(self) -> None:
        """Nobody else is there."""


_way: Waiting = Blocking()


def install(way: Waiting) -> None:
    """Make `way` the way in which this process waits."""
    global _way  # noqa: PLW0603 - one process waits in one way
    _way = way


def until(future: "Future[T]") -> T:
    """Return the future's result, or raise its exception."""
    return _way.until(future)


def aside(work: Callable[..., T], *arguments: Any) -> T:
    """Return what `work(*arguments)` returns, run where it holds up nobody else."""
    return _way.aside(work, *arguments)


def pause(seconds: float) -> None:
    """Return after some time."""
    _way.pause(seconds)


def give_way() -> None:
    """Let others go on before a long piece of work does."""
    _way.give_way()
