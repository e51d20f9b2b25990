"""JSON objects read so that no two readers can understand them differently."""

import json
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import orjson

from stratabase.edge.kind import kind
from stratabase.edge.names import some
from stratabase.edge.refusals import Malformed

_ESCAPED_COLONS = (b"\\u003a", b"\\u003A")


def read_object(body: bytes) -> dict[str, Any]:
    """Return the fields of a JSON object in UTF-8, none of which may come twice. Raises Malformed."""
    try:
        # The strict reader first: it knows neither NaN nor halves of surrogate pairs, nor endless depth.
        read = orjson.loads(body)
        if isinstance(read, dict):
            _read_with_keys(body, "body")
    except (ValueError, RecursionError) as error:
        raise Malformed(f"The body must be a JSON object: {_reason(error)}.") from None
    if not isinstance(read, dict):
        raise Malformed(f"The body must be a JSON object, not {kind(read)}.")
    return read


def check_keys(text: str | bytes, read: Any, place: str) -> None:
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
        raise Malformed(f"The {place} gives {some(twice)} more than once; give each field once.")


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
