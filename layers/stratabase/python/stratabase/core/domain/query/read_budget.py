"""The read budget of a request: how many bytes it may read and compare, and for how long.

The consumption of a request is what it has read and written.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from sys import maxsize
from typing import TypeVar

from stratabase.core.domain.issues.refusals import Hint, ReadBudgetExceeded
from stratabase.values.frozen import frozen

T = TypeVar("T")
MEGABYTE = 1024 * 1024
"""Bytes."""
CHARACTERS_PER_BYTE = 32
"""The characters that can be compared for each byte of the budget. To read a byte takes longer than to
compare some characters, unless somebody has chosen the texts so that comparing is slow."""
_TURN = 128 * 1024
"""The characters that are compared until other requests get a turn. At worst, one takes about 20 ns."""
_MUCH_COMPARED = 8
"""If so many times the bytes that were read were compared, comparing is what takes the time."""
_TESTED = 50
"""Objects to test between two checks of the budget. A condition may take a millisecond for each."""


class ReadBudget:
    """The budget that all reads of one request share.

    `clock` returns seconds and never goes back. `give_way` is called now and then during a long computation.
    """

    __slots__ = (
        "_clock",
        "_compared",
        "_end",
        "_give_way",
        "_max_bytes",
        "_max_objects",
        "_uncharged",
        "_whole",
        "bytes_read",
        "objects_read",
    )

    def __init__(
        self,
        max_bytes: int,
        max_seconds: float,
        clock: Callable[[], float],
        give_way: Callable[[], None] = lambda: None,
        max_objects: int = maxsize,
    ) -> None:
        self._max_bytes = max_bytes
        self._max_objects = max_objects
        self._clock = clock
        self._give_way = give_way
        self._end = clock() + max_seconds
        self._whole: ReadBudget | None = None
        self._compared = self._uncharged = 0
        self.bytes_read = 0
        """The approximate number of bytes read so far, and of those charged for comparing."""
        self.objects_read = 0
        """The number of items read so far, missing ones included."""

    @property
    def is_exhausted(self) -> bool:
        """Whether the request has read more than it may, or for longer."""
        is_too_much = self.bytes_read > self._max_bytes or self.objects_read > self._max_objects
        return is_too_much or self._clock() > self._end

    def would_be_exhausted(self, size: int) -> bool:
        """Return whether the budget is exhausted, or would be after so many more bytes."""
        return self.bytes_read + size > self._max_bytes or self._clock() > self._end

    @property
    def is_spent_on_comparing(self) -> bool:
        """Whether comparing texts has taken most of the time."""
        return self._compared > _MUCH_COMPARED * (self.bytes_read - self._compared // CHARACTERS_PER_BYTE)

    def charge(self, size: int, objects: int = 0) -> None:
        """Count bytes that were read, and the objects among them."""
        self.bytes_read += size
        self.objects_read += objects
        if self._whole is not None:
            self._whole.charge(size, objects)

    def compare(self, characters: int) -> bool:
        """Count characters of a text before they are compared, and now and then let other requests proceed.

        Return whether this is the time to look whether the budget is exhausted.
        """
        self._uncharged += characters
        if self._uncharged < _TURN:
            return False
        self._compared += self._uncharged
        self.charge(self._uncharged // CHARACTERS_PER_BYTE)
        self._uncharged = 0
        self._give_way()
        return True

    def check(self, class_name: str) -> None:
        """Raise ReadBudgetExceeded, for objects of a class, if the budget is exhausted."""
        if self.is_exhausted:
            hint = Hint(compares=True) if self.is_spent_on_comparing else Hint(shared=True)
            raise ReadBudgetExceeded(class_name, hint=hint)

    def compare_in(self, class_name: str, characters: int) -> None:
        """Count characters of an object of a class before they are compared. Raises ReadBudgetExceeded."""
        if self.compare(characters):
            self.check(class_name)

    def within(self, class_name: str, objects: Iterable[T]) -> Iterator[T]:
        """Yield objects of a class that are to be tested. Now and then, let other requests proceed.

        Raises ReadBudgetExceeded when the budget is exhausted.
        """
        for number, each in enumerate(objects, start=1):
            if number % _TESTED == 0:
                self._give_way()
                self.check(class_name)
            yield each

    def part(self, max_bytes: int) -> "ReadBudget":
        """Return a smaller budget for some of the reads. They are also counted here."""
        part = ReadBudget(min(max_bytes, self._max_bytes - self.bytes_read), 0, self._clock, self._give_way)
        part._end, part._whole = self._end, self
        return part


@frozen
class Consumption:
    """What one call of the storage consumed."""

    kind: str
    """`get` (by keys), `range` (one page of an index), `count` (of an index) or `commit`."""
    index: str | None
    """The index that a range was read from or counted in; None for the items themselves."""
    round_trips: int
    items: int
    """The number of items requested by key, found in a range, or written and checked."""
    bytes: int
    """The size of these items."""
    read_units: float
    """The price of the read in units of DynamoDB. `write_units` has the same for writes."""
    write_units: float
    milliseconds: float
    after: int = 0
    """How many round trips ended before this call began. Parallel calls have the same number."""


def round_trips(calls: Iterable[Consumption]) -> int:
    """Return the length of the longest chain of successive round trips."""
    return max((one.after + one.round_trips for one in calls), default=0)


Note = Callable[[Consumption], None]
"""A function that is called with what each call of the storage consumed, when the call has ended."""
Measuring = Callable[[Note], AbstractContextManager[None]]
"""A function that returns a context: while it is open, the calls of the same request are noted."""
