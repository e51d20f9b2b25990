"""Year: years of the Christian era, and the year 0."""

from typing import Any, ClassVar

from stratabase.expressions import kinds
from stratabase.formats.invalid_value import InvalidValue, describe_value
from stratabase.formats.preferences import Formats
from stratabase.model.types.base import OrderedType, parse_integer
from stratabase.model.types.storage import INTEGER_STORAGE, StorageClass, Stored

MAX_YEAR = 9999


class YearType(OrderedType):
    """Stored as a JSON number."""

    name = "Year"
    kind = kinds.INT
    storage: ClassVar[StorageClass] = INTEGER_STORAGE

    def read(self, given: Any, formats: Formats) -> Stored:
        """Return a year, also one written as text."""
        del formats
        year = parse_integer(given)
        if year is None or not 0 <= year <= MAX_YEAR:
            raise InvalidValue(
                f"{describe_value(given)} is not a Year: give a whole number from 0 to {MAX_YEAR}"
            )
        return year
