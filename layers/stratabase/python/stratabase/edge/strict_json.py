"""JSON objects read so that no two readers can understand them differently."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import orjson

from stratabase.edge.kind import kind
from stratabase.edge.names import some
from stratabase.edge.refusals import Malformed


def read_object(body: bytes) -> dict[str, Any]:
    """Return the fields of a JSON object in UTF-8, none of which may come twice. Raises Malformed."""
    try:
        # The strict reader first: it knows neither NaN nor halves of surrogate pairs, nor endless depth.
        read = orjson.loads(body)
        if isinstance(read, dict):
            json.loads(body, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"The body must be a JSON object: {_reason(error)}.") from None
    if not isinstance(read, dict):
        raise Malformed(f"The body must be a JSON object, not {kind(read)}.")
    return read


def _once(pairs: Sequence[tuple[str, Any]]) -> None:
    twice = [name for name, times in Counter(name for name, _ in pairs).items() if times > 1]
    if twice:
        raise Malformed(f"The body gives {some(twice)} more than once; give each field once.")


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
