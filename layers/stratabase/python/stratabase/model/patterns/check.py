"""Whether a member's formats exist."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from stratabase.model.formats import Formats
from stratabase.model.malformed import Malformed, shown
from stratabase.model.patterns import language, zone
from stratabase.model.patterns.date import compile_date_pattern
from stratabase.model.patterns.field import Part
from stratabase.model.patterns.run import LONGEST_PATTERN, check_length

LONGEST_FORMAT = (LONGEST_PATTERN - 1) // 2
"""Characters; both formats and a space make the pattern of a Datetime."""


class FormatMistake(NamedTuple):
    """A field of Formats that does not hold; `text` says what would be right."""

    field: str
    text: str


def check_formats(formats: Formats) -> list[FormatMistake]:
    """Return what is wrong with a member's patterns, time zone and language."""
    return [
        FormatMistake(field, text)
        for field, check in CHECKS.items()
        for text in _refusals(check, getattr(formats, field))
    ]


def check_date_format(pattern: str) -> None:
    """Raise Malformed for a pattern that cannot write a Date."""
    _check_format(pattern, Part.DATE)


def check_time_format(pattern: str) -> None:
    """Raise Malformed for a pattern that cannot write a Time."""
    _check_format(pattern, Part.TIME)


def check_time_zone(name: str) -> None:
    """Raise Malformed for a time zone that does not exist."""
    if not zone.known_time_zone(name):
        raise Malformed(f"{shown(name)} is no known time zone: give one such as 'Europe/Rome'")


def check_language(code: str) -> None:
    """Raise Malformed for a language that does not exist."""
    language.locale(code)


def _check_format(pattern: str, part: Part) -> None:
    check_length(pattern, LONGEST_FORMAT)
    compile_date_pattern(pattern).check_parts(frozenset({part}))


CHECKS: dict[str, Callable[[str], None]] = {
    "date_format": check_date_format,
    "time_format": check_time_format,
    "time_zone": check_time_zone,
    "language": check_language,
}


def _refusals(check: Callable[[str], None], value: str) -> Iterator[str]:
    try:
        check(value)
    except Malformed as refusal:
        yield str(refusal)
