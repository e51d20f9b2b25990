r"""Index texts: an order-preserving encoding of several values as one text.

Comparing two texts by code point gives the same order as comparing the values one by one, with nulls first.

- Each value ends with VALUE_END, which is below all other characters. So no text is a prefix of another.
- Null is empty. All other values start with NOT_NULL. The characters \x00 to \x02 are escaped.
- UTF-8 preserves the order of code points, so engines that compare bytes have the same order.
- A text is truncated at the first character boundary from byte 897 on. The cut depends only on the characters
  before it. So truncated texts are in order too, but may be equal for different values.
"""

from collections.abc import Iterable

VALUE_END = "\x01"
NOT_NULL = "."
ABOVE_NOT_NULL = chr(ord(NOT_NULL) + 1)
_MAX_BYTES = 897
"""The last character may exceed this by three bytes. With the id, a sort key stays below DynamoDB's 1,024."""

SHORTEST_TRUNCATED = _MAX_BYTES // 4
"""No truncated text has fewer characters, because a character has at most 4 bytes."""

_ESCAPES = {0: "\x02\x02", 1: "\x02\x03", 2: "\x02\x04"}
_LAST = chr(0x10FFFF)
_BEFORE_SURROGATES, _AFTER_SURROGATES = "\ud7ff", "\ue000"


def value_text(text: str | None) -> str:
    """Return the encoding of one value. `text`: the index text of its type; None for null."""
    return VALUE_END if text is None else f"{not_null_text(text)}{VALUE_END}"


def not_null_text(text: str) -> str:
    """Return the common prefix of the encodings of all values that start with a text."""
    # Most texts are printable, and it takes little time to see that.
    if text.isprintable() or min(text) > "\x02":
        return NOT_NULL + text
    return NOT_NULL + text.translate(_ESCAPES)


def truncate(text: str) -> str:
    """Return an index text, cut to the length that an index stores."""
    if len(text) < SHORTEST_TRUNCATED:
        return text
    encoded = text.encode()
    end = _MAX_BYTES
    while end < len(encoded) and encoded[end] & 0xC0 == 0x80:  # in the middle of a character
        end += 1
    return encoded[:end].decode()


def is_truncated(text: str) -> bool:
    """Return whether an index text is truncated, or would be."""
    return len(text) >= SHORTEST_TRUNCATED and len(text.encode()) >= _MAX_BYTES


def prefix_end(text: str) -> str:
    """Return the least text that is greater than all texts with a prefix."""
    kept = text.rstrip(_LAST)
    last = kept[-1]
    return kept[:-1] + (_AFTER_SURROGATES if last == _BEFORE_SURROGATES else chr(ord(last) + 1))


def first_values(text: str, values: int) -> str:
    """Return the encoding of the first `values` values of an index text; all of it if it has fewer."""
    at = -1
    for _ in range(values):
        at = text.find(VALUE_END, at + 1)
        if at < 0:
            return text
    return text[: at + 1]


def values_text(texts: Iterable[str | None]) -> str:
    """Return the encoding of several values, not truncated."""
    return "".join(map(value_text, texts))
