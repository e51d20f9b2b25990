"""A value of one kind becomes one of another, or null where it cannot."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from stratabase.model.expressions import numbers
from stratabase.model.expressions.environment import Environment
from stratabase.model.expressions.kinds import BOOLEAN, DATE, DATETIME, INT, REAL, TEXT, TIME, ValueKind
from stratabase.model.formats import DEFAULT_FORMATS
from stratabase.model.malformed import Malformed
from stratabase.model.types.real import RealType, canonical

_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
_REAL = RealType()
_TRUTHS: Mapping[str, bool] = {
    **dict.fromkeys(("1", "t", "T", "true", "True", "TRUE"), True),
    **dict.fromkeys(("0", "f", "F", "false", "False", "FALSE"), False),
}


def same(_: Environment, value: Any) -> Any:
    """Return a value as it is."""
    return value


def int_of_real(_: Environment, number: Decimal) -> int | None:
    """Return a number without its fraction."""
    return numbers.truncated(number)


def int_of_text(_: Environment, text: str) -> int | None:
    """Return the whole number that a text is."""
    return numbers.whole(int(text)) if _WHOLE.fullmatch(text) else None


def real_of_text(_: Environment, text: str) -> Decimal | None:
    """Return the number that a text is."""
    try:
        return Decimal(str(_REAL.read(text, DEFAULT_FORMATS)))
    except Malformed:
        return None


def truth_of_text(_: Environment, text: str) -> bool | None:
    """Return what `true` or `false` says."""
    return _TRUTHS.get(text)


def text_of_whole(_: Environment, number: int) -> str:
    """Return a number in digits."""
    return str(number)


def text_of_real(_: Environment, number: Decimal) -> str:
    """Return a number as it is stored."""
    return canonical(number)


def text_of_truth(_: Environment, truth: bool) -> str:  # noqa: FBT001 - the value
    """Return `true` or `false`."""
    return "true" if truth else "false"


TEXTS: Mapping[ValueKind, Callable[[Environment, Any], str]] = {
    TEXT: same,
    INT: text_of_whole,
    REAL: text_of_real,
    BOOLEAN: text_of_truth,
    DATE: same,
    TIME: same,
    DATETIME: same,
}
"""What makes a text of each kind of value: the spelling in which it is stored."""
