"""What the storage was asked on behalf of a request, and what that consumed."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Consumption:
    """One call of the storage."""

    kind: str
    """`get` (by keys), `range` (one page of an index) or `commit`."""
    index: str | None
    """What a range was read from: an index, or the items themselves."""
    round_trips: int
    items: int
    """How many were asked for by key, were found in a range, or were written or checked."""
    bytes: int
    """What these items take."""
    read_units: float
    """In DynamoDB's units, which price what is read and written."""
    write_units: float
    milliseconds: float
    after: int = 0
    """How many round trips came before it, one after the other; those side by side follow the same ones."""


def round_trips(consumed: Iterable[Consumption]) -> int:
    """Return how many round trips of a request followed one another."""
    return max((one.after + one.round_trips for one in consumed), default=0)


Note = Callable[[Consumption], None]


"""Told of each call when it has ended."""


Measuring = Callable[[Note], AbstractContextManager[None]]


"""Has each call be noted that is made meanwhile on behalf of the same request."""
