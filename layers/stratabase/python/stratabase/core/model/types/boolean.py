"""Boolean: true or false."""

from typing import Any, ClassVar

from stratabase.core.model.types.base import BOOLEAN_STORAGE, AttributeType, StorageClass, Stored
from stratabase.core.model.types.operators import (
    COUNT_AGGREGATES,
    DISTINCT_TOTALS,
    EQUALITY_OPERATORS,
    Aggregate,
    Operator,
    Total,
)
from stratabase.values.cel import kinds
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import _


class BooleanType(AttributeType):
    """Stored as a JSON boolean. False comes before true."""

    name = "Boolean"
    foreign_names = ("Bool",)
    kind = kinds.BOOLEAN
    operators: ClassVar[frozenset[Operator]] = EQUALITY_OPERATORS
    aggregates: ClassVar[frozenset[Aggregate]] = COUNT_AGGREGATES
    totals: ClassVar[tuple[Total, ...]] = DISTINCT_TOTALS
    groups_by_value = True
    storage: ClassVar[StorageClass] = BOOLEAN_STORAGE
    unrestricted = True
    distinct_values = 2
    reading = "Boolean"
    readable_texts = '"true" and "false"'

    def read(self, value: Any, formats: Formats) -> Stored:
        """Return a boolean. Numbers and texts are not accepted."""
        del formats
        if not isinstance(value, bool):
            message = _("{value} is not a Boolean. Use true or false.", value=describe_value(value))
            raise InvalidValue(message)
        return value

    def value_of(self, text: str) -> Stored:
        """Return true for `true`, and false for `false`."""
        return text == "true" if text in {"true", "false"} else None
