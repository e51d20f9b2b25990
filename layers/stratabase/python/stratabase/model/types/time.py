"""Time: a time of day, anywhere."""

from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import ClassVar

from stratabase.model.formats import Formats
from stratabase.model.patterns.field import Part
from stratabase.model.types import iso
from stratabase.model.types.temporal import Temporal


class TimeType(Temporal):
    """Stored as `10:30:00.000`. It has no time zone; what is finer than a millisecond is cut off."""

    name = "Time"
    parts: ClassVar[frozenset[Part]] = frozenset({Part.TIME})
    needed: ClassVar[frozenset[Part]] = frozenset({Part.TIME})
    example = "18:30:00.000"

    def default_pattern(self, formats: Formats) -> str:
        """Return the time format."""
        return formats.time_format

    def spelled(self, moment: datetime) -> str:
        """Return the time of day."""
        return moment.time().isoformat("milliseconds")

    def local(self, zone: tzinfo) -> Callable[[str], datetime]:
        """Return what finds a moment of some day."""
        del zone
        return _on_some_day

    def from_iso(self, text: str) -> datetime | None:
        """Return a moment at `10:30`, `10:30:00` or `10:30:00.000`."""
        return iso.time(text)


def _on_some_day(stored: str) -> datetime:
    return datetime.fromisoformat(f"1970-01-01T{stored}")
