"""The aggregates of derived attributes, and which of them the attribute types have.

`domain/query/aggregate.py` computes them.
"""

from collections.abc import Mapping
from enum import Enum


class Aggregate(Enum):
    """A function that makes one value of many, for a derived attribute."""

    COUNT = "COUNT"
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"
    AVG = "AVG"


RESULT_TYPES: Mapping[Aggregate, str] = {Aggregate.COUNT: "Int", Aggregate.AVG: "Real"}
"""The type of the result, for aggregates whose result is of the same type whatever they aggregate."""
COUNT_AGGREGATES = frozenset({Aggregate.COUNT})
"""The aggregates of values without an order."""
ORDER_AGGREGATES = COUNT_AGGREGATES | {Aggregate.MIN, Aggregate.MAX}
"""The aggregates of values with an order."""
NUMBER_AGGREGATES = ORDER_AGGREGATES | {Aggregate.SUM, Aggregate.AVG}
"""The aggregates of numbers that can be added."""
