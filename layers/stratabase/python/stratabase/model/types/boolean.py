"""Boolean: true or false."""

from typing import Any, ClassVar

from stratabase.model.attribute import Stored
from stratabase.model.formats import Formats
from stratabase.model.malformed import Malformed, shown
from stratabase.model.operator import EQUALITY, Operator
from stratabase.model.types.base import AttributeType
from stratabase.model.types.storage import BOOLEAN, Storage


class BooleanType(AttributeType):
    """Stored as a JSON boolean; false comes before true."""

    name = "Boolean"
    operators: ClassVar[frozenset[Operator]] = EQUALITY
    storage: ClassVar[Storage] = BOOLEAN

    def read(self, given: Any, formats: Formats) -> Stored:
        """Return a boolean; numbers and texts are none."""
        del formats
        if not isinstance(given, bool):
            raise Malformed(f"{shown(given)} is not a Boolean: give true or false")
        return given
