"""Functions that wait for slow operations: by blocking the thread, unless a server installs another way.

The local server runs many requests in one event loop. It runs each request in a greenlet and installs a
`Waiting` that returns control to the loop until the slow operation is done. So the code in between does not
need `async`.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")


class Waiting(Protocol):
    """A strategy for waiting."""

    def until(self, future: "Future[T]") -> T:
        """Return the future's result, or raise its exception."""

    def offload(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return what `work(*arguments)` returns; run it where it does not block other requests."""

    def pause(self, seconds: float) -> None:
        """Wait for some seconds."""

    def give_way(self) -> None:
        """Let other requests proceed during a long computation."""

    def coalesce(self, work: Callable[[], None]) -> None:
        """Call a function soon, once for all requests that ask for it at the same time."""

    def only_reads(self) -> None:
        """Allow the current request to stop where it waits or gives way, once its client has left."""


class Blocking:
    """The default strategy, which blocks the thread."""

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
        """Do nothing, because no other request uses this thread."""

    def coalesce(self, work: Callable[[], None]) -> None:
        """Call the function now, because no other request uses this thread."""
        work()

    def only_reads(self) -> None:
        """Do nothing, because the client can't leave."""


_installed: Waiting = Blocking()


def install(way: Waiting) -> None:
    """Make `way` the waiting strategy of this process."""
    global _installed  # noqa: PLW0603 - a process has one strategy
    _installed = way


def until(future: "Future[T]") -> T:
    """Return the future's result, or raise its exception."""
    return _installed.until(future)


def offload(work: Callable[..., T], *arguments: Any) -> T:
    """Return what `work(*arguments)` returns; run it where it does not block other requests."""
    return _installed.offload(work, *arguments)


def pause(seconds: float) -> None:
    """Wait for some seconds."""
    _installed.pause(seconds)


def give_way() -> None:
    """Let other requests proceed during a long computation. It costs little, so call it often."""
    _installed.give_way()


def coalesce(work: Callable[[], None]) -> None:
    """Call a function soon, once for all requests that ask for it at the same time.

    In an event loop, that is when the requests that are ready have run. `work` must not wait.
    """
    _installed.coalesce(work)


def only_reads() -> None:
    """Say that the current request only reads from now on.

    If its client leaves, the server stops it by an exception where it waits or gives way.
    """
    _installed.only_reads()
