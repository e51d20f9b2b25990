"""What one request may read, whatever it asks for: so many bytes, for so long."""

from collections.abc import Callable

MEGABYTE = 1024 * 1024
"""Bytes."""


class ReadBudget:
    """What all reads of one request draw from. `clock` tells seconds, and never goes back."""

    __slots__ = ("_clock", "_end", "_most_bytes", "bytes_read")

    def __init__(self, most_bytes: int, most_seconds: float, clock: Callable[[], float]) -> None:
        self._most_bytes = most_bytes
        self._clock = clock
        self._end = clock() + most_seconds
        self.bytes_read = 0
        """How many bytes were read, more or less."""

    @property
    def is_exhausted(self) -> bool:
        """Whether more was read than may be, or for longer."""
        return self.would_be_exhausted(0)

    def would_be_exhausted(self, size: int) -> bool:
        """Return whether it is used up, or would be by so many bytes more."""
        return self.bytes_read + size > self._most_bytes or self._clock() > self._end

    def charge(self, size: int) -> None:
        """Note that so many bytes were read."""
        self.bytes_read += size
