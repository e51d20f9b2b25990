"""How one member writes and reads dates: patterns, time zone and language; and whether these can be used.

A date or time pattern is good if everything it formats can be parsed again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import isqrt
from operator import attrgetter

from stratabase.formats import locales
from stratabase.formats.date_fields import MAX_PATTERN_LENGTH, DatePart, LetterRun, check_length
from stratabase.formats.date_pattern import MAX_READINGS, DatePattern, compile_date_pattern, irreversible
from stratabase.formats.invalid_value import describe_value
from stratabase.messages import Message, _

MAX_FORMAT_LENGTH = (MAX_PATTERN_LENGTH - 1) // 2
"""Characters; both formats and a space make the pattern of a Datetime."""
_MAX_READINGS = isqrt(MAX_READINGS)
"""Of each format, so that a Datetime in both can be read."""
_LANGUAGE = "en"
"""Names are told apart in every language, so one will do to find what numbers leave open."""
_DAYS = (
    *(datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=day) for day in range(366)),
    *(
        datetime(year, month, day, tzinfo=UTC)
        for year in (1, 11, 51, 111, 999, 1910, 9999)
        for month in (1, 2, 11, 12)
        for day in (1, 2, 11, 12, 21)
    ),
)
"""Days whose numbers have one digit or more, so that a pattern that leaves open which is which shows it."""
_FINER_THAN_HOURS = {"m": "minute", "s": "second", "S": "microsecond"}
"""What letters tell of a time besides its hour, by the attribute of a moment."""
_TIMES = tuple(
    datetime(1970, 1, 1, hour, minute, second, 1000 * millisecond, tzinfo=UTC)
    for hour in range(24)
    for minute, second, millisecond in ((0, 0, 0), (1, 11, 1), (11, 1, 11), (12, 21, 121), (59, 59, 999))
)


@dataclass(frozen=True, slots=True)
class Formats:
    """A member's Java date pattern and time pattern, IANA time zone and language code (api.md section 4)."""

    date_format: str = "dd/MM/yyyy"
    time_format: str = "HH:mm"
    time_zone: str = "UTC"
    language: str = "en"

    @property
    def datetime_format(self) -> str:
        """The pattern of a Datetime: the date's, a space, the time's."""
        return f"{self.date_format} {self.time_format}"


DEFAULT_FORMATS = Formats()


def check_date_format(pattern: str) -> None:
    """Raise InvalidValue for a pattern that cannot write a Date, or whose dates cannot be read back."""
    compiled = _check_format(pattern, DatePart.DATE)
    _check_complete(compiled, _missing_of_date(compiled))
    _check_samples(compiled, DatePart.DATE, _DAYS, datetime.date)


def check_time_format(pattern: str) -> None:
    """Raise InvalidValue for a pattern that cannot write a Time, or whose times cannot be read back.

    What is finer than the pattern tells is lost, as in the default `HH:mm`: that is no mistake.
    """
    compiled = _check_format(pattern, DatePart.TIME)
    _check_complete(compiled, _missing_of_time(compiled))
    letters = {run.letter for run in _runs(compiled)}
    units = [unit for letter, unit in _FINER_THAN_HOURS.items() if letter in letters]
    _check_samples(compiled, DatePart.TIME, _TIMES, attrgetter("hour", *units))


def check_time_zone(name: str) -> None:
    """Raise InvalidValue for a time zone that does not exist."""
    if not locales.is_time_zone(name):
        raise locales.unknown_time_zone(name)


def check_language(code: str) -> None:
    """Raise InvalidValue for a language that does not exist."""
    locales.load_locale(code)


def _check_format(pattern: str, part: DatePart) -> DatePattern:
    check_length(pattern, MAX_FORMAT_LENGTH)
    compiled = compile_date_pattern(pattern)
    compiled.check_parts(frozenset({part}))
    return compiled


def _check_complete(compiled: DatePattern, missing: Message | None) -> None:
    """Raise InvalidValue for a pattern that leaves something out, or says something at two places."""
    if missing is not None:
        raise irreversible(compiled.pattern, missing)
    letters = [run.letter for run in _runs(compiled)]
    twice = [letter for letter in dict.fromkeys(letters) if letters.count(letter) > 1]
    if twice:
        reason = _(
            'The letter "{letter}" appears in more than one place. Use it in only one place.', letter=twice[0]
        )
        raise irreversible(compiled.pattern, reason)


def _missing_of_date(compiled: DatePattern) -> Message | None:
    """Return what keeps dates from being read back, and what would be right; None when nothing does."""
    runs = _runs(compiled)
    letters = {run.letter for run in runs}
    if "y" not in letters and "Y" in letters:
        return _(
            'The letter "Y" represents the week-based year. Use {pattern}.',
            pattern=describe_value(_with_calendar_year(compiled)),
        )
    if "y" not in letters:
        return _('The year is missing. Add "yyyy".')
    if any(run == LetterRun("y", 2) for run in runs):
        return _('A two-digit year does not specify the century. Use "yyyy".')
    if "D" in letters:
        return None
    if not letters & {"M", "L"}:
        return _('The month is missing. Add "MM".')
    return None if "d" in letters else _('The day is missing. Add "dd".')


def _with_calendar_year(compiled: DatePattern) -> str:
    """Return the pattern that was probably meant by one with the year of a week, such as `YYYY-MM-DD`."""
    day = "d" if any(run.letter in "ML" for run in _runs(compiled)) else "D"
    texts: list[str] = []
    for piece in compiled.pieces:
        if not isinstance(piece, LetterRun):
            quoted = "'" in piece or any(map(str.isalpha, piece))
            texts.append("'{}'".format(piece.replace("'", "''")) if quoted else piece)
        elif piece.letter == "D":
            texts.append("dd" if day == "d" else "D" * piece.length)
        else:
            texts.append(("y" if piece.letter == "Y" else piece.letter) * piece.length)
    return "".join(texts)


def _missing_of_time(compiled: DatePattern) -> Message | None:
    """Return what keeps times from being read back, and what would be right; None when nothing does."""
    letters = {run.letter for run in _runs(compiled)}
    if letters & {"H", "k"} or (letters & {"K", "h"} and "a" in letters):
        return None
    if letters & {"K", "h"}:
        return _('The hour does not specify AM or PM. Add "a", or use "HH".')
    return _('The hour is missing. Add "HH".')


def _runs(compiled: DatePattern) -> list[LetterRun]:
    return [piece for piece in compiled.pieces if isinstance(piece, LetterRun)]


def _check_samples(
    compiled: DatePattern, part: DatePart, samples: tuple[datetime, ...], told: Callable[[datetime], object]
) -> None:
    """Raise InvalidValue when a sample is read back as another: its digits can be cut at several places."""
    compiled.check_readings(_LANGUAGE, _MAX_READINGS)
    write, read = compiled.formatter(_LANGUAGE), compiled.parser(_LANGUAGE, UTC, frozenset({part}))
    assert read is not None, "it tells everything, in few ways"
    for sample in samples:
        text = write(sample)
        found = read(text)
        if found is None or told(found) != told(sample):
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
