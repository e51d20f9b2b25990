"""Numbers and texts as they are written in expressions, and what they mean."""

import re
from decimal import Decimal

from stratabase.model.formats import DEFAULT_FORMATS
from stratabase.model.malformed import Malformed
from stratabase.model.types import TYPES

SMALLEST = -(2**63)
LARGEST = 2**63 - 1
_QUOTES = re.compile(r"""([bBrR]?)(\"{3}|'{3}|\"|')""")
_ESCAPE = re.compile(
    r"""\\(?:([abfnrtv\\?"'`])|[xX]([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-3][0-7]{2})|)"""
)
_CHARACTERS = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_SURROGATES = range(0xD800, 0xE000)
_BASES = (16, 16, 16, 8)
"""In which the last four groups of an escape are written."""


class LiteralMistake(ValueError):
    """A number or text that is none; the message says why, `offset` where in it."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


def number(text: str) -> int | Decimal:
    """Return the number that is written. Raises LiteralMistake."""
    if text[-1] in "uU":
        raise LiteralMistake("Whole numbers are of one kind: leave out the u.")
    if "0x" in text or text.lstrip("-").isdigit():
        return _whole(text)
    try:
        return Decimal(str(TYPES["Real"].read(text, DEFAULT_FORMATS)))
    except Malformed as malformed:
        raise LiteralMistake(f"{malformed}.") from None


def _whole(text: str) -> int:
    value = int(text, 16 if "0x" in text else 10)
    if not SMALLEST <= value <= LARGEST:
        raise LiteralMistake(f"Whole numbers go from {SMALLEST} to {LARGEST}: write a Real as 1.0 or 1e20.")
    return value


def text(written: str) -> str:
    """Return the text that is written in quotes. Raises LiteralMistake."""
    opening = _QUOTES.match(written)
    assert opening is not None
    prefix, quotes = opening[1].lower(), opening[2]
    if prefix == "b":
        raise LiteralMistake("Expressions have no bytes: leave out the b.")
    body = written[opening.end() : -len(quotes)]
    return body if prefix == "r" else _unescaped(body, opening.end())


def _unescaped(body: str, before: int) -> str:
    return _ESCAPE.sub(lambda found: _character(found, before), body) if "\\" in body else body


def _character(found: re.Match[str], before: int) -> str:
    """Return the character that an escape stands for."""
    plain, *codes = found.groups()
    if plain:
        return _CHARACTERS.get(plain, plain)
    for code, base in zip(codes, _BASES, strict=True):
        if code:
            return _coded(int(code, base), before + found.start())
    raise LiteralMistake(
        "A backslash begins \\n, \\t, \\u00e8 and the like; write \\\\ for itself.", before + found.start()
    )


def _coded(point: int, offset: int) -> str:
    if point in _SURROGATES or point > 0x10FFFF:
        raise LiteralMistake(f"U+{point:04X} is no character.", offset)
    return chr(point)
