"""Strict parsing of JSON, which rejects texts that different parsers would interpret differently."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from math import isinf
from typing import Any

import orjson

from stratabase.core.http.base.media_type import MediaType
from stratabase.core.http.base.refusals import Malformed, UnsupportedMediaType, quote_names
from stratabase.values.messages import Message, _, verbatim


def check_charset(content_type: MediaType) -> None:
    """Raise UnsupportedMediaType for a Content-Type whose charset is not UTF-8."""
    if content_type.parameters.get("charset", "utf-8") != "utf-8":
        message = _(
            "The request body must be in UTF-8, and the charset in the Content-Type header must be utf-8."
        )
        raise UnsupportedMediaType(message)


def parse_json_object(body: bytes) -> dict[str, Any]:
    """Return the fields of a JSON object in UTF-8. Raises Malformed, also for duplicate keys."""
    place = _("The request body")
    try:
        # orjson goes first, because it rejects NaN, lone surrogates and deep nesting, which `json` accepts.
        value = _loads(body)
        if isinstance(value, dict):
            _check_keys(body, place)
    except NumberOutOfRange as error:
        raise Malformed(error.describe(place)) from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, RecursionError) or is_nested_too_deeply(body):
            message = _("The JSON in the request body is nested too deeply. Use fewer levels.")
        else:
            message = _("The request body must be a JSON object: {error}.", error=str(error))
        raise Malformed(message) from None
    return require_object(value)


def is_nested_too_deeply(text: str | bytes) -> bool:
    """Return whether a text that orjson rejects seems to be nested more than MAX_DEPTH levels deep.

    The error of orjson does not say so in all cases. This looks at the beginning of the text, and takes
    brackets in strings for levels.
    """
    raw = text.encode() if isinstance(text, str) else text
    depth = 0
    for byte in raw[:_SEARCHED].translate(None, _NO_BRACKETS):
        depth += 1 if byte in b"[{" else -1
        if depth > MAX_JSON_DEPTH:
            return True
    return False


def require_object(body: Any) -> dict[str, Any]:
    """Return the JSON value of a body if it is an object, otherwise raise Malformed."""
    if not isinstance(body, dict):
        raise Malformed(
            _("The request body must be a JSON object, not {actual}.", actual=json_type_name(body))
        )
    return body


def _check_keys(text: bytes, place: Message) -> None:
    json.loads(text, object_pairs_hook=partial(_check_unique, place))


def _check_unique(place: Message, pairs: Sequence[tuple[str, Any]]) -> None:
    if len(dict(pairs)) != len(pairs):
        duplicates = [name for name, count in Counter(name for name, _value in pairs).items() if count > 1]
        raise Malformed(repeated_fields(place, duplicates))


def repeated_fields(place: Message, names: Sequence[str]) -> Message:
    """Return the message about repeated fields. `place` is its subject, such as "The body"."""
    return _("{place} repeats {names}. Use each field only once.", place=place, names=quote_names(names))


_INEXACT_NUMBER = re.compile(rb"[0-9][0-9.eE+-]{15}|[0-9][eE]-0*[0-9]{3}")
"""Matches numbers that a double may not represent exactly: long ones, and those with a large negative
exponent, which become 0. A match inside a string costs only time."""
MAX_JSON_DEPTH = 500
"""The maximum nesting of arrays and objects in a text that contains such a number."""


class ExactNumber(Decimal):
    """A number of a JSON text that no double stands for."""

    def __inspect__(self) -> str:
        """Return how the messages of graphql-core show it."""
        return str(self)


class NumberOutOfRange(ValueError):
    """A number of a JSON text is beyond all doubles. `number` is how it is written."""

    def __init__(self, number: str) -> None:
        super().__init__(f"the number {number} is out of range")
        self.number = number

    def describe(self, place: Message) -> Message:
        """Return the message. `place` is its subject: "The body", or the name of a parameter."""
        most = 20
        return _(
            "{place} contains the number {number}, which is out of range. "
            "Use a number from -1.7e308 to 1.7e308.",
            place=place,
            number=self.number if len(self.number) <= most else f"{self.number[:most]}…",
        )


_JSON_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def _loads(text: str | bytes) -> Any:
    """Return the value of a JSON text as orjson does. Raises ValueError, or NumberOutOfRange."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        number = _JSON_NUMBER.match(error.doc, error.pos)
        if number and isinf(float(number[0])):
            raise NumberOutOfRange(number[0]) from None
        raise


_SEARCHED = 64 * 1024
"""The bytes of a text that are searched for nesting."""
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


class TooDeep(ValueError):
    """The arrays and objects of a JSON text are nested too deeply."""


_BLANKS = b" \t\n\r"


def parse_exact_json(text: str | bytes, place: Message) -> Any:
    """Return the value of a JSON text without losing precision.

    A fraction or exponent that is another number as a double becomes an ExactNumber. Raises Malformed if an
    object, at any depth, has a key twice. `place` is the subject of its message: "The body", or the name of a
    parameter. Raises ValueError, NumberOutOfRange, RecursionError, or TooDeep if a text with a number that a
    double may not represent is nested more than MAX_DEPTH levels deep.
    """
    value = _loads(text)
    raw = text.encode() if isinstance(text, str) else text
    try:
        written = orjson.dumps(value)
    except TypeError:
        written = None  # orjson doesn't write values that are nested as deeply as those that it reads
    # If both are the same text but for blanks, each key is there once, and each number is exact. Blanks in
    # strings are the same on both sides.
    if written == raw or (written and written.translate(None, _BLANKS) == raw.translate(None, _BLANKS)):
        return value
    if _INEXACT_NUMBER.search(raw) is not None:
        value = _parse_exactly(raw, value)
    # Compare colons: each key has one, so a text with a duplicate key has more colons than its parsed value
    # written again. Escaped colons could hide the difference, so they lead to the full check too. This takes
    # a tenth of the time of the full check.
    if written is None or raw.count(b":") != written.count(b":") or b"\\u003" in raw:
        _check_keys(raw, place)
    return value


def _parse_exactly(raw: bytes, value: Any) -> Any:
    """Return the value of a JSON text without losing precision. `value` is what orjson returns."""
    # The recursion limit of `json` differs between versions of Python, so check the depth explicitly.
    if _is_deeper_than(MAX_JSON_DEPTH, value):
        raise TooDeep(f"nested more than {MAX_JSON_DEPTH} levels deep")
    # orjson accepted the text, so it has no lone surrogates, which `json` would let pass.
    return json.loads(raw, parse_float=_exact)


def _exact(text: str) -> float | ExactNumber:
    """Return a number as a float, which means its shortest decimal, or exactly if that is another number."""
    number, exact = float(text), ExactNumber(text)
    return number if Decimal(repr(number)) == exact else exact


def _is_deeper_than(levels: int, value: Any) -> bool:
    """Return whether arrays and objects are nested more than `levels` deep."""
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
    """Return the name of the JSON type of a parsed value for messages, such as "a string"."""
    return _TYPE_NAMES.get(type(value), _NUMBER)
