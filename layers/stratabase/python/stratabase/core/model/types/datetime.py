"""Datetime: a moment, with a precision of one millisecond."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any, ClassVar

from stratabase.core.model.types.temporal import DATE_SLICES, TemporalType, time_slices
from stratabase.values.cel import kinds
from stratabase.values.formats import iso
from stratabase.values.formats import locales as zones
from stratabase.values.formats.buckets import Bucket
from stratabase.values.formats.date_fields import DatePart, LetterRun
from stratabase.values.formats.preferences import Formats

_SLICES = {**DATE_SLICES, **time_slices(11)}


class DatetimeType(TemporalType):
    """Stored in UTC as `2020-01-31T10:00:00.000Z`. Anything finer than a millisecond is cut off.

    A time without an offset is in the member's time zone. If it occurs twice because clocks are put back, it
    is the first one. If it is skipped because clocks are put forward, it is later by the length of the gap,
    as in Java.
    """

    name = "Datetime"
    foreign_names = ("Timestamp", "Instant")
    model_description = "A moment: a day and a time."
    api_description = (
        "An instant in the member's format and time zone, or as ISO 8601 (`2020-01-31T10:30:00Z`)."
    )
    kind = kinds.DATETIME
    buckets: ClassVar[tuple[Bucket, ...]] = tuple(Bucket)
    allowed_parts: ClassVar[frozenset[DatePart]] = frozenset(DatePart)
    needed_parts: ClassVar[frozenset[DatePart]] = frozenset({DatePart.DATE, DatePart.TIME})
    example = "2020-12-31T18:30:00.000Z"
    reading = "Datetime"
    readable_texts = f'instants such as "{example}"'
    unlike: ClassVar[Mapping[str, str]] = {
        "Date": "A day is not an instant.",
        "Time": "A time of day is not an instant.",
    }

    def default_pattern(self, formats: Formats) -> str:
        """Return the member's date and time format."""
        return formats.datetime_format

    def zone(self, formats: Formats) -> tzinfo:
        """Return the member's time zone."""
        return zones.load_time_zone(formats.time_zone)

    def to_stored(self, moment: datetime) -> str:
        """Return the moment in UTC. Raises OverflowError if its year in UTC is not from 1 to 9999."""
        return iso.format_datetime(moment)

    def from_stored(self, zone: tzinfo) -> Callable[[str], datetime]:
        """Return a function from a stored moment to the same moment in a time zone."""
        return iso.datetime_reader(zone)

    def iso_serializer(self, formats: Formats) -> Callable[[Any], str]:
        """Return a function that writes stored moments in ISO 8601, with the offset of the member's zone."""
        return iso.offset_writer(self.zone(formats))

    def read_offset(self, value: Any, formats: Formats) -> str | None:
        """Return the stored form of a text in ISO 8601 with an offset, None if it is not one.

        Raises OutOfCalendar.
        """
        moment = self.from_iso(value) if isinstance(value, str) else None
        return self._stored(moment, value, formats) if moment and moment.tzinfo else None

    def slices(self, zone: tzinfo) -> Mapping[LetterRun, slice] | None:
        """Return the slices of a stored moment in UTC, None for other time zones."""
        return _SLICES if zone is UTC else None

    def from_iso(self, text: str) -> datetime | None:
        """Return the moment of a text in ISO 8601, or None. Seconds, fraction and offset are optional."""
        return iso.parse_datetime(text)
