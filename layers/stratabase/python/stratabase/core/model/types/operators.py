"""The operators of filters. `api_names.filter_field` makes the field names from them."""

from enum import Enum


class Operator(Enum):
    """An operator of a filter."""

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
