"""The pieces of a date pattern (literal texts and runs of a letter), and the fields of these runs."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple

from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.frozen import frozen
from stratabase.values.messages import _

MAX_PATTERN_LENGTH = 100
"""The maximum number of characters. Clients send patterns, so their cost must be bounded."""
_PIECE = re.compile(r"''|'(?P<quoted>(?:[^']|'')*)'|(?P<letter>[A-Za-z])(?P=letter)*|[^A-Za-z']+|'")
_DIGIT = "[0-9]"


class LetterRun(NamedTuple):
    """A letter, and how often it is repeated."""

    letter: str
    length: int


PatternPiece = str | LetterRun


def split_pattern(pattern: str) -> tuple[PatternPiece, ...]:
    """Return the literal texts and runs of a pattern in order. Raises InvalidValue for an unmatched quote."""
    check_length(pattern)
    return tuple(_piece(match, pattern) for match in _PIECE.finditer(pattern))


def letter_position(pattern: str, letter: str) -> int:
    """Return the position of the first run of a letter in a pattern, counted from 1."""
    return next(match.start() + 1 for match in _PIECE.finditer(pattern) if match["letter"] == letter)


def check_length(pattern: str, longest: int = MAX_PATTERN_LENGTH) -> None:
    """Raise InvalidValue if a pattern is too long."""
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
    """Return the error for an unmatched quote in a date or number pattern."""
    return InvalidValue(
        _(
            "The pattern {pattern} has an unmatched single quote. For a literal single quote, use ''.",
            pattern=describe_value(pattern),
        )
    )


class DatePart(Enum):
    """The part of a date and time that a letter belongs to."""

    DATE = "date"
    TIME = "time"
    ZONE = "zone"


@frozen
class DateField:
    """The formatting and parsing of a run of a letter, in one language."""

    format: Callable[[datetime], str]
    regex: str
    """A regular expression that matches the field's text."""
    parse: Callable[[str], Any]
    """Return the value of a text. Raises ValueError."""
    key: str | None = None
    """The name of the value, such as `year` or `hour`; None if it must only agree with the other fields."""
    possible_lengths: int = 1
    """The maximum number of lengths that the field's text can have at one place."""

    @property
    def is_number(self) -> bool:
        """Whether the field's text consists of digits."""
        return self.regex.startswith(_DIGIT)


class PatternLetter(NamedTuple):
    """A letter: the part that it belongs to, and a function that makes the field of a run of it.

    The function takes the length of the run and a language.
    """

    part: DatePart
    field: Callable[[int, str], DateField]
    max_run: int = MAX_PATTERN_LENGTH
    """The longest run that Java accepts."""


def number_field(
    key: str | None, get: Callable[[datetime], int], width: int, value: Callable[[str], Any] = int
) -> Callable[[int, str], DateField]:
    """Return a function that makes the field of a number padded with zeros.

    `width`: the maximum number of digits of the number without padding.
    """

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
    """Return a regular expression for at least `count` digits."""
    return f"{_DIGIT}{{{count},{max(count, width)}}}"


def count_lengths(count: int, width: int) -> int:
    """Return the number of lengths that such digits can have."""
    return max(count, width) - count + 1


def name_field(
    key: str | None, names: Sequence[str], get: Callable[[datetime], int], first: int = 0
) -> DateField:
    """Return the field of a name, as the names of the months.

    The first of `names` stands for the number `first`, the second for the next one.
    """
    numbers = {name.casefold(): number for number, name in enumerate(names, first)}
    # An alternation takes the first match: "March" must come before "Mar".
    longest_first = sorted(names, key=len, reverse=True)

    def value(text: str) -> int:
        found = numbers.get(text.casefold())
        if found is None:
            raise ValueError(text)
        return found

    ways = max(sum(name.startswith(other) for other in numbers) for name in numbers)
    regex = "|".join(map(re.escape, longest_first))
    return DateField(lambda moment: names[get(moment) - first], regex, value, key, ways)
