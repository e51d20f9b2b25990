"""New ids: opaque, safe in addresses, and in the order of time."""

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
    """Makes ids of 26 characters (0-9, a-v): 48 bits of milliseconds, then 80 random bits.

    Compared by code point, a later id of this process is greater, also when the clock stands or steps back;
    ids of different processes are in the order of their clocks.
    """

    def __init__(self, clock: Callable[[], int] = _now) -> None:
        self._clock = clock
        self._last = 0
        self._lock = Lock()

    def new(self) -> str:
        """Return an id that no other call has returned or will return."""
        with self._lock:
            self._last = self._after(self._last)
            number = self._last
        return b32hexencode(number.to_bytes(16, "big")).decode()[:_LENGTH].lower()

    def _after(self, last: int) -> int:
        now = self._clock()
        if now > last >> _RANDOM_BITS:
            return now << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
        # A random step, so that an id does not tell its neighbours.
        return last + 1 + secrets.randbits(_STEP_BITS)
