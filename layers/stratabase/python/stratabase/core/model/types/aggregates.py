"""The aggregates of derived attributes, and which of them the attribute types have."""

from enum import Enum


class Aggregate(Enum):
    """A function that makes one value of many, for a derived attribute."""

    COUNT = "COUNT"
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"
    AVG = "AVG"


COUNTED = frozenset({Aggregate.COUNT})
"""The aggregates of values without an order."""
COMPARED = COUNTED | {Aggregate.MIN, Aggregate.MAX}
"""The aggregates of values with an order."""
ADDED = COMPARED | {Aggregate.SUM, Aggregate.AVG}
"""The aggregates of numbers that can be added."""
