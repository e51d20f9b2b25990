"""Java's date patterns, as SimpleDateFormat understands them: formatting a moment, and parsing it again.

They differ from Java in this: the calendar is Gregorian at all times, digits are always 0 to 9, and parsing
is strict: a run of n letters is at least n digits, and what is said twice must agree.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from math import prod
from typing import Any, Self

from stratabase.formats.date_fields import DateField, DatePart, LetterRun, PatternPiece, split_pattern
from stratabase.formats.date_letters import DATE_PATTERN_LETTERS
from stratabase.formats.invalid_value import InvalidValue, describe_value
from stratabase.messages import Message, _, and_list, or_list

MAX_READINGS = 500
"""In which a text may be read: all are tried on a text whose end does not fit. `dMyHmsS` has 128."""
_COMPLETE = {
    DatePart.DATE: ({"year", "month", "day"}, {"year", "day_of_year"}),
    DatePart.TIME: ({"hour"}, {"hour_of_half", "half"}),
}
"""Any of these sets of keys tells all of a part."""
_ANY_DAY = {"year": 1970, "month": 1, "day": 1}


_MEANINGS: Mapping[DatePart, Callable[[str], Message]] = {
    DatePart.DATE: lambda letter: _('The letter "{letter}" represents part of a date.', letter=letter),
    DatePart.TIME: lambda letter: _('The letter "{letter}" represents part of a time.', letter=letter),
    DatePart.ZONE: lambda letter: _('The letter "{letter}" represents a time zone.', letter=letter),
}


@dataclass(frozen=True, slots=True)
class DatePattern:
    """A date pattern that Java would take."""

    pattern: str
    pieces: tuple[PatternPiece, ...]

    def check_parts(self, allowed: frozenset[DatePart]) -> None:
        """Raise InvalidValue when a letter tells of anything else."""
        for piece in self.pieces:
            if isinstance(piece, LetterRun) and DATE_PATTERN_LETTERS[piece.letter].part not in allowed:
                raise InvalidValue(self._misplaced(piece.letter, allowed))

    def check_readings(self, language: str, most: int) -> None:
        """Raise InvalidValue if a text could be read in more ways than `most`."""
        if _count_readings(self._fields(language)) > most:
            raise irreversible(
                self.pattern,
                _("The numbers run together. Separate them, or use a fixed number of digits for each."),
            )

    def formatter(self, language: str) -> Callable[[datetime], str]:
        """Return a function that formats a moment, which must be in its time zone already."""
        fields = self._fields(language)
        template = "".join(
            "%s" if isinstance(field, DateField) else field.replace("%", "%%") for field in fields
        )
        writes = [field.format for field in fields if isinstance(field, DateField)]
        return lambda moment: template % tuple([write(moment) for write in writes])

    def parser(
        self, language: str, zone: tzinfo, needed: frozenset[DatePart]
    ) -> Callable[[str], datetime | None] | None:
        """Return a function that parses a moment (None from it: the text is not like the pattern).

        None when the pattern does not tell all of what is `needed`, or could match a text in too many ways.
        """
        fields = self._fields(language)
        return DateParser.of(fields, zone, needed) if self._is_clear(fields) else None

    def _is_clear(self, fields: Sequence[DateField | str]) -> bool:
        """Return whether a text can be read in few ways; if a letter has two runs, it cannot."""
        letters = self._letters()
        return len(letters) == len(set(letters)) and _count_readings(fields) <= MAX_READINGS

    def _fields(self, language: str) -> tuple[DateField | str, ...]:
        alone = self._month_alone()
        return tuple(
            DATE_PATTERN_LETTERS["L" if alone else piece.letter].field(piece.length, language)
            if isinstance(piece, LetterRun)
            else piece
            for piece in self.pieces
        )

    def _month_alone(self) -> bool:
        """Return whether the month is the only field: languages that decline it then name it otherwise."""
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


@lru_cache(maxsize=512)
def compile_date_pattern(pattern: str) -> DatePattern:
    """Return a pattern ready for use. Raises InvalidValue for one that Java would refuse."""
    found = split_pattern(pattern)
    for piece in found:
        if isinstance(piece, LetterRun):
            _check(piece, pattern)
    return DatePattern(pattern, found)


def _check(run: LetterRun, pattern: str) -> None:
    letter = DATE_PATTERN_LETTERS.get(run.letter)
    if letter is None:
        message = _(
            'The pattern {pattern} contains the unsupported letter "{letter}". '
            "Use {letters}, and enclose other text in single quotes.",
            pattern=describe_value(pattern),
            letter=run.letter,
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


def irreversible(pattern: str, reason: Message) -> InvalidValue:
    """Return the error for a pattern whose output cannot be parsed; `reason` says why, and what helps."""
    return InvalidValue(
        _(
            "Values in the format {pattern} can't be read back. {reason}",
            pattern=describe_value(pattern),
            reason=reason,
        )
    )


def _count_readings(parts: Sequence[DateField | str]) -> int:
    """Return in how many ways the fields could share a text, at most."""
    neighbors = zip(parts, [*parts[1:], ""], strict=True)
    return prod(
        part.possible_lengths
        for part, after in neighbors
        if isinstance(part, DateField) and not (part.is_number and _ends_a_number(after))
    )


def _ends_a_number(after: DateField | str) -> bool:
    """Return whether digits before this end where it begins, so that there is no choice."""
    return isinstance(after, str) and not after[:1].isdigit()


@dataclass(frozen=True, slots=True)
class DateParser:
    """Parses what one pattern has formatted, in one language and time zone."""

    regex: re.Pattern[str]
    fields: tuple[DateField, ...]
    """One for each group of the regular expression."""
    zone: tzinfo

    @classmethod
    def of(cls, parts: Sequence[DateField | str], zone: tzinfo, needed: frozenset[DatePart]) -> Self | None:
        """Return the parser of fields and literal texts; None when they do not tell all that is needed."""
        fields = tuple(part for part in parts if isinstance(part, DateField))
        keys = {field.key for field in fields}
        if not all(any(keys >= enough for enough in _COMPLETE[part]) for part in needed):
            return None
        regex = "".join(
            f"({part.regex})" if isinstance(part, DateField) else re.escape(part) for part in parts
        )
        return cls(re.compile(regex, re.IGNORECASE), fields, zone)

    def __call__(self, text: str) -> datetime | None:
        """Return the moment that a text tells, in the parser's time zone unless the text has an offset."""
        match = self.regex.fullmatch(text)
        if match is None:
            return None
        try:
            values = [field.parse(group) for field, group in zip(self.fields, match.groups(), strict=True)]
            return next((moment for moment in self._moments(values) if self._agrees(moment, values)), None)
        except (ValueError, OverflowError):
            return None

    def _moments(self, values: Sequence[Any]) -> Iterator[datetime]:
        """Yield what the values may mean: where a clock is put back, an hour occurs twice."""
        told = {field.key: value for field, value in zip(self.fields, values, strict=True) if field.key}
        local = _local(told)
        if "offset" in told:
            yield local.replace(tzinfo=timezone(told["offset"]))
        else:
            yield local.replace(tzinfo=self.zone)
            yield local.replace(tzinfo=self.zone, fold=1)

    def _agrees(self, moment: datetime, values: Sequence[Any]) -> bool:
        return all(
            field.key == "offset" or field.parse(field.format(moment)) == value
            for field, value in zip(self.fields, values, strict=True)
        )


def _local(told: Mapping[str, Any]) -> datetime:
    day = _ANY_DAY | {key: told[key] for key in _ANY_DAY if key in told}
    moment = datetime(
        **day,
        hour=told["hour"] if "hour" in told else told.get("hour_of_half", 0) + 12 * told.get("half", 0),
        minute=told.get("minute", 0),
        second=told.get("second", 0),
        microsecond=told.get("millisecond", 0) * 1000,
        tzinfo=UTC,
    )
    if "day" in told:
        return moment
    return moment + timedelta(days=told.get("day_of_year", 1) - 1)
