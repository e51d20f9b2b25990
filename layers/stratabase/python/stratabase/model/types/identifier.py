"""ID: what identifies an object."""

from typing import Any, ClassVar

from stratabase.model.attribute import Stored
from stratabase.model.formats import Formats
from stratabase.model.operator import EQUALITY, MEMBERSHIP, ORDER, Operator
from stratabase.model.types.base import AttributeType
from stratabase.model.types.text import text
from stratabase.model.types.whole import whole


class IdType(AttributeType):
    """Stored as text; only `_id` and `_clientId` have this type."""

    name = "ID"
    operators: ClassVar[frozenset[Operator]] = EQUALITY | ORDER | MEMBERSHIP

    def read(self, given: Any, formats: Formats) -> Stored:
        """Return an id, also one written as a whole number, as GraphQL allows."""
        del formats
        number = whole(given) if isinstance(given, int) else None
        return text(given, "an ID") if number is None or number.bit_length() > 64 else str(number)
