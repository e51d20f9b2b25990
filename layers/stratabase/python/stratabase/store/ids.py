"""Generates ids of objects: opaque, URL-safe, and sortable by creation time."""

import secrets
import time
from base64 import b32hexencode
from collections.abc import Callable
from threading import Lock

_RANDOM_BITS = 80
_STEP_BITS = 40
_LENGTH = 26


def _now() -> int:
    return time.time_ns() // 1_000_000


class TimeOrderedIds:
    """A generator of ids with 26 characters (0-9, a-v): 48 bits of milliseconds, then 80 random bits.

    Within a process, each id is greater than the one before (by code point), even if the clock stops or steps
    back. Ids of different processes sort by the clocks of these processes.
    """

    def __init__(self, clock: Callable[[], int] = _now) -> None:
        self._clock = clock
        self._last = 0
        self._lock = Lock()

    def new(self) -> str:
        """Return a new unique id."""
        with self._lock:
            self._last = self._after(self._last)
            number = self._last
        return b32hexencode(number.to_bytes(16, "big")).decode()[:_LENGTH].lower()

    def _after(self, last: int) -> int:
        now = self._clock()
        if now > last >> _RANDOM_BITS:
            return now << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
        # Within the same millisecond: a random step, so that nobody can guess the next id from this one.
        return last + 1 + secrets.randbits(_STEP_BITS)
