"""A date pattern taken apart: literal text, and runs of one letter."""

import re
from typing import NamedTuple

from stratabase.model.malformed import Malformed, shown

LONGEST_PATTERN = 100
"""Patterns come with requests; a longer one could only be meant to cost."""

_PIECE = re.compile(r"''|'(?P<quoted>(?:[^']|'')*)'|(?P<letter>[A-Za-z])(?P=letter)*|[^A-Za-z']+|'")


class Run(NamedTuple):
    """A letter, and how often it stands there in a row."""

    letter: str
    length: int


Piece = str | Run


def pieces(pattern: str) -> tuple[Piece, ...]:
    """Return literal texts and runs in order. Raises Malformed for a quote that does not end."""
    check_length(pattern)
    return tuple(_piece(match, pattern) for match in _PIECE.finditer(pattern))


def check_length(pattern: str, longest: int = LONGEST_PATTERN) -> None:
    """Raise Malformed for a pattern that is too long."""
    if len(pattern) > longest:
        raise Malformed(f"a pattern of {len(pattern)} characters is too long: give at most {longest}")


def _piece(match: re.Match[str], pattern: str) -> Piece:
    text = match.group()
    if match["letter"]:
        return Run(match["letter"], len(text))
    if match["quoted"] is not None:
        return match["quoted"].replace("''", "'")
    if text == "'":
        raise Malformed(f"the pattern {shown(pattern)} has a quote that does not end: write '' for one quote")
    return "'" if text == "''" else text
