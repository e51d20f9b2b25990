"""A position as an opaque text that a client may hand back: `Cursor` in the API.

The text is base64url of a version, a check, a mark of the class and order, and the values as JSON. The check
is no signature: whoever makes up a cursor gets a position, and nothing that a filter could not give.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b
from typing import Any

from stratabase.domain.attributes import type_of, value_getter
from stratabase.domain.query.order import Order, OrderTerm, Position
from stratabase.formats.preferences import DEFAULT_FORMATS
from stratabase.messages import Message, _
from stratabase.model.model import Class
from stratabase.model.types.storage import Stored

_VERSION = b"\x01"


_DIGEST = 4


_UNKNOWN = _("The cursor is not valid. Use a cursor from an earlier page without changing it.")


_FOREIGN = _(
    "The cursor belongs to a different class or sort order. "
    "Use it only with its original class and sort order."
)


class BadCursor(ValueError):
    """A text that is no cursor, or one of another class or order; `message` says what would be right."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def encode_cursor(position: Position, order: Order, class_: Class) -> str:
    """Return the cursor of a position that has a value for each term of the order."""
    known = dict(zip((term.attribute for term in order.terms), position.values, strict=True))
    compared = [value_getter(class_, attribute)(known) for attribute in known]
    values = json.dumps(compared, ensure_ascii=False, separators=(",", ":")).encode()
    body = _mark(order, class_) + values
    return _text(_VERSION + _digest(body) + body)


def decode_cursor(text: str, order: Order, class_: Class) -> Position:
    """Return the position of a cursor. Raises BadCursor."""
    body = _body(text)
    if body[:_DIGEST] != _mark(order, class_):
        raise BadCursor(_FOREIGN)
    values = _values(body[_DIGEST:])
    if len(values) != len(order.terms) or not all(map(_fits, values, order.terms, [class_] * len(values))):
        raise BadCursor(_UNKNOWN)
    return Position(tuple(values))


def _body(text: str) -> bytes:
    """Return what the check covers."""
    content = _content(text)
    version, check, body = content[:1], content[1 : 1 + _DIGEST], content[1 + _DIGEST :]
    if version != _VERSION or check != _digest(body):
        raise BadCursor(_UNKNOWN)
    return body


def _text(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def _content(text: str) -> bytes:
    try:
        content = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        raise BadCursor(_UNKNOWN) from None
    if _text(content) != text:  # the decoder passes over what it does not know
        raise BadCursor(_UNKNOWN)
    return content


def _values(body: bytes) -> list[Any]:
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        raise BadCursor(_UNKNOWN) from None
    return values if isinstance(values, list) else []


def _fits(value: Any, term: OrderTerm, class_: Class) -> bool:
    """Return whether a value is one that the term's attribute may hold, so that it can be compared."""
    if value is None:
        return True
    if not isinstance(value, str | int):
        return False
    try:
        stored: Stored = type_of(class_, term.attribute).read(value, DEFAULT_FORMATS)
    except ValueError:
        return False
    return type(stored) is type(value) and stored == value


def _mark(order: Order, class_: Class) -> bytes:
    """Return what tells apart the cursors of different classes, orders, and types of what is ordered by."""
    terms = [(term.attribute, type_of(class_, term.attribute).name, term.descending) for term in order.terms]
    return _digest(json.dumps([class_.name, terms]).encode())


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST).digest()
