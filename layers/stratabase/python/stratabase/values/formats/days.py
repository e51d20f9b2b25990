"""Days in a time zone: the moments at which a day begins and ends, and the day of a moment.

Days follow each other without gaps and overlaps. A day has 23 or 25 hours if clocks change, and no hour if a
time zone skips it.
"""

from datetime import UTC, date, datetime, time, timedelta, tzinfo

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
