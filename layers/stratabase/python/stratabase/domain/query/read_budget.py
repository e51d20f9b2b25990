"""The read budget of a request: how many bytes it may read, and for how long."""

from collections.abc import Callable

MEGABYTE = 1024 * 1024
"""Bytes."""


class ReadBudget:
    """The budget that all reads of one request share. `clock` returns seconds and never goes back."""

    __slots__ = ("_clock", "_end", "_max_bytes", "_whole", "bytes_read")

    def __init__(self, max_bytes: int, max_seconds: float, clock: Callable[[], float]) -> None:
        self._max_bytes = max_bytes
        self._clock = clock
        self._end = clock() + max_seconds
        self._whole: ReadBudget | None = None
        self.bytes_read = 0
        """The approximate number of bytes read so far."""

    @property
    def is_exhausted(self) -> bool:
        """Whether the request has read more than it may, or for longer."""
        return self.would_be_exhausted(0)

    def would_be_exhausted(self, size: int) -> bool:
        """Return whether the budget is exhausted, or would be after so many more bytes."""
        return self.bytes_read + size > self._max_bytes or self._clock() > self._end

    def charge(self, size: int) -> None:
        """Count bytes that were read."""
        self.bytes_read += size
        if self._whole is not None:
            self._whole.charge(size)

    def part(self, max_bytes: int) -> "ReadBudget":
        """Return a smaller budget for some of the reads. They are also counted here."""
        part = ReadBudget(min(max_bytes, self._max_bytes - self.bytes_read), 0, self._clock)
        part._end, part._whole = self._end, self
        return part
