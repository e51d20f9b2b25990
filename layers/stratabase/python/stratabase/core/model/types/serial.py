"""Serial: numbers that Stratabase assigns, from 1, each only once."""

from collections.abc import Callable
from typing import Any, ClassVar

from stratabase.core.model.types.base import (
    INTEGER_SPELLING,
    INTEGER_STORAGE,
    AttributeType,
    NumberRange,
    StorageClass,
    Stored,
    integer_of,
    parse_integer,
)
from stratabase.core.model.types.operators import (
    EQUALITY_OPERATORS,
    MEMBERSHIP_OPERATORS,
    ORDER_AGGREGATES,
    ORDER_OPERATORS,
    ORDER_TOTALS,
    Aggregate,
    Operator,
    Total,
)
from stratabase.values.cel import kinds
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import _

MAX_SERIAL = 2**63 - 1


class SerialType(AttributeType):
    """Stored as a JSON number. In responses it is text, since some clients can't represent large numbers."""

    name = "Serial"
    model_description = "A number that Stratabase assigns, from 1, each only once."
    api_description = "A number that the service assigns, as a string."
    kind = kinds.INT
    operators: ClassVar[frozenset[Operator]] = EQUALITY_OPERATORS | ORDER_OPERATORS | MEMBERSHIP_OPERATORS
    lists_null = True
    aggregates: ClassVar[frozenset[Aggregate]] = ORDER_AGGREGATES
    totals: ClassVar[tuple[Total, ...]] = ORDER_TOTALS
    groups_by_value = True
    storage: ClassVar[StorageClass] = INTEGER_STORAGE
    numbers = NumberRange(1)
    numbered = True
    reading = "Serial"
    readable_texts = f"whole numbers from 1 {INTEGER_SPELLING}"

    def read(self, value: Any, formats: Formats) -> Stored:
        """Return an integer to compare serials with. It can be 0 or negative: clients never set serials."""
        del formats
        number = parse_integer(value)
        if number is None or abs(number) > MAX_SERIAL:
            message = _(
                "{value} is not a Serial. Use a whole number up to {maximum}.",
                value=describe_value(value),
                maximum=str(MAX_SERIAL),
            )
            raise InvalidValue(message)
        return number

    def value_of(self, text: str) -> Stored:
        """Return a number that Stratabase can have assigned, which is positive."""
        return integer_of(text, 1, MAX_SERIAL)

    def serializer(self, pattern: str, formats: Formats) -> Callable[[Any], Any]:
        """Return `str`."""
        del pattern, formats
        return str
