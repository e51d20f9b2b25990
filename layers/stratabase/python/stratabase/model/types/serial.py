"""Serial: numbers that the service assigns, from 1, never the same again."""

from collections.abc import Callable
from typing import Any, ClassVar

from stratabase.model.attribute import Stored
from stratabase.model.formats import Formats
from stratabase.model.malformed import Malformed, shown
from stratabase.model.operator import EQUALITY, MEMBERSHIP, ORDER, Operator
from stratabase.model.types.base import AttributeType
from stratabase.model.types.storage import WHOLE, Storage
from stratabase.model.types.whole import whole

LARGEST = 2**63 - 1


class SerialType(AttributeType):
    """Stored as a JSON number, written as text: clients' numbers are not always as large."""

    name = "Serial"
    operators: ClassVar[frozenset[Operator]] = EQUALITY | ORDER | MEMBERSHIP
    storage: ClassVar[Storage] = WHOLE

    def read(self, given: Any, formats: Formats) -> Stored:
        """Return what serials are compared with: 0 and below are as good for that as any."""
        del formats
        number = whole(given)
        if number is None or abs(number) > LARGEST:
            raise Malformed(f"{shown(given)} is not a Serial: give a whole number up to {LARGEST}")
        return number

    def writer(self, pattern: str, formats: Formats) -> Callable[[Any], Any]:
        """Return `str`."""
        del pattern, formats
        return str
