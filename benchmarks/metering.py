"""The storage consumption of an operation: round trips, and the capacity units that DynamoDB would charge.

The units are computed, because the figures of emulators are wrong.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.query.read_budget import Consumption, round_trips
from stratabase.core.store.engine.wrappers import record_consumption


class Metered(NamedTuple):
    """The total consumption of an operation."""

    round_trips: int
    """The number of sequential requests. Parallel requests count once."""
    read_units: float
    write_units: float


def measure_consumption(operation: Callable[[], object]) -> Metered:
    """Run an operation on a metered engine, and return its consumption, even if it exceeds its budget."""
    consumed: list[Consumption] = []
    with record_consumption(consumed.append), suppress(ReadBudgetExceeded):
        operation()
    reads, writes = (one.read_units for one in consumed), (one.write_units for one in consumed)
    return Metered(round_trips(consumed), sum(reads), sum(writes))
