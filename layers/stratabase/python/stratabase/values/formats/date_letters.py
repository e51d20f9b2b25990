"""The letters of Java's date patterns, each with the field that a run of it makes.

Dates come first, then times, then time zones, and at the end the rules for counting weeks.
"""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from operator import attrgetter
from typing import NamedTuple

from stratabase.values.formats import locales
from stratabase.values.formats.date_fields import (
    DateField,
    DatePart,
    PatternLetter,
    count_lengths,
    digits_regex,
    name_field,
    number_field,
    zero_padded,
)
from stratabase.values.formats.locales import Context

_CENTURY_TURNS = 69
"""The first year of two digits in the 1900s.

Such years are 1969 to 2068, as in POSIX. Java's rule depends on the current date; a text must not.
"""
_SHAPES = ("{sign}{hours:02d}", "{sign}{hours:02d}{minutes:02d}", "{sign}{hours:02d}:{minutes:02d}")
_REGEXES = ("[+-][0-9]{2}", "[+-][0-9]{4}", "[+-][0-9]{2}:[0-9]{2}")


def _era(count: int, language: str) -> DateField:
    del count
    return name_field(None, [locales.era_name(language)], lambda _: 0)


def _year(key: str | None, get: Callable[[datetime], int], count: int) -> DateField:
    if count != 2:
        return DateField(zero_padded(get, count), digits_regex(count, 4), int, key, count_lengths(count, 4))
    return DateField(zero_padded(lambda moment: get(moment) % 100, 2), "[0-9]{2}", _of_two_digits, key)


def _of_two_digits(text: str) -> int:
    year = int(text)
    return year + (1900 if year >= _CENTURY_TURNS else 2000)


def _calendar_year(count: int, language: str) -> DateField:
    del language
    return _year("year", attrgetter("year"), count)


def _week_year(count: int, language: str) -> DateField:
    weeks = week_rule(language)
    return _year(None, lambda moment: weeks.of_year(moment)[0], count)


def _month(context: Context) -> Callable[[int, str], DateField]:
    as_number = number_field("month", attrgetter("month"), 2)

    def field(count: int, language: str) -> DateField:
        if count < 3:
            return as_number(count, language)
        names = locales.month_names(language, "abbreviated" if count == 3 else "wide", context)
        return name_field("month", names, attrgetter("month"), first=1)

    return field


def _weekday(count: int, language: str) -> DateField:
    names = locales.weekday_names(language, "abbreviated" if count < 4 else "wide")
    return name_field(None, names, datetime.weekday)


def _week_of_year(count: int, language: str) -> DateField:
    weeks = week_rule(language)
    return number_field(None, lambda moment: weeks.of_year(moment)[1], 2)(count, language)


def _week_of_month(count: int, language: str) -> DateField:
    return number_field(None, week_rule(language).of_month, 1)(count, language)


def _day_of_year(moment: datetime) -> int:
    return moment.timetuple().tm_yday


def _weekday_in_month(moment: datetime) -> int:
    return (moment.day - 1) // 7 + 1


