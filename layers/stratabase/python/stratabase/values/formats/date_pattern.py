"""Java's date patterns (SimpleDateFormat): formatting dates and times, and parsing them.

There are three differences from Java. The calendar is always Gregorian. Digits are always 0 to 9. Parsing is
strict: a run of n letters is at least n digits, and fields that repeat a value must agree.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from math import prod
from operator import itemgetter
from typing import Any, Self

from stratabase.values.formats.date_fields import (
    DateField,
    DatePart,
    LetterRun,
    PatternPiece,
    letter_position,
    split_pattern,
)
from stratabase.values.formats.date_letters import DATE_PATTERN_LETTERS
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _, and_list, or_list

MAX_READINGS = 500
"""How many ways to divide a text among the fields are permitted; a text that does not match tries them all.

The pattern `dMyHmsS` has 128.
"""
_COMPLETE = {
    DatePart.DATE: ({"year", "month", "day"}, {"year", "day_of_year"}),
    DatePart.TIME: ({"hour"}, {"hour_of_half", "half"}),
}
"""By part: sets of keys, each of which determines the part completely."""
_ANY_DAY = {"year": 1970, "month": 1, "day": 1}


_MEANINGS: Mapping[DatePart, Callable[[str], Message]] = {
    DatePart.DATE: lambda letter: _('The letter "{letter}" represents part of a date.', letter=letter),
    DatePart.TIME: lambda letter: _('The letter "{letter}" represents part of a time.', letter=letter),
    DatePart.ZONE: lambda letter: _('The letter "{letter}" represents a time zone.', letter=letter),
}


@frozen
class DatePattern:
    """A date pattern that Java accepts."""

    pattern: str
    pieces: tuple[PatternPiece, ...]

    def check_parts(self, allowed: frozenset[DatePart]) -> None:
        """Raise InvalidValue if a letter belongs to another part."""
        for piece in self.pieces:
            if isinstance(piece, LetterRun) and DATE_PATTERN_LETTERS[piece.letter].part not in allowed:
                raise InvalidValue(self._misplaced(piece.letter, allowed))

    def check_readings(self, language: str, max_readings: int) -> None:
        """Raise InvalidValue if the fields can divide a text in more ways than `most`."""
        if _count_readings(self._fields(language)) > max_readings:
            raise irreversible(
                self.pattern,
                _("The numbers run together. Separate them, or use a fixed number of digits for each."),
            )

    def formatter(self, language: str) -> Callable[[datetime], str]:
        """Return a function that formats a datetime, which must already be in its time zone."""
        fields = self._fields(language)
        template = "".join(
            "%s" if isinstance(field, DateField) else field.replace("%", "%%") for field in fields
        )
        writes = [field.format for field in fields if isinstance(field, DateField)]
        return lambda moment: template % tuple([write(moment) for write in writes])

    def slicer(self, slices: Mapping[LetterRun, slice]) -> "SliceFormat | None":
        """Return a function that formats a text of fixed width, of which the fields are slices.

        `slices`: by run of a letter, the slice of the text that its field is. Returns None if the pattern has
        another run.
        """
        runs = [piece for piece in self.pieces if isinstance(piece, LetterRun)]
        if not runs or not all(run in slices for run in runs):
            return None
        return SliceFormat(
            [slices[piece] if isinstance(piece, LetterRun) else piece for piece in self.pieces]
        )

    def parser(
        self, language: str, zone: tzinfo, needed: frozenset[DatePart]
    ) -> Callable[[str], datetime | None] | None:
        """Return a function that parses a text, and returns None if the text does not match the pattern.

        The result is None instead of a function if the pattern does not determine all `needed` parts, or if
        the fields could divide a text in too many ways.
        """
        fields = self._fields(language)
        return DateParser.of(fields, zone, needed) if self._is_clear(fields) else None

    def _is_clear(self, fields: Sequence[DateField | str]) -> bool:
        """Return whether a text can be divided in few ways, and no letter has two runs."""
        letters = self._letters()
        return len(letters) == len(set(letters)) and _count_readings(fields) <= MAX_READINGS

    def _fields(self, language: str) -> tuple[DateField | str, ...]:
        is_month_alone = self._month_alone()
        return tuple(
            DATE_PATTERN_LETTERS["L" if is_month_alone else piece.letter].field(piece.length, language)
            if isinstance(piece, LetterRun)
            else piece
            for piece in self.pieces
        )

    def _month_alone(self) -> bool:
        """Return whether the month is the only field. Some languages then use another form of its name."""
        return self._letters() == ["M"]

    def _letters(self) -> list[str]:
        return [piece.letter for piece in self.pieces if isinstance(piece, LetterRun)]

    def _misplaced(self, letter: str, allowed: frozenset[DatePart]) -> Message:
        allowed_letters = (name for name, known in DATE_PATTERN_LETTERS.items() if known.part in allowed)
        return _(
            "The pattern {pattern} is not allowed here. {reason} Use only the letters {letters}.",
            pattern=describe_value(self.pattern),
            reason=_MEANINGS[DATE_PATTERN_LETTERS[letter].part](letter),
            letters=and_list(allowed_letters),
        )


_PUNCTUATION = re.compile(r"[-/.,: T]*")


class SliceFormat:
    """A function that formats a text by its slices. Compiled code can contain it as an expression."""

    def __init__(self, pieces: Sequence[slice | str]) -> None:
        """`pieces`: slices of the text, and texts between them."""
        between = [piece for piece in pieces if isinstance(piece, str)]
        self._template = "".join(
            piece.replace("%", "%%") if isinstance(piece, str) else "%s" for piece in pieces
        )
        self._cut = itemgetter(*(piece for piece in pieces if isinstance(piece, slice)))
        self.expression = _expression(pieces) if all(map(_PUNCTUATION.fullmatch, between)) else None
        """The Python expression of the formatted text, for a text `v`. None if it has text of a client."""

    def __call__(self, text: str) -> str:
        """Return a text with its slices in the order of the format."""
        formatted: str = self._template % self._cut(text)
        return formatted


def _expression(pieces: Iterable[slice | str]) -> str:
    parts = (piece if isinstance(piece, str) else f"{{v[{piece.start}:{piece.stop}]}}" for piece in pieces)
    return f"f{''.join(parts)!r}"


@lru_cache(maxsize=512)
def compile_date_pattern(pattern: str) -> DatePattern:
    """Return a compiled pattern. Raises InvalidValue for a pattern that Java refuses."""
    pieces = split_pattern(pattern)
    for piece in pieces:
        if isinstance(piece, LetterRun):
            _check(piece, pattern)
    return DatePattern(pattern, pieces)


def _check(run: LetterRun, pattern: str) -> None:
    letter = DATE_PATTERN_LETTERS.get(run.letter)
    if letter is None:
        message = _(
            'The pattern {pattern} contains the unsupported letter "{letter}" at character {position}. '
            "Use {letters}, and enclose other text in single quotes.",
            pattern=describe_value(pattern),
            letter=run.letter,
            position=str(letter_position(pattern, run.letter)),
            letters=or_list(DATE_PATTERN_LETTERS),
        )
        raise InvalidValue(message)
    if run.length > letter.max_run:
        message = _(
            'The pattern {pattern} repeats the letter "{letter}" {count} times. The limit is {limit}.',
            pattern=describe_value(pattern),
            letter=run.letter,
            count=run.length,
            limit=letter.max_run,
        )
        raise InvalidValue(message)


def likely_date_pattern(pattern: str) -> str | None:
    """Return the probable intention of a pattern with a week-based year and no week, such as `YYYY-MM-DD`.

    Returns None for any other pattern.
    """
    runs = [piece for piece in compile_date_pattern(pattern).pieces if isinstance(piece, LetterRun)]
    letters = {run.letter for run in runs}
    if "Y" not in letters or "w" in letters:
        return None
    # Beside a month, "DD" is probably meant as the day of the month and not as the day of the year.
    has_month = bool(letters & {"M", "L"}) and "d" not in letters
    return "".join(_likely_text(piece, has_month=has_month) for piece in compile_date_pattern(pattern).pieces)


def _likely_text(piece: PatternPiece, *, has_month: bool) -> str:
    if not isinstance(piece, LetterRun):
        quoted = "'" in piece or any(map(str.isalpha, piece))
        return "'{}'".format(piece.replace("'", "''")) if quoted else piece
    if piece.letter == "D" and has_month:
        return "dd"
    return ("y" if piece.letter == "Y" else piece.letter) * piece.length


def irreversible(pattern: str, reason: Message) -> InvalidValue:
    """Return the error for a pattern whose output cannot be parsed. `reason` says why, and what to do."""
    return InvalidValue(
        _(
            "Values in the format {pattern} can't be read back. {reason}",
            pattern=describe_value(pattern),
            reason=reason,
        )
    )


def _count_readings(parts: Sequence[DateField | str]) -> int:
    """Return the maximum number of ways in which the fields can divide a text."""
    neighbors = zip(parts, [*parts[1:], ""], strict=True)
    return prod(
        part.possible_lengths
        for part, after in neighbors
        if isinstance(part, DateField) and not (part.is_number and _ends_a_number(after))
    )


def _ends_a_number(after: DateField | str) -> bool:
    """Return whether a number before this piece can end only where the piece begins."""
    return isinstance(after, str) and not after[:1].isdigit()


@frozen
class DateParser:
    """The parser of one pattern, in one language and time zone."""

    regex: re.Pattern[str]
    fields: tuple[DateField, ...]
    """The field of each group of the regular expression."""
    zone: tzinfo
    day_groups: tuple[int, int, int] | None = None
    """The groups of the year, month and day, if each text has these three as numbers, and nothing else."""

    @classmethod
    def of(cls, parts: Sequence[DateField | str], zone: tzinfo, needed: frozenset[DatePart]) -> Self | None:
        """Return the parser of fields and literal texts; None if they do not determine all `needed` parts."""
        fields = tuple(part for part in parts if isinstance(part, DateField))
        keys = {field.key for field in fields}
        if not all(any(keys >= enough for enough in _COMPLETE[part]) for part in needed):
            return None
        regex = "".join(
            f"({part.regex})" if isinstance(part, DateField) else re.escape(part) for part in parts
        )
        return cls(re.compile(regex, re.IGNORECASE), fields, zone, _day_groups(fields))

    def __call__(self, text: str) -> datetime | None:
        """Return the datetime of a text, in the parser's time zone unless the text has an offset."""
        match = self.regex.fullmatch(text)
        if match is None:
            return None
        try:
            if self.day_groups is not None:  # most dates
                year, month, day = match.group(*self.day_groups)
                return datetime(int(year), int(month), int(day), tzinfo=self.zone)
            # Fields can repeat a value (a weekday beside a date), so the result must agree with all of them.
            values = [field.parse(group) for field, group in zip(self.fields, match.groups(), strict=True)]
            return next((moment for moment in self._moments(values) if self._agrees(moment, values)), None)
        except (ValueError, OverflowError):
            return None

    def _moments(self, values: Sequence[Any]) -> Iterator[datetime]:
        """Yield what the values can mean. When clocks are put back, an hour occurs twice."""
        values_by_key = {
            field.key: value for field, value in zip(self.fields, values, strict=True) if field.key
        }
        local = _local(values_by_key)
        if "offset" in values_by_key:
            yield local.replace(tzinfo=timezone(values_by_key["offset"]))
        else:
            yield local.replace(tzinfo=self.zone)
            yield local.replace(tzinfo=self.zone, fold=1)

    def _agrees(self, moment: datetime, values: Sequence[Any]) -> bool:
        return all(
            field.key == "offset" or field.parse(field.format(moment)) == value
            for field, value in zip(self.fields, values, strict=True)
        )


def _day_groups(fields: Sequence[DateField]) -> tuple[int, int, int] | None:
    """Return `DateParser.day_groups` of its fields."""
    groups = {field.key: group for group, field in enumerate(fields, 1) if field.parse is int}
    if len(fields) != 3 or groups.keys() != {"year", "month", "day"}:
        return None
    return groups["year"], groups["month"], groups["day"]


def _local(values: Mapping[str, Any]) -> datetime:
    day = _ANY_DAY | {key: values[key] for key in _ANY_DAY if key in values}
    moment = datetime(
        **day,
        hour=values["hour"]
        if "hour" in values
        else values.get("hour_of_half", 0) + 12 * values.get("half", 0),
        minute=values.get("minute", 0),
        second=values.get("second", 0),
        microsecond=values.get("millisecond", 0) * 1000,
        tzinfo=UTC,
    )
    if "day" in values:
        return moment
    return moment + timedelta(days=values.get("day_of_year", 1) - 1)
