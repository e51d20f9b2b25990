"""Literals: numbers, texts, `true`, `false` and `null`."""

import re
from decimal import Decimal

from stratabase.values.cel.kinds import BOOLEAN, INT, NULL, REAL, TEXT
from stratabase.values.cel.syntax import ConstantNode, NumberNode, TextNode
from stratabase.values.cel.typed_expression import Checker, TypedExpression, literal
from stratabase.values.formats.decimals import canonical_decimal, parse_decimal
from stratabase.values.formats.invalid_value import InvalidValue

MIN_INT64 = -(2**63)
MAX_INT64 = 2**63 - 1
_QUOTES = re.compile(r"""([bBrR]?)(\"{3}|'{3}|\"|')""")
# The last, empty alternative matches an invalid escape, which `_character` reports.
_ESCAPE = re.compile(
    r"""\\(?:([abfnrtv\\?"'`])|[xX]([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-3][0-7]{2})|)"""
)
_CHARACTERS = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_SURROGATES = range(0xD800, 0xE000)
_BASES = (16, 16, 16, 8)
"""The base of each of the last four groups of an escape."""


class InvalidLiteral(ValueError):
    """An invalid number or text. `offset` is the place of the error in it."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


def parse_number(text: str) -> int | Decimal:
    """Return the number of a literal. Raises InvalidLiteral."""
    if text[-1] in "uU":
        raise InvalidLiteral("Unsigned numbers can't be used. Remove the u.")
    if "0x" in text or text.lstrip("-").isdigit():
        return _whole(text)
    try:
        return Decimal(canonical_decimal(parse_decimal(text)))
    except InvalidValue as malformed:
        raise InvalidLiteral(malformed.message) from None


def _whole(text: str) -> int:
    value = int(text, 16 if "0x" in text else 10)
    if not MIN_INT64 <= value <= MAX_INT64:
        raise InvalidLiteral(
            f"A whole number must be from {MIN_INT64} to {MAX_INT64}. Write a Real as 1.0 or 1e20."
        )
    return value


def parse_text_literal(written: str) -> str:
    """Return the text of a literal in quotes. Raises InvalidLiteral."""
    opening = _QUOTES.match(written)
    assert opening is not None
    prefix, quotes = opening[1].lower(), opening[2]
    if prefix == "b":
        raise InvalidLiteral("Bytes can't be used. Remove the b.")
    body = written[opening.end() : -len(quotes)]
    return body if prefix == "r" else _unescaped(body, opening.end())


def _unescaped(body: str, before: int) -> str:
    return _ESCAPE.sub(lambda found: _character(found, before), body) if "\\" in body else body


def _character(found: re.Match[str], before: int) -> str:
    """Return the character of an escape sequence. Raises InvalidLiteral."""
    plain, *codes = found.groups()
    if plain:
        return _CHARACTERS.get(plain, plain)
    for code, base in zip(codes, _BASES, strict=True):
        if code:
            return _coded(int(code, base), before + found.start())
    message = (
        "The escape sequence is not valid. Use one such as \\n, \\t, or \\u00e8, or \\\\ for a backslash."
    )
    raise InvalidLiteral(message, before + found.start())


def _coded(point: int, offset: int) -> str:
    if point in _SURROGATES or point > 0x10FFFF:
        raise InvalidLiteral(f"U+{point:04X} is not a character.", offset)
    return chr(point)


def check_number(checker: Checker, node: NumberNode) -> TypedExpression:
    """Check a number."""
    try:
        value = parse_number(node.text)
    except InvalidLiteral as error:
        return checker.report(node.at, str(error))
    return literal(INT if isinstance(value, int) else REAL, value, node.at)


def check_text(checker: Checker, node: TextNode) -> TypedExpression:
    """Check a text."""
    try:
        return literal(TEXT, parse_text_literal(node.text), node.at)
    except InvalidLiteral as error:
        return checker.report(node.at + error.offset, str(error))


def check_constant(_: Checker, node: ConstantNode) -> TypedExpression:
    """Check `true`, `false` or `null`."""
    return literal(NULL if node.value is None else BOOLEAN, node.value, node.at)
