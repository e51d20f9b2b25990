"""Year: a calendar year from 0 to 9999."""

from collections.abc import Mapping
from typing import Any, ClassVar

from stratabase.core.model.types.base import (
    INTEGER_STORAGE,
    NumberRange,
    OrderedType,
    StorageClass,
    Stored,
    integer_of,
    parse_integer,
)
from stratabase.core.model.types.operators import NUMBER_TOTALS, Total
from stratabase.values.cel import kinds
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import _

MAX_YEAR = 9999


class YearType(OrderedType):
    """Stored as a JSON number."""

    name = "Year"
    model_description = "A year of the calendar, as a number."
    api_description = "A year as a number."
    kind = kinds.INT
    totals: ClassVar[tuple[Total, ...]] = NUMBER_TOTALS
    groups_by_value = True
    storage: ClassVar[StorageClass] = INTEGER_STORAGE
    numbers = NumberRange(0, MAX_YEAR)
    reading = "Year"
    readable_texts = f'whole numbers from 0 to {MAX_YEAR} such as "2020"'
    unlike: ClassVar[Mapping[str, str]] = {"Date": "A day is not a year."}

    def read(self, value: Any, formats: Formats) -> Stored:
        """Return a year. Texts are accepted too."""
        del formats
        year = parse_integer(value)
        if year is None or not 0 <= year <= MAX_YEAR:
            message = _(
                "{value} is not a Year. Use a whole number from {minimum} to {maximum}.",
                value=describe_value(value),
                minimum="0",
                maximum=str(MAX_YEAR),
            )
            raise InvalidValue(message)
        return year

    def value_of(self, text: str) -> Stored:
        """Return a year from 0 to 9999."""
        return integer_of(text, 0, MAX_YEAR)
