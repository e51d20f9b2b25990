"""Functions that convert a value to another kind, and `round`. An invalid conversion gives null."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from stratabase.values.cel import arithmetic
from stratabase.values.cel.environment import Environment
from stratabase.values.cel.function import Signature, simple_function
from stratabase.values.cel.kinds import BOOLEAN, DATE, DATETIME, INT, REAL, TEXT, TIME, ValueKind
from stratabase.values.formats.decimals import canonical_decimal, parse_decimal
from stratabase.values.formats.invalid_value import InvalidValue

_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
_BOOLEANS: Mapping[str, bool] = {
    **dict.fromkeys(("1", "t", "T", "true", "True", "TRUE"), True),
    **dict.fromkeys(("0", "f", "F", "false", "False", "FALSE"), False),
}


def identity(_: Environment, value: Any) -> Any:
    """Return a value unchanged."""
    return value


def real_to_int(_: Environment, number: Decimal) -> int | None:
    """Return the integer part of a number."""
    return arithmetic.truncate_decimal(number)


def text_to_int(_: Environment, text: str) -> int | None:
    """Return the integer that a text represents, or None."""
    return arithmetic.int_or_null(int(text)) if _WHOLE.fullmatch(text) else None


def text_to_real(_: Environment, text: str) -> Decimal | None:
    """Return the decimal number that a text represents, or None."""
    try:
        return Decimal(canonical_decimal(parse_decimal(text)))
    except InvalidValue:
        return None


def text_to_boolean(_: Environment, text: str) -> bool | None:
    """Return the Boolean that a text represents, such as `true` or `F`, or None."""
    return _BOOLEANS.get(text)


def int_to_text(_: Environment, number: int) -> str:
    """Return the decimal digits of an integer."""
    return str(number)


def real_to_text(_: Environment, number: Decimal) -> str:
    """Return a number in its stored form."""
    return canonical_decimal(number)


def boolean_to_text(_: Environment, truth: bool) -> str:  # noqa: FBT001 - the value
    """Return `true` or `false`."""
    return "true" if truth else "false"


TO_TEXT: Mapping[ValueKind, Callable[[Environment, Any], str]] = {
    TEXT: identity,
    INT: int_to_text,
    REAL: real_to_text,
    BOOLEAN: boolean_to_text,
    DATE: identity,
    TIME: identity,
    DATETIME: identity,
}
"""For each kind that has a text form: the function that returns it."""


def _round(_: Environment, number: Decimal, digits: int = 0) -> Decimal | None:
    return arithmetic.round_decimal(number, digits)


NUMBER_FUNCTIONS = (
    simple_function(
        "round(x, digits)",
        Signature((REAL, INT), REAL, _round),
        Signature((REAL,), REAL, _round),
    ),
    simple_function(
        "int(x)",
        Signature((INT,), INT, identity),
        Signature((REAL,), INT, real_to_int),
        Signature((TEXT,), INT, text_to_int),
    ),
    simple_function(
        "double(x)",
        Signature((REAL,), REAL, identity),
        Signature((TEXT,), REAL, text_to_real),
    ),
    simple_function(
        "bool(x)",
        Signature((BOOLEAN,), BOOLEAN, identity),
        Signature((TEXT,), BOOLEAN, text_to_boolean),
    ),
    simple_function(
        "string(x)",
        *(Signature((kind,), TEXT, write) for kind, write in TO_TEXT.items()),
    ),
)
