"""Date: a day of the calendar."""

from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import ClassVar

from stratabase.model.formats import Formats
from stratabase.model.patterns.field import Part
from stratabase.model.types import iso
from stratabase.model.types.temporal import Temporal


class DateType(Temporal):
    """Stored as `2020-01-31`, of the years 1 to 9999. It has no time zone."""

    name = "Date"
    parts: ClassVar[frozenset[Part]] = frozenset({Part.DATE})
    needed: ClassVar[frozenset[Part]] = frozenset({Part.DATE})
    example = "2020-12-31"

    def default_pattern(self, formats: Formats) -> str:
        """Return the date format."""
        return formats.date_format

    def spelled(self, moment: datetime) -> str:
        """Return the day."""
        return moment.date().isoformat()

    def local(self, zone: tzinfo) -> Callable[[str], datetime]:
        """Return what finds the midnight of a day."""
        del zone
        return datetime.fromisoformat

    def from_iso(self, text: str) -> datetime | None:
        """Return the midnight of `2020-01-31`."""
        return iso.date(text)
