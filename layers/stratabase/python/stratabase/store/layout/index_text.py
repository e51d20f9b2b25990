"""What objects lie by in an index: a text whose order by code point is that of the values, and then the id.

Each value is followed by END, which is below everything else, so no text of an index begins another one. Null
is nothing, what is not null begins with SOME, and characters up to END are escaped. UTF-8 keeps the order, so
engines that compare bytes keep it too. A text is cut where it reaches 897 bytes, which depends only on the
characters before: so texts that were cut are in order too, but equal where only the rest differs.
"""

from collections.abc import Iterable

VALUE_END = "\x01"


NOT_NULL = "."


ABOVE_NOT_NULL = chr(ord(NOT_NULL) + 1)


_ENOUGH = 897


"""Bytes, to which the last character adds three at most: with the id, an engine's 1,024 are not reached."""


_ESCAPES = {0: "\x02\x02", 1: "\x02\x03", 2: "\x02\x04"}


_LAST = chr(0x10FFFF)


_BEFORE_SURROGATES, _AFTER_SURROGATES = "\ud7ff", "\ue000"


def value_text(text: str | None) -> str:
    """Return what one value is in an index, from its type's index text; None is null."""
    return VALUE_END if text is None else f"{not_null_text(text)}{VALUE_END}"


def not_null_text(text: str) -> str:
    """Return what values that begin with a text begin with in an index."""
    return NOT_NULL + (text.translate(_ESCAPES) if text and min(text) <= "\x02" else text)


def truncate(text: str) -> str:
    """Return as much of the text of all values as an index holds."""
    if 4 * len(text) < _ENOUGH:
        return text
    encoded = text.encode()
    end = _ENOUGH
    while end < len(encoded) and encoded[end] & 0xC0 == 0x80:  # in the middle of a character
        end += 1
    return encoded[:end].decode()


def is_truncated(text: str) -> bool:
    """Return whether an index might not hold a text whole."""
    return 4 * len(text) >= _ENOUGH and len(text.encode()) >= _ENOUGH


def prefix_end(text: str) -> str:
    """Return the least text above all those that begin with a text."""
    kept = text.rstrip(_LAST)
    last = kept[-1]
    return kept[:-1] + (_AFTER_SURROGATES if last == _BEFORE_SURROGATES else chr(ord(last) + 1))


def first_values(text: str, values: int) -> str:
    """Return the first values of the text of all values; the whole text when it was cut before."""
    at = -1
    for _ in range(values):
        at = text.find(VALUE_END, at + 1)
        if at < 0:
            return text
    return text[: at + 1]


def values_text(texts: Iterable[str | None]) -> str:
    """Return the text of several values, not cut."""
    return "".join(map(value_text, texts))
