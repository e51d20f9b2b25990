"""The deadline of the current request, which bounds each call to a store or to another service.

API Gateway drops a response that comes later than 29 seconds after the request, and Lambda stops a function
at its timeout. Both leave the client without a word about what was written. So a request gives up before
that: a call that has not been sent is not sent any more, and a call that was sent is not waited for.
"""

import time
from collections.abc import Callable
from contextvars import ContextVar
from math import inf
from typing import NamedTuple


class _Deadline(NamedTuple):
    end: float
    clock: Callable[[], float]


_deadline: ContextVar[_Deadline | None] = ContextVar("deadline", default=None)


class deadline_after:  # noqa: N801 - it is used like a function
    """Let the deadline of the code inside the `with` block be `seconds` from now. An earlier one remains.

    `clock` returns seconds, and never goes back.
    """

    __slots__ = ("_deadline", "_token")

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._deadline = _Deadline(clock() + min(seconds, remaining_seconds()), clock)

    def __enter__(self) -> None:
        self._token = _deadline.set(self._deadline)

    def __exit__(self, *_: object) -> None:
        _deadline.reset(self._token)


def remaining_seconds() -> float:
    """Return the seconds until the deadline, 0 or less after it, and infinity if there is none."""
    deadline = _deadline.get()
    return inf if deadline is None else deadline.end - deadline.clock()
