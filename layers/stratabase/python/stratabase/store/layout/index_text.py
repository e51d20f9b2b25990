"""Index texts: the values of an object as a text whose order by code point is that of the values.

Each value is followed by VALUE_END, which is below everything else, so no text of an index begins another
one. Null is empty, what is not null begins with NOT_NULL, and characters up to VALUE_END are escaped. UTF-8
keeps the order, so engines that compare bytes keep it too. A text is truncated where it reaches 897 bytes,
which depends only on the characters before: so truncated texts are in order too, but equal where only the
rest differs.
"""

from collections.abc import Iterable

VALUE_END = "\x01"
NOT_NULL = "."
ABOVE_NOT_NULL = chr(ord(NOT_NULL) + 1)
_MAX_BYTES = 897
"""Bytes, to which the last character adds three at most: with the id, an engine's 1,024 are not reached."""

_ESCAPES = {0: "\x02\x02", 1: "\x02\x03", 2: "\x02\x04"}
_LAST = chr(0x10FFFF)
_BEFORE_SURROGATES, _AFTER_SURROGATES = "\ud7ff", "\ue000"


def value_text(text: str | None) -> str:
    """Return one value as it is in an index, from its type's index text; None is null."""
    return VALUE_END if text is None else f"{not_null_text(text)}{VALUE_END}"


def not_null_text(text: str) -> str:
    """Return what the index texts of all values begin with that begin with a text."""
    return NOT_NULL + (text.translate(_ESCAPES) if text and min(text) <= "\x02" else text)


def truncate(text: str) -> str:
    """Return as much of an index text as an index holds."""
    if 4 * len(text) < _MAX_BYTES:
        return text
    encoded = text.encode()
    end = _MAX_BYTES
    while end < len(encoded) and encoded[end] & 0xC0 == 0x80:  # in the middle of a character
        end += 1
    return encoded[:end].decode()


def is_truncated(text: str) -> bool:
    """Return whether an index text is truncated, or too long to be held whole."""
    return 4 * len(text) >= _MAX_BYTES and len(text.encode()) >= _MAX_BYTES


def prefix_end(text: str) -> str:
    """Return the least text above all those that begin with a text."""
    kept = text.rstrip(_LAST)
    last = kept[-1]
    return kept[:-1] + (_AFTER_SURROGATES if last == _BEFORE_SURROGATES else chr(ord(last) + 1))


def first_values(text: str, values: int) -> str:
    """Return the first values of an index text, so many; the whole text when it was truncated before."""
    at = -1
    for _ in range(values):
        at = text.find(VALUE_END, at + 1)
        if at < 0:
            return text
    return text[: at + 1]


def values_text(texts: Iterable[str | None]) -> str:
    """Return several values as they are in an index, not truncated."""
    return "".join(map(value_text, texts))
