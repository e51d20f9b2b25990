"""Java's date patterns, as SimpleDateFormat understands them.

They differ from Java in this: the calendar is Gregorian at all times, digits are always 0 to 9, and reading
is strict: a run of n letters is at least n digits, and what is said twice must agree.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import lru_cache
from math import prod

from stratabase.model.malformed import Malformed, shown
from stratabase.model.patterns.date_letters import DATE_LETTERS
from stratabase.model.patterns.date_reader import DateReader
from stratabase.model.patterns.field import Field, Part
from stratabase.model.patterns.run import Piece, Run, pieces
from stratabase.model.patterns.time_letters import TIME_LETTERS
from stratabase.model.patterns.zone_letters import ZONE_LETTERS

LETTERS = {**DATE_LETTERS, **TIME_LETTERS, **ZONE_LETTERS}
"""Every letter that a date pattern may have; other text with letters stands in quotes."""
MOST_WAYS = 500
"""In which a text may be read: all are tried on a text whose end does not fit. `dMyHmsS` has 128."""


@dataclass(frozen=True, slots=True)
class DatePattern:
    """A date pattern that Java would take."""

    pattern: str
    pieces: tuple[Piece, ...]

    def check_parts(self, allowed: frozenset[Part]) -> None:
        """Raise Malformed when a letter tells of anything else."""
        for piece in self.pieces:
            if isinstance(piece, Run) and LETTERS[piece.letter].part not in allowed:
                raise Malformed(self._misplaced(piece.letter, allowed))

    def check_ways(self, language: str, most: int) -> None:
        """Raise Malformed if a text could be read in more ways than `most`."""
        if _ways(self._fields(language)) > most:
            raise Malformed(
                f"what {shown(self.pattern)} writes cannot be read back, because its numbers run together: "
                "put something between them, or write each with all its digits"
            )

    def writer(self, language: str) -> Callable[[datetime], str]:
        """Return what writes a moment, which must be in its time zone already."""
        fields = self._fields(language)
        template = "".join("%s" if isinstance(field, Field) else field.replace("%", "%%") for field in fields)
        writes = [field.write for field in fields if isinstance(field, Field)]
        return lambda moment: template % tuple([write(moment) for write in writes])

    def reader(
        self, language: str, zone: tzinfo, needed: frozenset[Part]
    ) -> Callable[[str], datetime | None] | None:
        """Return what reads a moment (None from it: the text is not like the pattern).

        None when the pattern does not tell all of what is `needed`, or could match a text in too many ways.
        """
        fields = self._fields(language)
        return DateReader.of(fields, zone, needed) if self._is_clear(fields) else None

    def _is_clear(self, fields: Sequence[Field | str]) -> bool:
        """Return whether a text can be read in few ways; if a letter has two runs, it cannot."""
        letters = self._letters()
        return len(letters) == len(set(letters)) and _ways(fields) <= MOST_WAYS

    def _fields(self, language: str) -> tuple[Field | str, ...]:
        alone = self._month_alone()
        return tuple(
            LETTERS["L" if alone else piece.letter].field(piece.length, language)
            if isinstance(piece, Run)
            else piece
            for piece in self.pieces
        )

    def _month_alone(self) -> bool:
        """Return whether the month is the only field: languages that decline it then name it otherwise."""
        return self._letters() == ["M"]

    def _letters(self) -> list[str]:
        return [piece.letter for piece in self.pieces if isinstance(piece, Run)]

    def _misplaced(self, letter: str, allowed: frozenset[Part]) -> str:
        fitting = " ".join(name for name, known in LETTERS.items() if known.part in allowed)
        return (
            f"the pattern {shown(self.pattern)} does not fit here: {letter!r} tells of "
            f"{LETTERS[letter].part.value}; what fits is {fitting}"
        )


@lru_cache(maxsize=512)
def compile_date_pattern(pattern: str) -> DatePattern:
    """Return a pattern ready for use. Raises Malformed for one that Java would refuse."""
    found = pieces(pattern)
    for piece in found:
        if isinstance(piece, Run):
            _check(piece, pattern)
    return DatePattern(pattern, found)


def _ways(parts: Sequence[Field | str]) -> int:
    """Return in how many ways the fields could share a text, at most."""
    neighbors = zip(parts, [*parts[1:], ""], strict=True)
    return prod(
        part.ways
        for part, after in neighbors
        if isinstance(part, Field) and not (part.is_number and _ends_a_number(after))
    )


def _ends_a_number(after: Field | str) -> bool:
    """Return whether digits before this end where it begins, so that there is no choice."""
    return isinstance(after, str) and not after[:1].isdigit()


def _check(run: Run, pattern: str) -> None:
    letter = LETTERS.get(run.letter)
    if letter is None:
        known = " ".join(LETTERS)
        raise Malformed(
            f"{run.letter!r} in the pattern {shown(pattern)} is no letter of date patterns: "
            f"use {known}, and put text in quotes"
        )
    if run.length > letter.most:
        raise Malformed(
            f"{run.letter!r} stands {run.length} times in the pattern {shown(pattern)}: at most {letter.most}"
        )
