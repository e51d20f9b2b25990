"""The cost of work as a metered engine reports it."""

from collections.abc import Sequence
from typing import NamedTuple

from stratabase.core.domain.query.read_budget import Consumption


class Cost(NamedTuple):
    """The storage calls and capacity of some work."""

    trips: int
    read: float
    written: float


def cost_of(result: Sequence[Consumption]) -> Cost:
    """Return the total cost of several operations."""
    return Cost(
        sum(each.round_trips for each in result),
        sum(each.read_units for each in result),
        sum(each.write_units for each in result),
    )
