"""What stands before and behind the digits of a number."""

import re
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from stratabase.model.malformed import Malformed, shown
from stratabase.model.patterns.language import Symbols


class Sign(Enum):
    """A sign that languages write differently; the value is the symbol's name."""

    MINUS = "minus"
    PERCENT = "percent"
    PER_MILLE = "per_mille"


_SIGNS = {"-": Sign.MINUS, "%": Sign.PERCENT, "‰": Sign.PER_MILLE}
_MULTIPLIERS = {Sign.PERCENT: 2, Sign.PER_MILLE: 3}
_PIECE = re.compile(r"''|'(?P<quoted>(?:[^']|'')*)'|(?P<text>[^'])")


@dataclass(frozen=True, slots=True)
class Affix:
    """Literal texts and signs, in order."""

    pieces: tuple[str | Sign, ...] = ()

    def text(self, symbols: Symbols) -> str:
        """Return it in a language."""
        return "".join(
            getattr(symbols, piece.value) if isinstance(piece, Sign) else piece for piece in self.pieces
        )

    @property
    def powers(self) -> list[int]:
        """The powers of ten by which its signs multiply the number."""
        return [_MULTIPLIERS[piece] for piece in self.pieces if piece in _MULTIPLIERS]


class Affixes(NamedTuple):
    """Both of them."""

    prefix: Affix
    suffix: Affix

    def texts(self, symbols: Symbols) -> tuple[str, str]:
        """Return them in a language."""
        return self.prefix.text(symbols), self.suffix.text(symbols)

    def minus(self) -> "Affixes":
        """Return what negative numbers have when the pattern does not say it."""
        return Affixes(Affix((Sign.MINUS, *self.prefix.pieces)), self.suffix)

    def check(self) -> None:
        """Raise Malformed when percent and per mille stand there more than once."""
        if len(self.prefix.powers + self.suffix.powers) > 1:
            raise Malformed("a pattern of numbers has % or ‰ at most once: put others in quotes")

    @property
    def power(self) -> int:
        """The power of ten by which percent or per mille multiply the number."""
        return sum(self.prefix.powers + self.suffix.powers)


def affix(text: str, pattern: str) -> Affix:
    """Return the affix that a part of a pattern spells. Raises Malformed for a quote that does not end."""
    if _PIECE.sub("", text):
        raise Malformed(f"the pattern {shown(pattern)} has a quote that does not end: write '' for one quote")
    return Affix(tuple(_piece(match) for match in _PIECE.finditer(text)))


def _piece(match: re.Match[str]) -> str | Sign:
    if match["text"]:
        return _SIGNS.get(match["text"], match["text"])
    return (match["quoted"] or "'").replace("''", "'")
