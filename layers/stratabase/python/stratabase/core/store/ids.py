"""Generates ids of objects: opaque, URL-safe, and sortable by creation time."""

import os
import time
from collections.abc import Callable
from itertools import product
from threading import Lock

ID_RANDOM_BITS = 80
"""The bits of an ID after those of the time."""
_STEP_BITS = 40
_MOST_MILLISECONDS = 2**48 - 1
_TOLERANCE = 24 * 60 * 60 * 1000
"""By how many milliseconds an ID may be ahead of the start of its object's first version.

If the clock of a process is set back, its IDs continue from the last one.
"""
_DIGITS = "0123456789abcdefghijklmnopqrstuv"
_PAIRS = tuple(map("".join, product(_DIGITS, repeat=2)))
"""The two digits of each number of 10 bits."""
_SHIFTS = tuple(range(120, -10, -10))


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
            now, last = self._clock(), self._last
            if now > last >> ID_RANDOM_BITS:
                number = now << ID_RANDOM_BITS | int.from_bytes(os.urandom(ID_RANDOM_BITS // 8), "big")
            else:
                # Within the same millisecond: a random step, so that nobody can guess the next id from this.
                number = last + 1 + int.from_bytes(os.urandom(_STEP_BITS // 8), "big")
            self._last = number
        return id_text(number)


def younger_ids(instant: int, now: int) -> tuple[str, str]:
    """Return the range of the IDs that were made long after an instant, and before now: its start and end.

    Objects with such IDs are younger. Instants are in milliseconds. If there are none, the range is empty.
    """
    return least_id(instant + _TOLERANCE), least_id(now)


def least_id(instant: int) -> str:
    """Return the least ID that is made at an instant."""
    return id_text(min(max(instant, 0), _MOST_MILLISECONDS) << ID_RANDOM_BITS)


def id_text(number: int) -> str:
    """Return the id of a number of 128 bits: 48 bits of milliseconds, then 80 bits that make it unique."""
    # 128 bits are 26 digits of 5 bits, the last of which ends with two zeros.
    number <<= 2
    return "".join([_PAIRS[number >> shift & 1023] for shift in _SHIFTS])
