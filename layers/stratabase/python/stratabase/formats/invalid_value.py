"""The exception for a value that is not valid, and how messages show such a value."""

import json
from decimal import Decimal
from typing import Any

from stratabase.messages import Message

_LONGEST = 60


class InvalidValue(ValueError):
    """A value that is not valid for its type. `message` says what would be right."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def describe_value(given: Any) -> str:
    """Return a value as JSON on one line, shortened, for a message in any language."""
    if isinstance(given, list | tuple):
        return "[…]"
    if isinstance(given, dict):
        return "{…}"
    if isinstance(given, str):
        return _in_quotes(given)
    return _cut(_spell(given))


def _in_quotes(text: str) -> str:
    """Return a text in double quotes. Unprintable characters and single surrogates are escaped."""
    escaped = "".join(
        json.dumps(each, ensure_ascii=not each.isprintable())[1:-1] for each in text[: _LONGEST + 1]
    )
    return f'"{_cut(escaped)}"'


def _spell(given: Any) -> str:
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, int) and given.bit_length() > _LONGEST * 3:
        return f"{Decimal(given):.5e}"
    if isinstance(given, Decimal):
        return str(given)
    return "null" if given is None else repr(given)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
