"""How code waits for something slow: by blocking its thread, unless a server installs another way.

The local server answers many requests in one event loop. It runs each in a greenlet and installs a `Waiting`
that gives control back to the loop until the slow operation is done. So the code in between needs no `async`.
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

    def offload(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return what `work(*arguments)` returns; run it where it does not block other requests."""

    def pause(self, seconds: float) -> None:
        """Return after some time."""

    def give_way(self) -> None:
        """Let other requests proceed during a long computation."""


class Blocking:
    """The default: the thread waits, and does nothing else."""

    def until(self, future: "Future[T]") -> T:
        """Block until the future is done."""
        return future.result()

    def offload(self, work: Callable[..., T], *arguments: Any) -> T:
        """Call the function in this thread."""
        return work(*arguments)

    def pause(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)

    def give_way(self) -> None:
        """Do nothing: no other request is in this thread."""


_installed: Waiting = Blocking()


def install(way: Waiting) -> None:
    """Make `way` the way in which this process waits."""
    global _installed  # noqa: PLW0603 - one process waits in one way
    _installed = way


def until(future: "Future[T]") -> T:
    """Return the future's result, or raise its exception."""
    return _installed.until(future)


def offload(work: Callable[..., T], *arguments: Any) -> T:
    """Return what `work(*arguments)` returns; run it where it does not block other requests."""
    return _installed.offload(work, *arguments)


def pause(seconds: float) -> None:
    """Return after some time."""
    _installed.pause(seconds)


def give_way() -> None:
    """Let other requests proceed during a long computation."""
    _installed.give_way()
