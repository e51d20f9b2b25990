"""Dates and times in ISO 8601: parsing its extended format, and the one way in which each is stored.

A date is stored as `2020-01-31`, a time as `10:30:00.000`, a moment in UTC as `2020-01-31T10:00:00.000Z`.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo

DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
TIME = r"(?:[01][0-9]|2[0-3]):[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
OFFSET = "(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
_ANY_DAY = "1970-01-01T"
_DATE = re.compile(DATE)
_TIME = re.compile(TIME)
_DATETIME = re.compile(f"{DATE}[T ]{TIME}{OFFSET}?", re.IGNORECASE)


def parse_date(text: str) -> datetime | None:
    """Return the midnight with which a date begins; None when the text is no date."""
    return _moment(text) if _DATE.fullmatch(text) else None


def parse_time(text: str) -> datetime | None:
    """Return a moment at a time of day; None when the text is no time."""
    return _moment(_ANY_DAY + text) if _TIME.fullmatch(text) else None


def parse_datetime(text: str) -> datetime | None:
    """Return a moment, with a time zone when the text has an offset; None when it is no date and time."""
    return _moment(text.upper()) if _DATETIME.fullmatch(text) else None


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def format_date(moment: datetime) -> str:
    """Return the day of a moment as it is stored."""
    return moment.date().isoformat()


def format_time(moment: datetime) -> str:
    """Return the time of day of a moment as it is stored; what is finer than a millisecond is cut off."""
    return moment.time().isoformat("milliseconds")


def format_datetime(moment: datetime) -> str:
    """Return a moment as it is stored. Raises OverflowError for one in a year that UTC does not have."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def datetime_reader(zone: tzinfo) -> Callable[[str], datetime]:
    """Return a function from a stored moment to that moment in a time zone.

    At the ends of time, where the zone's day has no date, the result is in UTC. Raises ValueError for a text
    that is no stored moment.
    """
    return datetime.fromisoformat if zone is UTC else lambda stored: _in_zone(stored, zone)


def _in_zone(stored: str, zone: tzinfo) -> datetime:
    moment = datetime.fromisoformat(stored)
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment
