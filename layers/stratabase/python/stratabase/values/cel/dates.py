"""Functions of dates, times and moments, whose values are texts in their stored form."""

from collections.abc import Callable, Sequence
from datetime import date, datetime

from stratabase.values.cel.environment import Environment
from stratabase.values.cel.function import Function, Signature, simple_function
from stratabase.values.cel.kinds import DATE, DATETIME, INT, TEXT, TIME
from stratabase.values.cel.typed_expression import TypedExpression
from stratabase.values.formats import iso
from stratabase.values.formats.iso import day_of, first_of_day


def text_to_date(environment: Environment, text: str) -> str | None:
    """Return the stored form of a date such as `2020-12-31`, or None."""
    return _to_stored(iso.parse_date(text), iso.format_date, environment)


def text_to_time(environment: Environment, text: str) -> str | None:
    """Return the stored form of a time such as `18:30`, or None."""
    return _to_stored(iso.parse_time(text), iso.format_time, environment)


def text_to_datetime(environment: Environment, text: str) -> str | None:
    """Return the stored form of a moment such as `2020-12-31T18:30:00Z`, or None.

    Without an offset, the moment is in the caller's time zone.
    """
    return _to_stored(iso.parse_datetime(text), iso.format_datetime, environment)


def has_offset(text: str) -> bool:
    """Return whether a text is a moment with an offset, which does not depend on a time zone."""
    moment = iso.parse_datetime(text)
    return moment is not None and moment.tzinfo is not None


def _to_stored(
    moment: datetime | None, write: Callable[[datetime], str], environment: Environment
) -> str | None:
    """Return the stored form of a moment, or None if there is none.

    A moment without a time zone is in the caller's.
    """
    if moment is None:
        return None
    try:
        return write(moment if moment.tzinfo else moment.replace(tzinfo=environment.context.zone))
    except OverflowError:
        return None


def datetime_to_date(environment: Environment, stored: str) -> str | None:
    """Return the day of a moment in the caller's time zone."""
    moment = parse_local(environment, stored)
    return None if moment is None else moment.date().isoformat()


def whole_day(environment: Environment, stored: str) -> str | None:
    """Return the day of a moment for comparisons with a Date.

    It differs from `datetime_to_date` only where clocks are put back across midnight: filters compare with
    days that follow each other.
    """
    moment = parse_local(environment, stored)
    return None if moment is None else day_of(moment).isoformat()


def datetime_to_time(environment: Environment, stored: str) -> str | None:
    """Return the time of day of a moment in the caller's time zone."""
    moment = parse_local(environment, stored)
    return None if moment is None else iso.format_time(moment)


def start_of_day(environment: Environment, stored: str) -> str | None:
    """Return the moment at which a day begins in the caller's time zone, or None if the text is not a day."""
    day = parse_day(environment, stored)
    return None if day is None else iso.format_datetime(first_of_day(day, environment.context.zone))


def today(environment: Environment) -> str:
    """Return the current day in the caller's time zone."""
    return environment.context.today


def now(environment: Environment) -> str:
    """Return the current instant."""
    return environment.context.now


def parse_day(_: Environment, stored: str) -> date | None:
    """Return the date of a stored day, or None if the text is not one."""
    try:
        return date.fromisoformat(stored)
    except ValueError:
        return None


def parse_local(environment: Environment, stored: str) -> datetime | None:
    """Return a stored moment in the caller's time zone, or None if the text is not a moment.

    Near the years 1 and 9999, where that time zone has no date, the result is in UTC.
    """
    try:
        moment = iso.datetime_reader(environment.context.zone)(stored)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def part_function(
    find: Callable[[Environment, str], date | None], name: str
) -> Callable[[Environment, str], int | None]:
    """Return a function that gives the year, month or day (`name`) of the date that `find` returns."""

    def part(environment: Environment, stored: str) -> int | None:
        day = find(environment, stored)
        return None if day is None else int(getattr(day, name))

    return part


def days_between_function(
    find: Callable[[Environment, str], date | None], find_other: Callable[[Environment, str], date | None]
) -> Callable[[Environment, str, str], int | None]:
    """Return a function that gives the days from the second date to the first.

    `find` and `find_other` return the dates of the two stored values.
    """

    def between(environment: Environment, stored: str, other: str) -> int | None:
        later, earlier = find(environment, stored), find_other(environment, other)
        return None if later is None or earlier is None else later.toordinal() - earlier.toordinal()

    return between


def _never(_: Sequence[TypedExpression]) -> bool:
    return False


def _with_offset(arguments: Sequence[TypedExpression]) -> bool:
    return all(has_offset(text) for text, _ in arguments[0].possible_texts or ())


def _part_of_date(name: str) -> Function:
    return simple_function(
        f"{name}(d)",
        Signature((DATE,), INT, part_function(parse_day, name)),
        Signature((DATETIME,), INT, part_function(parse_local, name), is_pure=_never),
    )


DATE_FUNCTIONS = (
    simple_function(
        "date('2020-12-31')",
        Signature((TEXT,), DATE, text_to_date, example="'2020-12-31'"),
        Signature((DATETIME,), DATE, datetime_to_date, is_pure=_never),
    ),
    simple_function(
        "time('18:30')",
        Signature((TEXT,), TIME, text_to_time, example="'18:30' or '18:30:00'"),
        Signature((DATETIME,), TIME, datetime_to_time, is_pure=_never),
    ),
    simple_function(
        "datetime('2020-12-31T18:30:00Z')",
        Signature(
            (TEXT,),
            DATETIME,
            text_to_datetime,
            is_pure=_with_offset,
            example="'2020-12-31T18:30:00Z'",
        ),
        Signature((DATE,), DATETIME, start_of_day, is_pure=_never),
    ),
    simple_function("today()", Signature((), DATE, today, is_pure=_never)),
    simple_function("now()", Signature((), DATETIME, now, is_pure=_never)),
    _part_of_date("year"),
    _part_of_date("month"),
    _part_of_date("day"),
    simple_function(
        "dateDiff(a, b)",
        Signature((DATE, DATE), INT, days_between_function(parse_day, parse_day)),
        Signature((DATE, DATETIME), INT, days_between_function(parse_day, parse_local), is_pure=_never),
        Signature((DATETIME, DATE), INT, days_between_function(parse_local, parse_day), is_pure=_never),
        Signature((DATETIME, DATETIME), INT, days_between_function(parse_local, parse_local), is_pure=_never),
    ),
)
