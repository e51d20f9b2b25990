"""Int: integers of 32 bits, the range of GraphQL's Int."""

from typing import Any, ClassVar

from stratabase.core.model.types.base import (
    INTEGER_SPELLING,
    INTEGER_STORAGE,
    NumberRange,
    OrderedType,
    StorageClass,
    Stored,
    integer_of,
    parse_integer,
)
from stratabase.core.model.types.operators import NUMBER_AGGREGATES, NUMBER_TOTALS, Aggregate, Total
from stratabase.values.cel import kinds
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import _

MIN_INT = -(2**31)
MAX_INT = 2**31 - 1


class IntType(OrderedType):
    """Stored as a JSON number."""

    name = "Int"
    foreign_names = ("Integer", "Long", "BigInt")
    kind = kinds.INT
    aggregates: ClassVar[frozenset[Aggregate]] = NUMBER_AGGREGATES
    totals: ClassVar[tuple[Total, ...]] = NUMBER_TOTALS
    groups_by_value = True
    sum_types = ("Int", "Real")
    grouped = True
    storage: ClassVar[StorageClass] = INTEGER_STORAGE
    numbers = NumberRange(MIN_INT, MAX_INT)
    reading = "Int"
    readable_texts = f"whole numbers from {MIN_INT} to {MAX_INT} {INTEGER_SPELLING}"

    def read(self, value: Any, formats: Formats) -> Stored:
        """Return an integer. Texts, and numbers with a fraction of zero, are accepted too."""
        del formats
        number = parse_integer(value)
        if number is None or not MIN_INT <= number <= MAX_INT:
            message = _(
                "{value} is not an Int. Use a whole number from {minimum} to {maximum}.",
                value=describe_value(value),
                minimum=str(MIN_INT),
                maximum=str(MAX_INT),
            )
            raise InvalidValue(message)
        return number

    def is_own_value(self, raw: Any) -> bool:
        """Return whether an integer has 32 bits."""
        return bool(MIN_INT <= raw <= MAX_INT)

    def value_of(self, text: str) -> Stored:
        """Return an integer of 32 bits."""
        return integer_of(text, MIN_INT, MAX_INT)
