"""What JSON calls a value, in words for a person."""

from typing import Any

_KINDS = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}


def kind(value: Any) -> str:
    """Return what a value that was read from JSON is."""
    return _KINDS.get(type(value), "a number")
