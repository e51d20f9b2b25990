"""JSON objects read so that no two readers can understand them differently."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import Any

import orjson

from stratabase.http_api.http.refusals import Malformed, quote_names

_ESCAPED_COLONS = (b"\\u003a", b"\\u003A")


def parse_json_object(body: bytes) -> dict[str, Any]:
    """Return the fields of a JSON object in UTF-8, none of which may come twice. Raises Malformed."""
    try:
        # The strict reader first: it knows neither NaN nor halves of surrogate pairs, nor endless depth.
        read = orjson.loads(body)
        if isinstance(read, dict):
            _read_with_keys(body, "body")
    except (ValueError, RecursionError) as error:
        raise Malformed(f"The body must be a JSON object: {_reason(error)}.") from None
    if not isinstance(read, dict):
        raise Malformed(f"The body must be a JSON object, not {json_type_name(read)}.")
    return read


def reject_duplicate_keys(text: str | bytes, read: Any, place: str) -> None:
    """Raise Malformed if an object of a JSON text, however deep, gives a key twice.

    `read` is what the text was read to, where one value of such a key is lost. `place` is what the text is:
    the body, or a parameter. Raises RecursionError if the text is too deep to tell.
    """
    # Each key has a colon, so a lost key lacks one where the value is written anew; only a colon that was
    # escaped could make up for it. That takes a tenth of the time of reading the text key by key.
    raw = text.encode() if isinstance(text, str) else text
    if raw.count(b":") != _colons(read) or any(colon in raw for colon in _ESCAPED_COLONS):
        _read_with_keys(raw, place)


def _colons(read: Any) -> int | None:
    """Return how many colons a JSON value is written with; None for one with numbers that are too long."""
    try:
        return orjson.dumps(read).count(b":")
    except TypeError:
        return None


def _read_with_keys(text: bytes, place: str) -> None:
    json.loads(text, object_pairs_hook=partial(_once, place))


def _once(place: str, pairs: Sequence[tuple[str, Any]]) -> None:
    if len(dict(pairs)) != len(pairs):
        twice = [name for name, times in Counter(name for name, _ in pairs).items() if times > 1]
        raise Malformed(f"The {place} gives {quote_names(twice)} more than once; give each field once.")


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


_LONG_NUMBER = re.compile(rb"[0-9][0-9.eE+-]{15}")
"""What a double may not hold exactly (or a text that looks like it, which costs only time)."""
MAX_DEPTH = 500
"""How deep arrays and objects are nested at most in a text that has such a number."""


def parse_exact_json(text: str | bytes) -> Any:
    """Return what a JSON text holds; where there are numbers of 16 characters or more, fractions as Decimal.

    Raises ValueError.
    """
    read = orjson.loads(text)
    raw = text.encode() if isinstance(text, str) else text
    if _LONG_NUMBER.search(raw) is None:
        return read
    if _is_deeper_than(MAX_DEPTH, read):  # which versions of Python bear in different measure
        raise ValueError(f"it is nested more than {MAX_DEPTH} levels deep")
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


_KINDS = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}


def json_type_name(value: Any) -> str:
    """Return what a value that was read from JSON is."""
    return _KINDS.get(type(value), "a number")
