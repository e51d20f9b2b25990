"""What a letter of a date pattern becomes: a field that can be written and read."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple

from stratabase.model.patterns.run import LONGEST_PATTERN

_DIGIT = "[0-9]"


class Part(Enum):
    """What a letter tells of."""

    DATE = "dates"
    TIME = "times"
    ZONE = "time zones"


@dataclass(frozen=True, slots=True)
class Field:
    """A run of a letter, in one language."""

    write: Callable[[datetime], str]
    regex: str
    """What its text looks like."""
    value: Callable[[str], Any]
    """What its text says. Raises ValueError."""
    key: str | None = None
    """What it helps to find out (`year`, `hour` …); None: it must only agree with the rest."""
    ways: int = 1
    """How many lengths its text may have at one place, at most."""

    @property
    def is_number(self) -> bool:
        """Whether its text has digits only."""
        return self.regex.startswith(_DIGIT)


class Letter(NamedTuple):
    """A letter: what it tells of, and the field of a run of it (by count and language)."""

    part: Part
    field: Callable[[int, str], Field]
    most: int = LONGEST_PATTERN
    """The longest run that Java takes."""


def number(
    key: str | None, get: Callable[[datetime], int], width: int, value: Callable[[str], Any] = int
) -> Callable[[int, str], Field]:
    """Return the field of a number that has at most `width` digits by itself, padded with zeros."""

    def field(count: int, language: str) -> Field:
        del language
        return Field(padded(get, count), digits(count, width), value, key, lengths(count, width))

    return field


def padded(get: Callable[[datetime], int], count: int) -> Callable[[datetime], str]:
    """Return what writes a number with at least `count` digits."""
    spelling = f"%0{count}d"
    return lambda moment: spelling % get(moment)


def digits(count: int, width: int) -> str:
    """Return the regular expression of at least `count` digits."""
    return f"{_DIGIT}{{{count},{max(count, width)}}}"


def lengths(count: int, width: int) -> int:
    """Return how many lengths those digits may have."""
    return max(count, width) - count + 1


def named(key: str | None, names: Sequence[str], get: Callable[[datetime], int], first: int = 0) -> Field:
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
    return Field(lambda moment: names[get(moment) - first], regex, value, key, ways)
