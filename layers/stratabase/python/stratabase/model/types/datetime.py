"""Datetime: a moment, to the millisecond."""

from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import ClassVar

from stratabase.expressions import kinds
from stratabase.formats import iso
from stratabase.formats import locales as zones
from stratabase.formats.date_fields import DatePart
from stratabase.formats.preferences import Formats
from stratabase.model.types.temporal import TemporalType


class DatetimeType(TemporalType):
    """Stored in UTC as `2020-01-31T10:00:00.000Z`; what is finer than a millisecond is cut off.

    What has no offset is in the member's time zone: a time that occurs twice, when clocks are put back, is
    the first one; a time that is left out, when they are put forward, is as much later, as in Java.
    """

    name = "Datetime"
    kind = kinds.DATETIME
    allowed_parts: ClassVar[frozenset[DatePart]] = frozenset(DatePart)
    needed_parts: ClassVar[frozenset[DatePart]] = frozenset({DatePart.DATE, DatePart.TIME})
    example = "2020-12-31T18:30:00.000Z"

    def default_pattern(self, formats: Formats) -> str:
        """Return the date format and the time format."""
        return formats.datetime_format

    def zone(self, formats: Formats) -> tzinfo:
        """Return the member's time zone."""
        return zones.load_time_zone(formats.time_zone)

    def to_stored(self, moment: datetime) -> str:
        """Return the moment in UTC. Raises OverflowError for one in a year that UTC does not have."""
        return iso.format_datetime(moment)

    def from_stored(self, zone: tzinfo) -> Callable[[str], datetime]:
        """Return what finds a moment in a time zone."""
        return iso.datetime_reader(zone)

    def from_iso(self, text: str) -> datetime | None:
        """Return the moment of `2020-01-31T10:00`, with or without seconds, fraction and offset."""
        return iso.parse_datetime(text)
