"""The operators of filters, the aggregates of derived attributes, and the totals of many objects.

`api_names.filter_field` makes the names of fields from operators, and `domain/query/aggregate.py` computes
aggregates. The attribute types say which of both they have.
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


class Total(Enum):
    """A function that makes one value of those of many objects, in a group or among all matches.

    The name ends the names of orders and filters of groups, and the value is the field of answers.
    """

    __hash__ = object.__hash__  # that of Enum is written in Python

    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"
    COUNT_DISTINCT = "countDistinct"


DISTINCT_TOTALS = (Total.COUNT_DISTINCT,)
"""The totals of values without an order that matters."""
ORDER_TOTALS = (Total.MIN, Total.MAX, Total.COUNT_DISTINCT)
"""The totals of values with an order."""
NUMBER_TOTALS = tuple(Total)
"""The totals of numbers that can be added."""


class Operator(Enum):
    """An operator of a filter."""

    __hash__ = object.__hash__  # that of Enum is written in Python

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LTE = "lte"
    GT = "gt"
    GTE = "gte"
    NULL = "null"
    NOT_NULL = "not_null"
    IN = "in"
    NOT_IN = "not_in"
    CONTAINS = "contains"
    NOT_CONTAINS = "not_contains"
    STARTS_WITH = "starts_with"
    NOT_STARTS_WITH = "not_starts_with"
    ENDS_WITH = "ends_with"
    NOT_ENDS_WITH = "not_ends_with"
    WITHIN = "within"
    """Within one of several ranges. No attribute has a field for it: it stands for comparisons with days."""


EXISTENCE_OPERATORS = frozenset({Operator.NULL, Operator.NOT_NULL})
EQUALITY_OPERATORS = frozenset({Operator.EQ, Operator.NE}) | EXISTENCE_OPERATORS
MEMBERSHIP_OPERATORS = frozenset({Operator.IN, Operator.NOT_IN})
ORDER_OPERATORS = frozenset({Operator.LT, Operator.LTE, Operator.GT, Operator.GTE})
TEXT_OPERATORS = frozenset(
    {
        Operator.CONTAINS,
        Operator.NOT_CONTAINS,
        Operator.STARTS_WITH,
        Operator.NOT_STARTS_WITH,
        Operator.ENDS_WITH,
        Operator.NOT_ENDS_WITH,
    }
)
