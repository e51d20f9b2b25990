"""Functions that convert values to another kind, as `concat` does, and `round`. A wrong text gives null."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from stratabase.values.cel.arithmetic import int_or_null, round_decimal, truncate_decimal
from stratabase.values.cel.environment import Environment
from stratabase.values.cel.function import (
    Function,
    Signature,
    apply_signature,
    argument_error,
    simple_function,
)
from stratabase.values.cel.kinds import BOOLEAN, DATE, DATETIME, INT, REAL, TEXT, TIME, UNKNOWN, ValueKind
from stratabase.values.cel.syntax import CallNode
from stratabase.values.cel.texts import join_all
from stratabase.values.cel.typed_expression import Checker, TypedExpression
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
    return truncate_decimal(number)


def text_to_int(_: Environment, text: str) -> int | None:
    """Return the integer that a text represents, or None."""
    return int_or_null(int(text)) if _WHOLE.fullmatch(text) else None


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
    return round_decimal(number, digits)


_CONCAT = "concat(a, b, …)"


def _check_concat(checker: Checker, call: CallNode) -> TypedExpression:
    """Check the values that `concat` joins."""
    values = [checker.check_value(argument) for argument in call.arguments]
    pieces = [_as_text(call, value) for value in values]
    if not pieces or None in pieces:
        return checker.report(call.word.at, argument_error(_CONCAT, [list(TO_TEXT)], values))
    written = [piece for piece in pieces if piece is not None]
    return apply_signature(call, Signature((TEXT,) * len(written), TEXT, join_all), written)


def _as_text(call: CallNode, value: TypedExpression) -> TypedExpression | None:
    """Return a value converted to text, or None if its kind has no text form."""
    if value.kind in (TEXT, UNKNOWN) or value.kind.values:
        return value
    write = TO_TEXT.get(value.kind)
    return apply_signature(call, Signature((value.kind,), TEXT, write), [value]) if write else None


CONVERSION_FUNCTIONS = (
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
    Function("concat", _CONCAT, _check_concat),
)
