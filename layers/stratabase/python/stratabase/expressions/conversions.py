"""Functions that convert a value to another kind (null where that cannot be), and `round`."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from stratabase.expressions import arithmetic
from stratabase.expressions.environment import Environment
from stratabase.expressions.function import Signature, simple_function
from stratabase.expressions.kinds import BOOLEAN, DATE, DATETIME, INT, REAL, TEXT, TIME, ValueKind
from stratabase.formats.decimals import canonical_decimal, parse_decimal
from stratabase.formats.invalid_value import InvalidValue

_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
_BOOLEANS: Mapping[str, bool] = {
    **dict.fromkeys(("1", "t", "T", "true", "True", "TRUE"), True),
    **dict.fromkeys(("0", "f", "F", "false", "False", "FALSE"), False),
}


def identity(_: Environment, value: Any) -> Any:
    """Return a value as it is."""
    return value


def real_to_int(_: Environment, number: Decimal) -> int | None:
    """Return a number without its fraction."""
    return arithmetic.truncate_decimal(number)


def text_to_int(_: Environment, text: str) -> int | None:
    """Return the whole number that a text is."""
    return arithmetic.int_or_null(int(text)) if _WHOLE.fullmatch(text) else None


def text_to_real(_: Environment, text: str) -> Decimal | None:
    """Return the number that a text is."""
    try:
        return Decimal(canonical_decimal(parse_decimal(text)))
    except InvalidValue:
        return None


def text_to_boolean(_: Environment, text: str) -> bool | None:
    """Return what `true` or `false` says."""
    return _BOOLEANS.get(text)


def int_to_text(_: Environment, number: int) -> str:
    """Return a number in digits."""
    return str(number)


def real_to_text(_: Environment, number: Decimal) -> str:
    """Return a number as it is stored."""
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
"""For each kind, the function that writes a value as it is stored."""


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
