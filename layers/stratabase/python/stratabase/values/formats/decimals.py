"""Exact decimal numbers of at most 38 digits, and the canonical spelling of each of them."""

import re
from decimal import (
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    Inexact,
    InvalidOperation,
    Overflow,
    Subnormal,
)
from typing import Any

from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.messages import _

_MAX_LENGTH = 400
_SYNTAX = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]{1,9})?")
_TRAPS = [InvalidOperation, Overflow, Subnormal, Inexact]
_MAX_DIGITS = 38
_MIN_EXPONENT, _MAX_EXPONENT = -130, 125
_CONTEXT = Context(prec=_MAX_DIGITS, Emin=_MIN_EXPONENT, Emax=_MAX_EXPONENT, traps=_TRAPS)
"""Raises an exception for every number that is not a Real. Threads share it: nothing reads its flags."""
_PLAIN = range(-38, 38)
"""The exponents of the first digit for which a number is written without an exponent."""
_SHORT = re.compile(r"(?!-0$)-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{0,17}[1-9])?")
"""Spellings that are certainly canonical. Nearly all stored numbers match, so this saves parsing them."""


def is_canonical_decimal(value: Any) -> bool:
    """Return whether a value is the canonical spelling of a number."""
    if not isinstance(value, str):
        return False
    return _SHORT.fullmatch(value) is not None or _is_canonical(value)


def _is_canonical(text: str) -> bool:
    try:
        return canonical_decimal(_parse(text)) == text
    except DecimalException:
        return False


def read_decimal(value: Any) -> str:
    """Return the canonical spelling of the number of a JSON value. Raises as `parse_decimal` does."""
    # Most numbers are sent in this spelling. Of an int, the text could take long to make.
    text = value if type(value) is str else repr(value) if type(value) is float else ""
    return text if _SHORT.fullmatch(text) else canonical_decimal(parse_decimal(value))


def canonical_decimal(number: Decimal) -> str:
    """Return the canonical spelling of a number."""
    if not number:
        return "0"
    normal = number.normalize(_CONTEXT)
    return f"{normal:f}" if normal.adjusted() in _PLAIN else f"{normal:E}"


def parse_decimal(value: Any) -> Decimal:
    """Return the number of a JSON value: a text, int, Decimal, or float (its shortest decimal spelling).

    Raises InvalidValue for other values, for too many digits, and for numbers that are too large or too
    small.
    """
    try:
        return _parse(value)
    except DecimalException:
        message = _(
            "{value} is not a Real. Use a decimal number, such as -12.50, with at most {digits} digits "
            "and an absolute value between {smallest} and {largest}.",
            value=describe_value(value),
            digits=_MAX_DIGITS,
            smallest=f"1E{_MIN_EXPONENT}",
            largest=f"1E+{_MAX_EXPONENT + 1}",
        )
        raise InvalidValue(message) from None


def _parse(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        raise InvalidOperation
    if isinstance(value, int | Decimal):
        return _CONTEXT.create_decimal(value)
    text = value if isinstance(value, str) else repr(value)
    if len(text) > _MAX_LENGTH or not _SYNTAX.fullmatch(text):
        raise InvalidOperation
    return _CONTEXT.create_decimal(text)


def decimal_context() -> Context:
    """Return a context that rounds to 38 digits, and raises DecimalException if the result is not a Real."""
    context = _CONTEXT.copy()
    context.traps[Inexact], context.traps[DivisionByZero] = False, True
    return context
