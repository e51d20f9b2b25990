"""What a request has consumed of the storage."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
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
