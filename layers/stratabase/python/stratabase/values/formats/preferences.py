"""The formats of a member: patterns, time zone and language, and the checks of them.

A date or time pattern is valid if everything that it formats can be parsed again.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from math import isqrt
from operator import attrgetter

from stratabase.values.formats import locales
from stratabase.values.formats.date_fields import MAX_PATTERN_LENGTH, DatePart, LetterRun, check_length
from stratabase.values.formats.date_pattern import (
    MAX_READINGS,
    DatePattern,
    compile_date_pattern,
    irreversible,
    likely_date_pattern,
)
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _

ISO_FORMAT = "iso"
"""The format for ISO 8601, and for plain digits of numbers. It is not a Java pattern."""
_ISO_DATE, _ISO_TIME = "yyyy-MM-dd", "HH:mm:ss.SSS"
"""The patterns of these dates and times, for a Datetime of which only one part is in ISO 8601."""
MAX_FORMAT_LENGTH = (MAX_PATTERN_LENGTH - 1) // 2
"""The maximum number of characters. Both patterns and a space make the pattern of a Datetime."""
_MAX_READINGS = isqrt(MAX_READINGS)
"""The limit for each pattern, so that a Datetime in both patterns stays within MAX_READINGS."""
_LANGUAGE = "en"
"""The language of the samples. Names are distinct in every language, so one is enough to test the numbers."""
_DAYS = (
    *(datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=day) for day in range(366)),
    *(
        datetime(year, month, day, tzinfo=UTC)
        for year in (1, 11, 51, 111, 999, 1910, 9999)
        for month in (1, 2, 11, 12)
        for day in (1, 2, 11, 12, 21)
    ),
)
"""Days with numbers of few and of many digits, to find patterns whose numbers cannot be told apart."""
_FINER_THAN_HOURS = {"m": "minute", "s": "second", "S": "microsecond"}
"""By letter: the attribute of a datetime that it stands for."""
_TIMES = tuple(
    datetime(1970, 1, 1, hour, minute, second, 1000 * millisecond, tzinfo=UTC)
    for hour in range(24)
    for minute, second, millisecond in ((0, 0, 0), (1, 11, 1), (11, 1, 11), (12, 21, 121), (59, 59, 999))
)


@frozen
class Formats:
    """The formats of a member.

    Java patterns of dates and times, each of which can be `iso` instead, an IANA time zone and a language
    code.
    """

    date_format: str = "dd/MM/yyyy"
    time_format: str = "HH:mm"
    time_zone: str = "UTC"
    language: str = "en"

    @property
    def datetime_format(self) -> str:
        """The pattern of a Datetime: that of dates, a space, and that of times; `iso` if both are."""
        if self.date_format == self.time_format == ISO_FORMAT:
            return ISO_FORMAT
        date = _ISO_DATE if self.date_format == ISO_FORMAT else self.date_format
        time = _ISO_TIME if self.time_format == ISO_FORMAT else self.time_format
        return f"{date} {time}"


DEFAULT_FORMATS = Formats()
FORMATS_BY_NAME: Mapping[str, Formats] = {
    "default": DEFAULT_FORMATS,
    ISO_FORMAT: Formats(date_format=ISO_FORMAT, time_format=ISO_FORMAT),
}
"""The formats that an instance can have for members who choose none, by the value of its setting."""


def check_date_format(pattern: str) -> None:
    """Raise InvalidValue if a pattern cannot format a Date, or if its dates cannot be parsed again."""
    if pattern == ISO_FORMAT:
        return
    compiled = _check_format(pattern, DatePart.DATE)
    _check_complete(compiled, _missing_of_date(compiled))
    _check_samples(compiled, DatePart.DATE, _DAYS, datetime.date)


def check_time_format(pattern: str) -> None:
    """Raise InvalidValue if a pattern cannot format a Time, or if its times cannot be parsed again.

    Units that the pattern leaves out, such as seconds in the default `HH:mm`, are lost. This is permitted.
    """
    if pattern == ISO_FORMAT:
        return
    compiled = _check_format(pattern, DatePart.TIME)
    _check_complete(compiled, _missing_of_time(compiled))
    letters = {run.letter for run in _runs(compiled)}
    units = [unit for letter, unit in _FINER_THAN_HOURS.items() if letter in letters]
    _check_samples(compiled, DatePart.TIME, _TIMES, attrgetter("hour", *units))


def check_time_zone(name: str) -> None:
    """Raise InvalidValue if a time zone does not exist."""
    if not locales.is_time_zone(name):
        raise locales.unknown_time_zone(name)


def check_language(code: str) -> None:
    """Raise InvalidValue if a language does not exist."""
    locales.load_locale(code)


def _check_format(pattern: str, part: DatePart) -> DatePattern:
    check_length(pattern, MAX_FORMAT_LENGTH)
    compiled = compile_date_pattern(pattern)
    compiled.check_parts(frozenset({part}))
    return compiled


def _check_complete(compiled: DatePattern, missing: Message | None) -> None:
    """Raise InvalidValue if a pattern lacks something, or has a letter at two places."""
    if missing is not None:
        raise irreversible(compiled.pattern, missing)
    # The parser accepts no letter with two runs (`DatePattern.parser`).
    letters = [run.letter for run in _runs(compiled)]
    twice = [letter for letter in dict.fromkeys(letters) if letters.count(letter) > 1]
    if twice:
        reason = _(
            'The letter "{letter}" appears in more than one place. Use it in only one place.', letter=twice[0]
        )
        raise irreversible(compiled.pattern, reason)


def _missing_of_date(compiled: DatePattern) -> Message | None:
    """Return what a pattern lacks so that its dates cannot be parsed, and what to add; None if nothing."""
    runs = _runs(compiled)
    letters = {run.letter for run in runs}
    likely = likely_date_pattern(compiled.pattern)
    if likely is not None:
        return _week_based_year(likely, has_year="y" in letters)
    if "y" not in letters:
        return _('The year is missing. Add "yyyy".')
    if any(run == LetterRun("y", 2) for run in runs):
        return _('A two-digit year does not specify the century. Use "yyyy".')
    if "D" in letters:
        return None
    if not letters & {"M", "L"}:
        return _('The month is missing. Add "MM".')
    return None if "d" in letters else _('The day is missing. Add "dd".')


def _week_based_year(likely: str, *, has_year: bool) -> Message:
    if has_year:
        return _('The letter "Y" represents the week-based year. Remove it, or add the week ("ww").')
    return _('The letter "Y" represents the week-based year. Use {pattern}.', pattern=describe_value(likely))


def _missing_of_time(compiled: DatePattern) -> Message | None:
    """Return what a pattern lacks so that its times cannot be parsed, and what to add; None if nothing."""
    letters = {run.letter for run in _runs(compiled)}
    if letters & {"H", "k"} or (letters & {"K", "h"} and "a" in letters):
        return None
    if letters & {"K", "h"}:
        return _('The hour does not specify AM or PM. Add "a", or use "HH".')
    return _('The hour is missing. Add "HH".')


def _runs(compiled: DatePattern) -> list[LetterRun]:
    return [piece for piece in compiled.pieces if isinstance(piece, LetterRun)]


def _check_samples(
    compiled: DatePattern,
    part: DatePart,
    samples: tuple[datetime, ...],
    value_of: Callable[[datetime], object],
) -> None:
    """Raise InvalidValue if a sample does not survive formatting and parsing.

    This happens if the digits of adjacent numbers can be divided in several ways.
    """
    compiled.check_readings(_LANGUAGE, _MAX_READINGS)
    write, read = compiled.formatter(_LANGUAGE), compiled.parser(_LANGUAGE, UTC, frozenset({part}))
    assert read is not None, "it tells everything, in few ways"
    for sample in samples:
        text = write(sample)
        parsed = read(text)
        if parsed is None or value_of(parsed) != value_of(sample):
            reason = _(
                "{value} is ambiguous. Separate the numbers, or use a fixed number of digits for each.",
                value=describe_value(text),
            )
            raise irreversible(compiled.pattern, reason)


FORMAT_CHECKS: dict[str, Callable[[str], None]] = {
    "date_format": check_date_format,
    "time_format": check_time_format,
    "time_zone": check_time_zone,
    "language": check_language,
}
