"""Year: years of the Christian era, and the year 0."""

from typing import Any, ClassVar

from stratabase.model.attribute import Stored
from stratabase.model.formats import Formats
from stratabase.model.malformed import Malformed, shown
from stratabase.model.types.ordered import Ordered
from stratabase.model.types.storage import WHOLE, Storage
from stratabase.model.types.whole import whole

LAST = 9999


class YearType(Ordered):
    """Stored as a JSON number."""

    name = "Year"
    storage: ClassVar[Storage] = WHOLE

    def read(self, given: Any, formats: Formats) -> Stored:
        """Return a year, also one written as text."""
        del formats
        year = whole(given)
        if year is None or not 0 <= year <= LAST:
            raise Malformed(f"{shown(given)} is not a Year: give a whole number from 0 to {LAST}")
        return year
