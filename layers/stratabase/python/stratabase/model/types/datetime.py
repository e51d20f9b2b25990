"""Datetime: a moment, to the millisecond."""

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from typing import ClassVar

from stratabase.model.formats import Formats
from stratabase.model.patterns import zone as zones
from stratabase.model.patterns.field import Part
from stratabase.model.types import iso
from stratabase.model.types.temporal import Temporal


class DatetimeType(Temporal):
    """Stored in UTC as `2020-01-31T10:00:00.000Z`; what is finer than a millisecond is cut off.

    What has no offset is in the member's time zone: a time that occurs twice, when clocks are put back, is
    the first one; a time that is left out, when they are put forward, is as much later, as in Java.
    """

    name = "Datetime"
    parts: ClassVar[frozenset[Part]] = frozenset(Part)
    needed: ClassVar[frozenset[Part]] = frozenset({Part.DATE, Part.TIME})
    example = "2020-12-31T18:30:00.000Z"

    def default_pattern(self, formats: Formats) -> str:
        """Return the date format and the time format."""
        return formats.datetime_format

    def zone(self, formats: Formats) -> tzinfo:
        """Return the member's time zone."""
        return zones.zone(formats.time_zone)

    def spelled(self, moment: datetime) -> str:
        """Return the moment in UTC. Raises OverflowError for one in a year that UTC does not have."""
        return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"

    def local(self, zone: tzinfo) -> Callable[[str], datetime]:
        """Return what finds a moment in a time zone."""
        return datetime.fromisoformat if zone is UTC else lambda stored: _in_zone(stored, zone)

    def from_iso(self, text: str) -> datetime | None:
        """Return the moment of `2020-01-31T10:00`, with or without seconds, fraction and offset."""
        return iso.datetime_(text)


def _in_zone(stored: str, zone: tzinfo) -> datetime:
    """Return a moment in a time zone; in UTC at the ends of time, where the zone's day would have no date."""
    moment = datetime.fromisoformat(stored)
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment
