"""What work costs, as a metered engine tells it."""

from collections.abc import Sequence
from typing import NamedTuple

from stratabase.domain.query.consumption import Consumption


class Cost(NamedTuple):
    """What was asked of the store."""

    trips: int
    read: float
    written: float


def cost_of(told: Sequence[Consumption]) -> Cost:
    """Return what all of it comes to."""
    return Cost(
        sum(each.round_trips for each in told),
        sum(each.read_units for each in told),
        sum(each.write_units for each in told),
    )
