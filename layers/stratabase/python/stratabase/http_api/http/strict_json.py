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
from stratabase.messages import Message, _, verbatim

_ESCAPED_COLONS = (b"\\u003a", b"\\u003A")


def parse_json_object(body: bytes) -> dict[str, Any]:
    """Return the fields of a JSON object in UTF-8, none of which may come twice. Raises Malformed."""
    try:
        # The strict reader first: it knows neither NaN nor halves of surrogate pairs, nor endless depth.
        read = orjson.loads(body)
        if isinstance(read, dict):
            _read_with_keys(body, _("The request body"))
    except ValueError as error:
        message = _("The request body must be a JSON object: {error}.", error=str(error))
        raise Malformed(message) from None
    except RecursionError:
        raise Malformed(_("The JSON in the request body is nested too deeply. Use fewer levels.")) from None
    return require_object(read)


def require_object(body: Any) -> dict[str, Any]:
    """Return the JSON value that a body holds when it is an object. Raises Malformed."""
    if not isinstance(body, dict):
        raise Malformed(
            _("The request body must be a JSON object, not {actual}.", actual=json_type_name(body))
        )
    return body


def reject_duplicate_keys(text: str | bytes, read: Any, place: Message) -> None:
    """Raise Malformed if an object of a JSON text, however deep, gives a key twice.

    `read` is what the text was read to, where one value of such a key is lost. `place` is what the text is:
    "The body", or a parameter. Raises RecursionError if the text is too deep to tell.
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


def _read_with_keys(text: bytes, place: Message) -> None:
    json.loads(text, object_pairs_hook=partial(_once, place))


def _once(place: Message, pairs: Sequence[tuple[str, Any]]) -> None:
    if len(dict(pairs)) != len(pairs):
        twice = [name for name, times in Counter(name for name, _value in pairs).items() if times > 1]
        raise Malformed(repeated_fields(place, twice))


def repeated_fields(place: Message, names: Sequence[str]) -> Message:
    """Return the message for fields that come more than once in a place, such as "The body"."""
    return _("{place} repeats {names}. Use each field only once.", place=place, names=quote_names(names))


_LONG_NUMBER = re.compile(rb"[0-9][0-9.eE+-]{15}")
"""What a double may not hold exactly (or a text that looks like it, which costs only time)."""
MAX_DEPTH = 500
"""How deep arrays and objects are nested at most in a text that has such a number."""


class TooDeep(ValueError):
    """A JSON text whose arrays and objects are nested too deeply."""


def parse_exact_json(text: str | bytes) -> Any:
    """Return what a JSON text holds; where there are numbers of 16 characters or more, fractions as Decimal.

    Raises ValueError; TooDeep for a text with such a number that is nested more than MAX_DEPTH levels deep.
    """
    read = orjson.loads(text)
    raw = text.encode() if isinstance(text, str) else text
    if _LONG_NUMBER.search(raw) is None:
        return read
    if _is_deeper_than(MAX_DEPTH, read):  # which versions of Python bear in different measure
        raise TooDeep(f"nested more than {MAX_DEPTH} levels deep")
    # orjson has read it, so there are no halves of surrogate pairs in it, which this reader would let pass.
    return json.loads(raw, parse_float=Decimal)


def _is_deeper_than(levels: int, value: Any) -> bool:
    """Return whether arrays and objects are nested more than so many levels deep."""
    level = [value]
    for _level in range(levels + 1):
        containers = [
            each.values() if isinstance(each, dict) else each
            for each in level
            if isinstance(each, dict | list)
        ]
        if not containers:
            return False
        level = [child for container in containers for child in container]
    return True


_TYPE_NAMES = {
    dict: _("an object"),
    list: _("an array"),
    str: _("a string"),
    bool: _("a boolean"),
    type(None): verbatim("null"),
}
_NUMBER = _("a number")


def json_type_name(value: Any) -> Message:
    """Return what a value that was read from JSON is, as messages say it."""
    return _TYPE_NAMES.get(type(value), _NUMBER)
