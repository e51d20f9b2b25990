"""The pieces of a date pattern (literal texts and runs of a letter), and the fields that runs become."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple

from stratabase.formats.invalid_value import InvalidValue, describe_value
from stratabase.messages import _

MAX_PATTERN_LENGTH = 100
"""Patterns come with requests; a longer one could only be meant to cost."""
_PIECE = re.compile(r"''|'(?P<quoted>(?:[^']|'')*)'|(?P<letter>[A-Za-z])(?P=letter)*|[^A-Za-z']+|'")
_DIGIT = "[0-9]"


class LetterRun(NamedTuple):
    """A letter, and how often it stands there in a row."""

    letter: str
    length: int


PatternPiece = str | LetterRun


def split_pattern(pattern: str) -> tuple[PatternPiece, ...]:
    """Return literal texts and runs in order. Raises InvalidValue for a quote that does not end."""
    check_length(pattern)
    return tuple(_piece(match, pattern) for match in _PIECE.finditer(pattern))


def check_length(pattern: str, longest: int = MAX_PATTERN_LENGTH) -> None:
    """Raise InvalidValue for a pattern that is too long."""
    if len(pattern) > longest:
        message = _(
            "The pattern has {length} characters. The limit is {limit}.", length=len(pattern), limit=longest
        )
        raise InvalidValue(message)


def _piece(match: re.Match[str], pattern: str) -> PatternPiece:
    text = match.group()
    if match["letter"]:
        return LetterRun(match["letter"], len(text))
    if match["quoted"] is not None:
        return match["quoted"].replace("''", "'")
    if text == "'":
        raise unmatched_quote(pattern)
    return "'" if text == "''" else text


def unmatched_quote(pattern: str) -> InvalidValue:
    """Return the error for a pattern of dates or numbers with a quote that does not end."""
    return InvalidValue(
        _(
            "The pattern {pattern} has an unmatched single quote. For a literal single quote, use ''.",
            pattern=describe_value(pattern),
        )
    )


class DatePart(Enum):
    """What a letter tells of."""

    DATE = "date"
    TIME = "time"
    ZONE = "zone"


@dataclass(frozen=True, slots=True)
class DateField:
    """A run of a letter, in one language."""

    format: Callable[[datetime], str]
    regex: str
    """What its text looks like."""
    parse: Callable[[str], Any]
    """What its text says. Raises ValueError."""
    key: str | None = None
    """What it helps to find out (`year`, `hour` …); None: it must only agree with the rest."""
    possible_lengths: int = 1
    """How many lengths its text may have at one place, at most."""

    @property
    def is_number(self) -> bool:
        """Whether its text has digits only."""
        return self.regex.startswith(_DIGIT)


class PatternLetter(NamedTuple):
    """A letter: what it tells of, and the field of a run of it (by count and language)."""

    part: DatePart
    field: Callable[[int, str], DateField]
    max_run: int = MAX_PATTERN_LENGTH
    """The longest run that Java takes."""


def number_field(
    key: str | None, get: Callable[[datetime], int], width: int, value: Callable[[str], Any] = int
) -> Callable[[int, str], DateField]:
    """Return the field of a number that has at most `width` digits by itself, padded with zeros."""

    def field(count: int, language: str) -> DateField:
        del language
        return DateField(
            zero_padded(get, count), digits_regex(count, width), value, key, count_lengths(count, width)
        )

    return field


def zero_padded(get: Callable[[datetime], int], count: int) -> Callable[[datetime], str]:
    """Return a function that formats a number with at least `count` digits."""
    spelling = f"%0{count}d"
    return lambda moment: spelling % get(moment)


def digits_regex(count: int, width: int) -> str:
    """Return the regular expression of at least `count` digits."""
    return f"{_DIGIT}{{{count},{max(count, width)}}}"


def count_lengths(count: int, width: int) -> int:
    """Return how many lengths those digits may have."""
    return max(count, width) - count + 1


def name_field(
    key: str | None, names: Sequence[str], get: Callable[[datetime], int], first: int = 0
) -> DateField:
    """Return the field of a name out of a row of names, of which the first stands for the number `first`."""
    numbers = {name.casefold(): number for number, name in enumerate(names, first)}
    longest_first = sorted(names, key=len, reverse=True)

    def value(text: str) -> int:
        found = numbers.get(text.casefold())
        if found is None:
            raise ValueError(text)
        return found

    ways = max(sum(name.startswith(other) for other in numbers) for name in numbers)
    regex = "|".join(map(re.escape, longest_first))
    return DateField(lambda moment: names[get(moment) - first], regex, value, key, ways)
