"""The error for a value that is not one of its type, and how messages show such a value."""

from decimal import Decimal
from typing import Any

_LONGEST = 60


class InvalidValue(ValueError):
    """A value that is not one of its type; the message says what would be right."""


def describe_value(given: Any) -> str:
    """Return a JSON value as a message shows it: short, whatever it is."""
    if isinstance(given, list | tuple):
        return "a list"
    if isinstance(given, dict):
        return "an object"
    return _cut(_spelled(given))


def _spelled(given: Any) -> str:
    if isinstance(given, str):
        return repr(given[: _LONGEST + 1])
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, int) and given.bit_length() > _LONGEST * 3:
        return "a number of more than 50 digits"
    if isinstance(given, Decimal):
        return str(given)
    return "null" if given is None else repr(given)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
