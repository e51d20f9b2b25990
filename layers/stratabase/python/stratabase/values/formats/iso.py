"""Dates and times in ISO 8601: parsing of its extended format, and the spellings in which they are stored.

A date is stored as `2020-01-31`, a time as `10:30:00.000`, and a date with time, in UTC, as
`2020-01-31T10:00:00.000Z`.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo

_DAY_PATTERN = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME_PATTERN = r"(?:[01][0-9]|2[0-3]):[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
OFFSET = "(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
_ANY_DAY = "1970-01-01T"
_DATE = re.compile(_DAY_PATTERN)
_TIME = re.compile(_TIME_PATTERN)
_DATETIME = re.compile(f"{_DAY_PATTERN}[T ]{_TIME_PATTERN}{OFFSET}?", re.IGNORECASE)


def parse_date(text: str) -> datetime | None:
    """Return the midnight at the beginning of a date; None if the text is not a date."""
    return _moment(text) if _DATE.fullmatch(text) else None


def parse_time(text: str) -> datetime | None:
    """Return a time on an arbitrary day; None if the text is not a time."""
    return _moment(_ANY_DAY + text) if _TIME.fullmatch(text) else None


def parse_datetime(text: str) -> datetime | None:
    """Return a date and time, with a time zone if the text has an offset; None if the text is neither."""
    return _moment(text.upper()) if _DATETIME.fullmatch(text) else None


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def format_date(moment: datetime) -> str:
    """Return the stored spelling of a date."""
    return moment.date().isoformat()


def format_time(moment: datetime) -> str:
    """Return the stored spelling of a time. Anything below a millisecond is cut off."""
    return moment.time().isoformat("milliseconds")


def format_datetime(moment: datetime) -> str:
    """Return the stored spelling of a date and time. Raises OverflowError for years beyond UTC's calendar."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def datetime_reader(zone: tzinfo) -> Callable[[str], datetime]:
    """Return a function that reads a stored date and time and converts it to a time zone.

    If the calendar does not have that day (at the ends of time), the result is in UTC. The function raises
    ValueError for a text that is not a stored date and time.
    """
    return datetime.fromisoformat if zone is UTC else lambda stored: _in_zone(stored, zone)


def offset_writer(zone: tzinfo) -> Callable[[str], str]:
    """Return a function from a stored date and time to ISO 8601 with the offset of a time zone.

    The offset 0 is written as Z, and so is the whole text in UTC if its offset has seconds, which ISO 8601
    does not have. So the text always means the same millisecond.
    """
    if zone is UTC:
        return str
    read = datetime_reader(zone)

    def write(stored: str) -> str:
        moment = read(stored)
        offset = moment.utcoffset()
        if not offset or offset % timedelta(minutes=1):
            return stored
        return moment.isoformat(timespec="milliseconds")

    return write


def _in_zone(stored: str, zone: tzinfo) -> datetime:
    moment = datetime.fromisoformat(stored)
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment
