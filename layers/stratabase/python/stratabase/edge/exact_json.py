"""JSON read without losing a digit."""

import json
import re
from decimal import Decimal
from typing import Any

import orjson

_LONG_NUMBER = re.compile(rb"[0-9][0-9.eE+-]{15}")
"""What a double may not hold exactly (or a text that looks like it, which costs only time)."""


def exact_json(text: str | bytes) -> Any:
    """Return what a JSON text holds; where there are numbers of 16 characters or more, fractions as Decimal.

    Raises ValueError.
    """
    read = orjson.loads(text)
    raw = text.encode() if isinstance(text, str) else text
    if _LONG_NUMBER.search(raw) is None:
        return read
    try:
        # Read before, so it is JSON, without the halves of surrogate pairs that this reader would let pass.
        return json.loads(raw, parse_float=Decimal)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
