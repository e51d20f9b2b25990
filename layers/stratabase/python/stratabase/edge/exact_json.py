"""JSON read without losing a digit."""

import json
import re
from decimal import Decimal
from typing import Any

import orjson

_LONG_NUMBER = re.compile(rb"[0-9][0-9.eE+-]{15}")
"""What a double may not hold exactly (or a text that looks like it, which costs only time)."""

MOST_LEVELS = 500
"""How deep arrays and objects are nested at most in a text that has such a number."""


def exact_json(text: str | bytes) -> Any:
    """Return what a JSON text holds; where there are numbers of 16 characters or more, fractions as Decimal.

    Raises ValueError.
    """
    read = orjson.loads(text)
    raw = text.encode() if isinstance(text, str) else text
    if _LONG_NUMBER.search(raw) is None:
        return read
    if _is_deeper_than(MOST_LEVELS, read):  # which versions of Python bear in different measure
        raise ValueError(f"it is nested more than {MOST_LEVELS} levels deep")
    # orjson has read it, so there are no halves of surrogate pairs in it, which this reader would let pass.
    return json.loads(raw, parse_float=Decimal)


def _is_deeper_than(levels: int, value: Any) -> bool:
    """Return whether arrays and objects are nested more than so many levels deep."""
    level = [value]
    for _ in range(levels + 1):
        containers = [
            each.values() if isinstance(each, dict) else each
            for each in level
            if isinstance(each, dict | list)
        ]
        if not containers:
            return False
        level = [child for container in containers for child in container]
    return True
