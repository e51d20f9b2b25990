"""Serial: numbers that the service assigns, from 1, never the same again."""

from collections.abc import Callable
from typing import Any, ClassVar

from stratabase.expressions import kinds
from stratabase.formats.invalid_value import InvalidValue, describe_value
from stratabase.formats.preferences import Formats
from stratabase.messages import _
from stratabase.model.types.base import AttributeType, parse_integer
from stratabase.model.types.operators import (
    EQUALITY_OPERATORS,
    MEMBERSHIP_OPERATORS,
    ORDER_OPERATORS,
    Operator,
)
from stratabase.model.types.storage import INTEGER_STORAGE, StorageClass, Stored

MAX_SERIAL = 2**63 - 1


class SerialType(AttributeType):
    """Stored as a JSON number, written as text: clients' numbers are not always as large."""

    name = "Serial"
    kind = kinds.INT
    operators: ClassVar[frozenset[Operator]] = EQUALITY_OPERATORS | ORDER_OPERATORS | MEMBERSHIP_OPERATORS
    storage: ClassVar[StorageClass] = INTEGER_STORAGE

    def read(self, value: Any, formats: Formats) -> Stored:
        """Return what serials are compared with: 0 and below are as good for that as any."""
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

    def serializer(self, pattern: str, formats: Formats) -> Callable[[Any], Any]:
        """Return `str`."""
        del pattern, formats
        return str
