"""The letters that tell of a date."""

from collections.abc import Callable
from datetime import datetime
from operator import attrgetter

from stratabase.model.patterns import language as languages
from stratabase.model.patterns.field import Field, Letter, Part, digits, lengths, named, number, padded
from stratabase.model.patterns.language import Context
from stratabase.model.patterns.week import week

_CENTURY_TURNS = 69
"""Years of two digits are 1969 to 2068, as in POSIX: what a text means must not depend on today."""


def _era(count: int, language: str) -> Field:
    del count
    return named(None, [languages.era(language)], lambda _: 0)


def _year(key: str | None, get: Callable[[datetime], int], count: int) -> Field:
    if count != 2:
        return Field(padded(get, count), digits(count, 4), int, key, lengths(count, 4))
    return Field(padded(lambda moment: get(moment) % 100, 2), "[0-9]{2}", _of_two_digits, key)


def _of_two_digits(text: str) -> int:
    year = int(text)
    return year + (1900 if year >= _CENTURY_TURNS else 2000)


def _calendar_year(count: int, language: str) -> Field:
    del language
    return _year("year", attrgetter("year"), count)


def _week_year(count: int, language: str) -> Field:
    weeks = week(language)
    return _year(None, lambda moment: weeks.of_year(moment)[0], count)


def _month(context: Context) -> Callable[[int, str], Field]:
    as_number = number("month", attrgetter("month"), 2)

    def field(count: int, language: str) -> Field:
        if count < 3:
            return as_number(count, language)
        names = languages.months(language, "abbreviated" if count == 3 else "wide", context)
        return named("month", names, attrgetter("month"), first=1)

    return field


def _weekday(count: int, language: str) -> Field:
    names = languages.weekdays(language, "abbreviated" if count < 4 else "wide")
    return named(None, names, datetime.weekday)


def _week_of_year(count: int, language: str) -> Field:
    weeks = week(language)
    return number(None, lambda moment: weeks.of_year(moment)[1], 2)(count, language)


def _week_of_month(count: int, language: str) -> Field:
    return number(None, week(language).of_month, 1)(count, language)


def _day_of_year(moment: datetime) -> int:
    return moment.timetuple().tm_yday


def _weekday_in_month(moment: datetime) -> int:
    return (moment.day - 1) // 7 + 1


DATE_LETTERS = {
    "G": Letter(Part.DATE, _era),
    "y": Letter(Part.DATE, _calendar_year),
    "Y": Letter(Part.DATE, _week_year),
    "M": Letter(Part.DATE, _month("format")),
    "L": Letter(Part.DATE, _month("stand-alone")),
    "w": Letter(Part.DATE, _week_of_year),
    "W": Letter(Part.DATE, _week_of_month),
    "D": Letter(Part.DATE, number("day_of_year", _day_of_year, 3)),
    "d": Letter(Part.DATE, number("day", attrgetter("day"), 2)),
    "F": Letter(Part.DATE, number(None, _weekday_in_month, 1)),
    "E": Letter(Part.DATE, _weekday),
    "u": Letter(Part.DATE, number(None, datetime.isoweekday, 1)),
}
