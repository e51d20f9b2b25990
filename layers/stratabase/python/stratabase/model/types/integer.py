"""Int: whole numbers of 32 bits, GraphQL's own range."""

from typing import Any, ClassVar

from stratabase.model.attribute import Stored
from stratabase.model.formats import Formats
from stratabase.model.malformed import Malformed, shown
from stratabase.model.types.ordered import Ordered
from stratabase.model.types.storage import WHOLE, Storage
from stratabase.model.types.whole import whole

SMALLEST = -(2**31)
LARGEST = 2**31 - 1


class IntType(Ordered):
    """Stored as a JSON number."""

    name = "Int"
    storage: ClassVar[Storage] = WHOLE

    def read(self, given: Any, formats: Formats) -> Stored:
        """Return a whole number, also one written as text or with a fraction of zero."""
        del formats
        number = whole(given)
        if number is None or not SMALLEST <= number <= LARGEST:
            raise Malformed(f"{shown(given)} is not an Int: give a whole number from {SMALLEST} to {LARGEST}")
        return number
