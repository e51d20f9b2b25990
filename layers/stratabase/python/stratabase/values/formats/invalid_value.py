"""The exception for a value that is not valid, and how messages show such a value."""

import json
from decimal import Decimal
from typing import Any

from stratabase.values.messages import Message

_MAX_SHOWN_LENGTH = 60


class InvalidValue(ValueError):
    """A value that is not valid for its type. `message` says what would be right."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def describe_value(value: Any) -> str:
    """Return a value as JSON on one line, shortened, for a message in any language."""
    if isinstance(value, list | tuple):
        return "[…]"
    if isinstance(value, dict):
        return "{…}"
    if isinstance(value, str):
        return _in_quotes(value)
    return _cut(_spell(value))


def _in_quotes(text: str) -> str:
    """Return a text in double quotes. Unprintable characters and single surrogates are escaped."""
    shown = text[: _MAX_SHOWN_LENGTH + 1]
    # All at once if possible, because most texts are IDs.
    parts = [shown] if shown.isprintable() else shown
    escaped = "".join(json.dumps(each, ensure_ascii=not each.isprintable())[1:-1] for each in parts)
    return f'"{_cut(escaped)}"'


def _spell(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value.bit_length() > _MAX_SHOWN_LENGTH * 3:
        return f"{Decimal(value):.5e}"
    if isinstance(value, Decimal):
        return str(value)
    return "null" if value is None else repr(value)


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN_LENGTH else f"{text[:_MAX_SHOWN_LENGTH]}…"
