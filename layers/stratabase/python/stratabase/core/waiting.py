"""Functions that wait for slow operations, the deadline until which a request may wait, and the clock.

They block the thread, unless a server installs another way. The local server runs many requests in one event
loop. It runs each request in a greenlet and installs a `Waiting` that returns control to the loop until the
slow operation is done. So the code in between does not need `async`.

API Gateway drops a response that comes later than 29 seconds after the request, and Lambda stops a function
at its timeout. Both leave the client without a word about what was written. So a request gives up before
that: a call that has not been sent is not sent any more, and a call that was sent is not waited for.
"""

import time
from collections.abc import Callable
from contextvars import ContextVar
from math import inf
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Future(Protocol[T_co]):
    """A result that another thread will have, such as a `concurrent.futures.Future`."""

    def done(self) -> bool:
        """Return whether there is a result or an exception."""

    def result(self) -> T_co:
        """Block the thread until there is a result. Return it, or raise the exception."""

    def add_done_callback(self, fn: Callable[[Any], object], /) -> None:
        """Call a function with the future when it is done, in any thread, or now if it is done already."""


class Waiting(Protocol):
    """A strategy for waiting."""

    def until(self, future: Future[T]) -> T:
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

    def until(self, future: Future[T]) -> T:
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


def until(future: Future[T]) -> T:
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


_deadline: ContextVar[tuple[float, Callable[[], float]] | None] = ContextVar("deadline", default=None)
"""The instant of the deadline, and the clock that measures it."""


class deadline_after:  # noqa: N801 - it is used like a function
    """Let the deadline of the code inside the `with` block be `seconds` from now. An earlier one remains.

    `clock` returns seconds, and never goes back.
    """

    __slots__ = ("_deadline", "_token")

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        if _deadline.get() is not None:
            seconds = min(seconds, remaining_seconds())
        self._deadline = clock() + seconds, clock

    def __enter__(self) -> None:
        self._token = _deadline.set(self._deadline)

    def __exit__(self, *_: object) -> None:
        _deadline.reset(self._token)


def remaining_seconds() -> float:
    """Return the seconds until the deadline, 0 or less after it, and infinity if there is none."""
    deadline = _deadline.get()
    if deadline is None:
        return inf
    end, clock = deadline
    return end - clock()


def has_time() -> bool:
    """Let other requests proceed, as `give_way` does; return whether the deadline is still ahead."""
    _installed.give_way()
    deadline = _deadline.get()
    if deadline is None:
        return True
    end, clock = deadline
    return clock() < end


class SystemClock:
    """The clock of this machine, which implements the port `Clock`."""

    def now(self) -> int:
        """Return the current instant in milliseconds since 1970-01-01 UTC."""
        return time.time_ns() // 1_000_000


system_now = SystemClock().now
"""Returns the instant of the clock of this machine."""
