"""What an operation asks of the storage: round trips, and the capacity units that DynamoDB would charge.

Computed, since emulators' own figures are wrong.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from stratabase.domain.issues.refusals import ReadBudgetExceeded
from stratabase.domain.query.consumption import Consumption, round_trips
from stratabase.store.dynamodb.metering import record_consumption


class Metered(NamedTuple):
    """What was asked, all together."""

    round_trips: int
    """One after the other: what is asked side by side counts once."""
    read_units: float
    write_units: float


def measure_consumption(operation: Callable[[], object]) -> Metered:
    """Return what an operation asks of a metered engine, even if it reads too much."""
    consumed: list[Consumption] = []
    with record_consumption(consumed.append), suppress(ReadBudgetExceeded):
        operation()
    reads, writes = (one.read_units for one in consumed), (one.write_units for one in consumed)
    return Metered(round_trips(consumed), sum(reads), sum(writes))
