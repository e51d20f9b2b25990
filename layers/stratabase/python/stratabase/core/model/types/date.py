"""Date: a calendar day."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, tzinfo
from typing import Any, ClassVar

from stratabase.core.model.types.base import Stored
from stratabase.core.model.types.temporal import DATE_SLICES, TemporalType
from stratabase.values.cel import kinds
from stratabase.values.formats import iso
from stratabase.values.formats.buckets import DAY_BUCKETS, Bucket
from stratabase.values.formats.date_fields import DatePart, LetterRun
from stratabase.values.formats.preferences import Formats


class DateType(TemporalType):
    """Stored as `2020-01-31`, in the years 1 to 9999. A date has no time zone."""

    name = "Date"
    model_description = "A day of the calendar."
    api_description = "A date in the member's format or as ISO 8601 (`2020-01-31`)."
    kind = kinds.DATE
    groups_by_value = True
    buckets: ClassVar[tuple[Bucket, ...]] = DAY_BUCKETS
    allowed_parts: ClassVar[frozenset[DatePart]] = frozenset({DatePart.DATE})
    needed_parts: ClassVar[frozenset[DatePart]] = frozenset({DatePart.DATE})
    example = "2020-12-31"
    reading = "Date"
    readable_texts = f'dates such as "{example}"'

    def is_own_value(self, raw: Any) -> bool:
        """Return whether a text is the only stored spelling of a day."""
        try:
            return date.fromisoformat(raw).isoformat() == str(raw)
        except ValueError:
            return False

    def default_pattern(self, formats: Formats) -> str:
        """Return the member's date format."""
        return formats.date_format

    def to_stored(self, moment: datetime) -> str:
        """Return the day of a moment, such as `2020-01-31`."""
        return iso.format_date(moment)

    def from_stored(self, zone: tzinfo) -> Callable[[str], datetime]:
        """Return a function from a stored day to its midnight."""
        del zone
        return datetime.fromisoformat

    def slices(self, zone: tzinfo) -> Mapping[LetterRun, slice] | None:
        """Return the slices of a stored day, whatever the time zone."""
        del zone
        return DATE_SLICES

    def from_iso(self, text: str) -> datetime | None:
        """Return midnight of a day in ISO 8601 (`2020-01-31`), or None."""
        return iso.parse_date(text)

    def value_of(self, text: str) -> Stored:
        """Return a day with exactly this text, None if there is none. All days have one spelling."""
        return None if iso.parse_date(text) is None else text
