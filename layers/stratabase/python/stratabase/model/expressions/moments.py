"""Days, times and moments in their stored spelling: what is made of texts, and what is told of them."""

from collections.abc import Callable
from datetime import date, datetime

from stratabase.model.expressions.environment import Environment
from stratabase.model.types.date import DateType
from stratabase.model.types.datetime import DatetimeType
from stratabase.model.types.temporal import Temporal
from stratabase.model.types.time import TimeType

_DATE, _TIME, _DATETIME = DateType(), TimeType(), DatetimeType()


def date_of_text(environment: Environment, text: str) -> str | None:
    """Return the day that `2020-12-31` is."""
    return _stored(_DATE, text, environment)


def time_of_text(environment: Environment, text: str) -> str | None:
    """Return the time that `18:30` is."""
    return _stored(_TIME, text, environment)


def datetime_of_text(environment: Environment, text: str) -> str | None:
    """Return the moment that `2020-12-31T18:30:00Z` is; without an offset it is in the caller's zone."""
    return _stored(_DATETIME, text, environment)


def has_offset(text: str) -> bool:
    """Return whether a text tells a moment by itself."""
    moment = _DATETIME.from_iso(text)
    return moment is not None and moment.tzinfo is not None


def _stored(type_: Temporal, text: str, environment: Environment) -> str | None:
    moment = type_.from_iso(text)
    if moment is None:
        return None
    try:
        return type_.spelled(
            moment if moment.tzinfo else moment.replace(tzinfo=environment.circumstances.zone)
        )
    except OverflowError:
        return None


def day_of(environment: Environment, stored: str) -> str | None:
    """Return the day on which a moment lies in the caller's time zone."""
    moment = local(environment, stored)
    return None if moment is None else moment.date().isoformat()


def time_of(environment: Environment, stored: str) -> str | None:
    """Return the time of day of a moment in the caller's time zone."""
    moment = local(environment, stored)
    return None if moment is None else _TIME.spelled(moment)


def start_of(environment: Environment, stored: str) -> str | None:
    """Return the moment with which a day begins in the caller's time zone."""
    return datetime_of_text(environment, f"{stored}T00:00")


def today(environment: Environment) -> str:
    """Return the day that it is in the caller's time zone."""
    return environment.circumstances.today


def now(environment: Environment) -> str:
    """Return the moment that it is."""
    return environment.circumstances.now


def day(_: Environment, stored: str) -> date | None:
    """Return a day that is stored, None for what is none."""
    try:
        return date.fromisoformat(stored)
    except ValueError:
        return None


def local(environment: Environment, stored: str) -> datetime | None:
    """Return a moment in the caller's time zone; at the ends of time, where that has no date, in UTC."""
    try:
        moment = _DATETIME.local(environment.circumstances.zone)(stored)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def part(
    find: Callable[[Environment, str], date | None], name: str
) -> Callable[[Environment, str], int | None]:
    """Return what tells the year, month or day of what is found."""

    def told(environment: Environment, stored: str) -> int | None:
        found = find(environment, stored)
        return None if found is None else int(getattr(found, name))

    return told


def days_between(
    find: Callable[[Environment, str], date | None], find_other: Callable[[Environment, str], date | None]
) -> Callable[[Environment, str, str], int | None]:
    """Return what tells how many days one day is after the other."""

    def between(environment: Environment, stored: str, other: str) -> int | None:
        later, earlier = find(environment, stored), find_other(environment, other)
        return None if later is None or earlier is None else later.toordinal() - earlier.toordinal()

    return between