def _half(count: int, language: str) -> DateField:
    del count
    return name_field("half", locales.day_period_names(language), lambda moment: moment.hour // 12)


def _hour_from_one(moment: datetime) -> int:
    return moment.hour or 24


def _hour_of_half(moment: datetime) -> int:
    return moment.hour % 12


def _hour_of_half_from_one(moment: datetime) -> int:
    return moment.hour % 12 or 12


def _millisecond(moment: datetime) -> int:
    return moment.microsecond // 1000


def _with_24_as_0(text: str) -> int:
    return 0 if int(text) == 24 else int(text)


def _with_12_as_0(text: str) -> int:
    return 0 if int(text) == 12 else int(text)


def _rfc_822(count: int, language: str) -> DateField:
    del count, language
    return _offset(shape=1, zulu=False)


def _iso_8601(count: int, language: str) -> DateField:
    del language
    return _offset(shape=count - 1, zulu=True)


def _offset(shape: int, *, zulu: bool) -> DateField:
    """Return the field of an offset from UTC. With `zulu`, the offset 0 is written as Z."""

    def write(moment: datetime) -> str:
        minutes = _minutes(moment)
        if zulu and minutes == 0:
            return "Z"
        hours, rest = divmod(abs(minutes), 60)
        return _SHAPES[shape].format(sign="-" if minutes < 0 else "+", hours=hours, minutes=rest)

    regex = _REGEXES[shape]
    return DateField(write, f"Z|{regex}" if zulu else regex, _read, "offset")


def _minutes(moment: datetime) -> int:
    return int((moment.utcoffset() or timedelta()).total_seconds() / 60)


def _read(text: str) -> timedelta:
    if text in "Zz":
        return timedelta()
    minutes = int(text[-2:]) if len(text) > 3 else 0
    if minutes > 59:
        raise ValueError(text)
    offset = timedelta(hours=int(text[1:3]), minutes=minutes)
    return -offset if text[0] == "-" else offset


def _name(count: int, language: str) -> DateField:
    if count < 4:
        return DateField(
            lambda moment: moment.tzname() or "UTC", "[A-Za-z0-9+-]{1,10}", str.casefold, possible_lengths=10
        )

    def write(moment: datetime) -> str:
        return locales.zone_name(language, _key(moment), daylight=bool(moment.dst()))

    return DateField(write, ".{1,80}", str.casefold, possible_lengths=80)


def _key(moment: datetime) -> str:
    return getattr(moment.tzinfo, "key", "UTC")


class WeekRule(NamedTuple):
    """The first day of weeks (Monday is 0), and the minimum number of days of a period in its week 1."""

    first_day: int
    min_days: int

    def of_year(self, day: date) -> tuple[int, int]:
        """Return the year that a day's week belongs to, and the number of the week in that year."""
        today = day.toordinal()
        # The last days of a year may belong to week 1 of the next one, the first days to the year before.
        year = next(
            year for year in (day.year + 1, day.year, day.year - 1) if self._start(_new_year(year)) <= today
        )
        return year, self._number(today, _new_year(year))

    def of_month(self, day: date) -> int:
        """Return the number of a day's week in its month; 0 before week 1."""
        return self._number(day.toordinal(), day.replace(day=1).toordinal())

    def _number(self, today: int, period: int) -> int:
        return (today - self._start(period)) // 7 + 1

    def _start(self, period: int) -> int:
        """Return the ordinal at which week 1 begins, for a period that begins at the ordinal `period`."""
        # `before`: how many days of the period's first week precede the period. Ordinal 1 is a Monday. If too
        # few days of that week are in the period, week 1 is the following one.
        before = (period - 1 - self.first_day) % 7
        return period - before + (7 if 7 - before < self.min_days else 0)


_WITHOUT_TERRITORY = WeekRule(first_day=6, min_days=1)
"""The rule that Java uses for a language without a territory."""


def week_rule(language: str) -> WeekRule:
    """Return the rule for counting weeks in the territory of a language."""
    locale = locales.load_locale(language)
    if not locale.territory:
        return _WITHOUT_TERRITORY
    return WeekRule(locale.first_week_day, locale.min_week_days)


def _new_year(year: int) -> int:
    """Return the ordinal of 1 January, also for the years 0 and 10000, which `date` does not support."""
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400 + 1


DATE_PATTERN_LETTERS = {
    "G": PatternLetter(DatePart.DATE, _era),
    "y": PatternLetter(DatePart.DATE, _calendar_year),
    "Y": PatternLetter(DatePart.DATE, _week_year),
    "M": PatternLetter(DatePart.DATE, _month("format")),
    "L": PatternLetter(DatePart.DATE, _month("stand-alone")),
    "w": PatternLetter(DatePart.DATE, _week_of_year),
    "W": PatternLetter(DatePart.DATE, _week_of_month),
    "D": PatternLetter(DatePart.DATE, number_field("day_of_year", _day_of_year, 3)),
    "d": PatternLetter(DatePart.DATE, number_field("day", attrgetter("day"), 2)),
    "F": PatternLetter(DatePart.DATE, number_field(None, _weekday_in_month, 1)),
    "E": PatternLetter(DatePart.DATE, _weekday),
    "u": PatternLetter(DatePart.DATE, number_field(None, datetime.isoweekday, 1)),
    "a": PatternLetter(DatePart.TIME, _half),
    "H": PatternLetter(DatePart.TIME, number_field("hour", attrgetter("hour"), 2)),
    "k": PatternLetter(DatePart.TIME, number_field("hour", _hour_from_one, 2, _with_24_as_0)),
    "K": PatternLetter(DatePart.TIME, number_field("hour_of_half", _hour_of_half, 2)),
    "h": PatternLetter(DatePart.TIME, number_field("hour_of_half", _hour_of_half_from_one, 2, _with_12_as_0)),
    "m": PatternLetter(DatePart.TIME, number_field("minute", attrgetter("minute"), 2)),
    "s": PatternLetter(DatePart.TIME, number_field("second", attrgetter("second"), 2)),
    "S": PatternLetter(DatePart.TIME, number_field("millisecond", _millisecond, 3)),
    "z": PatternLetter(DatePart.ZONE, _name),
    "Z": PatternLetter(DatePart.ZONE, _rfc_822),
    "X": PatternLetter(DatePart.ZONE, _iso_8601, max_run=3),
}
"""All letters of date patterns. Any other text with letters must be quoted."""
