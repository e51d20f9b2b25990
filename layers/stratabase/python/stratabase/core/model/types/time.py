"""Time: a time of day, without a date or a time zone."""

from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo
from typing import ClassVar

from stratabase.core.model.types.temporal import TemporalType, time_slices
from stratabase.values.cel import kinds
from stratabase.values.formats import iso
from stratabase.values.formats.date_fields import DatePart, LetterRun
from stratabase.values.formats.preferences import Formats

_SLICES = time_slices(0)


class TimeType(TemporalType):
    """Stored as `10:30:00.000`. Anything finer than a millisecond is cut off."""

    name = "Time"
    model_description = "A time of day."
    api_description = "A time of day in the member's format or as ISO 8601 (`10:30:00`)."
    kind = kinds.TIME
    allowed_parts: ClassVar[frozenset[DatePart]] = frozenset({DatePart.TIME})
    needed_parts: ClassVar[frozenset[DatePart]] = frozenset({DatePart.TIME})
    example = "18:30:00.000"
    reading = "Time"
    readable_texts = f'times such as "{example}"'

    def default_pattern(self, formats: Formats) -> str:
        """Return the member's time format."""
        return formats.time_format

    def to_stored(self, moment: datetime) -> str:
        """Return the time of day of a moment."""
        return iso.format_time(moment)

    def from_stored(self, zone: tzinfo) -> Callable[[str], datetime]:
        """Return a function from a stored time to a moment on an arbitrary day."""
        del zone
        return _on_some_day

    def slices(self, zone: tzinfo) -> Mapping[LetterRun, slice] | None:
        """Return the slices of a stored time, whatever the time zone."""
        del zone
        return _SLICES

    def from_iso(self, text: str) -> datetime | None:
        """Return a moment at a time in ISO 8601 (`10:30`, `10:30:00`, `10:30:00.000`), or None."""
        return iso.parse_time(text)


def _on_some_day(stored: str) -> datetime:
    return datetime.fromisoformat(f"1970-01-01T{stored}")
