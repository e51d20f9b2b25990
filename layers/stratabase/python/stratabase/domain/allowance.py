"""What one request may read, whatever it asks for: so many bytes, for so long."""

from collections.abc import Callable

MEGABYTE = 1024 * 1024
"""Bytes."""


class Allowance:
    """What all reads of one request draw from. `clock` tells seconds, and never goes back."""

    __slots__ = ("_clock", "_end", "_most_bytes", "taken")

    def __init__(self, most_bytes: int, most_seconds: float, clock: Callable[[], float]) -> None:
        self._most_bytes = most_bytes
        self._clock = clock
        self._end = clock() + most_seconds
        self.taken = 0
        """How many bytes were read, more or less."""

    @property
    def is_used_up(self) -> bool:
        """Return whether more was read than may be, or for longer."""
        return self.would_be_used_up(0)

    def would_be_used_up(self, size: int) -> bool:
        """Return whether it is used up, or would be by so many bytes more."""
        return self.taken + size > self._most_bytes or self._clock() > self._end

    def take(self, size: int) -> None:
        """Note that so many bytes were read."""
        self.taken += size


class Tentative(Allowance):
    """What work draws from that may have to be done again: only its last attempt counts in the end."""

    __slots__ = ("_whole",)

    def __init__(self, whole: Allowance) -> None:
        self._whole = whole
        self.taken = 0

    def would_be_used_up(self, size: int) -> bool:
        """Return whether the whole is used up, or would be by what was taken here and so many bytes more."""
        return self._whole.would_be_used_up(self.taken + size)

    def begin(self) -> None:
        """Begin an attempt."""
        self.taken = 0

    def confirm(self) -> None:
        """Have the whole allowance pay for the attempt."""
        self._whole.take(self.taken)
