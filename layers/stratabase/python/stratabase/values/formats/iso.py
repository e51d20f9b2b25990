"""Dates and times in ISO 8601: parsing of its extended format, and the stored spellings; days in time zones.

A day is the moments at which it begins and ends in a time zone. Days follow each other without gaps and
overlaps. A day has 23 or 25 hours if clocks change, and no hour if a time zone skips it.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo

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


_MILLISECOND = timedelta(milliseconds=1)
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


def first_of_day(day: date, zone: tzinfo) -> datetime:
    """Return the moment in UTC at which a day begins in a time zone, within UTC's calendar.

    The first day of the calendar begins at the first moment of UTC's, also where it is a day earlier: moments
    for which a time zone has no day belong to its first or last one.
    If clocks are put back across midnight, the day begins at the second midnight. If midnight is skipped, it
    begins at the change.
    """
    if day == date.min:
        return _FIRST
    midnight = datetime.combine(day, time(), zone)
    try:
        first, second = midnight.astimezone(UTC), midnight.replace(fold=1).astimezone(UTC)
        if first.astimezone(zone).replace(tzinfo=None) != midnight.replace(tzinfo=None):
            return _clock_change(day, zone, second, first)
        if first < second and (second - _MILLISECOND).astimezone(zone).date() < day:
            return second
    except OverflowError:
        return _LAST
    return first


def last_of_day(day: date, zone: tzinfo) -> datetime:
    """Return the last millisecond of a day in a time zone, in UTC; before its start if the day is skipped."""
    if day == date.max:
        return _LAST
    following = first_of_day(day + timedelta(days=1), zone)
    return _LAST if following == _LAST else following - _MILLISECOND


def day_of(local: datetime) -> date:
    """Return the day of a moment that was converted to a time zone."""
    day = local.date()
    # Where clocks are put back across midnight, a moment between both midnights belongs to the day before.
    is_repeated = not local.fold and local.replace(fold=1).utcoffset() != local.utcoffset()
    if is_repeated and local.tzinfo and first_of_day(day, local.tzinfo) > local:
        return day - timedelta(days=1)
    return day


def _clock_change(day: date, zone: tzinfo, before: datetime, after: datetime) -> datetime:
    """Return the moment between two moments, one before the day and one in it, at which the day begins."""
    low, high = before - timedelta(days=1), after + timedelta(days=1)
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) // 2
        if middle.astimezone(zone).date() < day:
            low = middle
        else:
            high = middle
    # Clocks change at whole seconds.
    return high.replace(microsecond=0)
