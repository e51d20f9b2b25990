"""Whole numbers, as clients and models write them."""

import re
from typing import Any

_TEXT = re.compile(r"[+-]?[0-9]{1,30}")


def whole(given: Any) -> int | None:
    """Return the whole number that a JSON value is (`3`, `3.0`, `"3"`), None when it is none."""
    if isinstance(given, bool):
        return None
    if isinstance(given, int):
        return given
    if isinstance(given, float) and given.is_integer():
        return int(given)
    if isinstance(given, str) and _TEXT.fullmatch(given):
        return int(given)
    return None
