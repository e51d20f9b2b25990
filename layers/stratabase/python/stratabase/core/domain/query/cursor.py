"""Cursors: a position in an order as an opaque text, which a client can send back (`Cursor` in the API).

The text is base64url of a format version, a checksum, a digest of the class and order, and the values as
JSON. Names and values are the stored ones, so that cursors outlive renames. The checksum is not a signature.
A forged cursor is only a position, which a filter could express as well.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

from stratabase.core.domain.attributes import order_getter, type_of
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.groups import (
    Group,
    Grouping,
    GroupPart,
    Measure,
    place_types,
    position_of_group,
)
from stratabase.core.domain.query.order import Order, Position
from stratabase.core.model.model import Class
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.base import AttributeType, Stored
from stratabase.core.model.types.enumeration import EnumType
from stratabase.values.formats.preferences import DEFAULT_FORMATS
from stratabase.values.messages import Message, _

_VERSION = b"\x01"
_TEXT = TYPES["Text"]
_AT, _VALUES = "at", "values"
"""The keys of the content of a cursor of a page as of an instant."""
_DIGEST = 4
"""Bytes of a digest."""
_UNKNOWN = _("The cursor is not valid. Use a cursor from an earlier page without changing it.")
_OF_OTHER_GROUPS = _(
    "The cursor belongs to other groups. Use it only with its original class, by, having and orderBy."
)
_OF_ANOTHER_INSTANT = _(
    "The cursor belongs to a page as of another instant, or of the present. "
    "Use it only with its original atVersion."
)
_FOREIGN = _(
    "The cursor belongs to a different class or sort order. "
    "Use it only with its original class and sort order."
)


class BadCursor(ValueError):
    """A text that is not a cursor, or a cursor of another class or order. `message` is for the client."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def encode_cursor(position: Position, order: Order, class_: Class, at: Instant | None = None) -> str:
    """Return the cursor of a position. The position must have a value for each term of the order.

    `at`: the instant that the page shows, None for the present.
    """
    state = dict(zip((term.attribute for term in order.terms), position.values, strict=True))
    # Of a file, an order compares one field.
    compared = [order_getter(class_, attribute)(state) for attribute in state]
    types = [type_of(class_, attribute) for attribute in state]
    return _encode(compared, types, _order_digest(order, class_), at)


def encode_group_cursor(group: Group, grouping: Grouping, class_: Class, at: Instant | None = None) -> str:
    """Return the cursor of a group. `at`: as in `encode_cursor`."""
    position = position_of_group(group, grouping)
    return _encode(position, place_types(class_, grouping), _grouping_digest(grouping, class_), at)


def decode_group_cursor(
    text: str, grouping: Grouping, class_: Class, at: Instant | None = None
) -> tuple[Stored, ...]:
    """Return the position of a cursor of groups of a page as of `at`, or of the present. Raises BadCursor."""
    body = _body(text)
    if body[:_DIGEST] != _grouping_digest(grouping, class_):
        raise BadCursor(_OF_OTHER_GROUPS)
    types = place_types(class_, grouping)
    values = _values(body[_DIGEST:], len(types), at)
    return tuple(_stored_value(_present_value(*each), each[1]) for each in zip(values, types, strict=True))


def _encode(values: Iterable[Any], types: Iterable[AttributeType], digest: bytes, at: Instant | None) -> str:
    stored = [type_.renames.to_stored.get(value, value) for value, type_ in zip(values, types, strict=True)]
    content = stored if at is None else {_AT: at, _VALUES: stored}
    body = digest + json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    return _text(_VERSION + _digest(body) + body)


def decode_cursor(text: str, order: Order, class_: Class, at: Instant | None = None) -> Position:
    """Return the position of a cursor of a page as of `at`, or of the present. Raises BadCursor."""
    body = _body(text)
    # Earlier versions of the service digested the names of enums, which can be renamed.
    if body[:_DIGEST] != _order_digest(order, class_) and (
        body[:_DIGEST] != _order_digest(order, class_, names_enums=True)
    ):
        raise BadCursor(_FOREIGN)
    values = _values(body[_DIGEST:], len(order.terms), at)
    types = [type_of(class_, term.attribute) for term in order.terms]
    present = map(_present_value, values, types)
    return Position(tuple(map(_stored_value, present, types)))


def _present_value(value: Any, type_: AttributeType) -> Any:
    return type_.renames.from_stored.get(value, value) if isinstance(value, str) else value


def _body(text: str) -> bytes:
    """Return the content that the checksum covers: the digest of class and order, and the values."""
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
    if _text(content) != text:  # the decoder ignores unknown characters; one position has one cursor
        raise BadCursor(_UNKNOWN)
    return content


def _values(body: bytes, number: int, at: Instant | None) -> list[Any]:
    """Return the values of a cursor of a page as of `at`. Raises BadCursor if there are not as many."""
    content = _json(body)
    shown, values = (content.get(_AT), content.get(_VALUES)) if isinstance(content, dict) else (None, content)
    if not isinstance(values, list) or len(values) != number:
        raise BadCursor(_UNKNOWN)
    if shown != at:
        raise BadCursor(_OF_ANOTHER_INSTANT)
    return values


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise BadCursor(_UNKNOWN) from None


def _stored_value(value: Any, type_: AttributeType) -> Stored:
    """Return the stored value of a cursor's value.

    Raises BadCursor for one that no attribute of the type has, because nothing compares with it.
    """
    if value is None:
        return None
    compared = type_ if type_.order_field is None else _TEXT
    if not isinstance(value, str | int) or not _is_canonical(value, compared):
        raise BadCursor(_UNKNOWN)
    return value if type_.order_field is None else {type_.order_field: value}


def _is_canonical(value: str | int, type_: AttributeType) -> bool:
    try:
        stored: Stored = type_.read(value, DEFAULT_FORMATS)
    except ValueError:
        return False
    return type(stored) is type(value) and stored == value


def _order_digest(order: Order, class_: Class, *, names_enums: bool = False) -> bytes:
    """Return a digest of the class, the order, and the types of the attributes in the order.

    It has stored names, so that cursors go on working after a rename. `names_enums`: with the names of enums,
    of which nothing is stored.
    """
    terms = [
        (
            _stored_name(class_, term.attribute),
            _type_name(type_of(class_, term.attribute), names_enums=names_enums),
            term.descending,
        )
        for term in order.terms
    ]
    return _digest(json.dumps([class_.stored_name, terms]).encode())


def _grouping_digest(grouping: Grouping, class_: Class) -> bytes:
    """Return a digest of the class, and of what decides its groups and their order. It has stored names."""

    def shown(by: Measure | GroupPart) -> list[str]:
        return [_stored_name(class_, by.name), by.total.name] if isinstance(by, Measure) else [by.name]

    keys = [
        [_stored_name(class_, key.name), None if key.bucket is None else key.bucket.value]
        for key in grouping.keys
    ]
    having = [[*shown(test.by), test.operator.value, test.operand] for test in grouping.having]
    order = [[*shown(term.by), term.descending] for term in grouping.order]
    return _digest(json.dumps([class_.stored_name, keys, having, order]).encode())


def _stored_name(class_: Class, attribute: str) -> str:
    definition = class_.attributes.get(attribute) or class_.roles.get(attribute)
    return attribute if definition is None else definition.renamed_from or attribute


def _type_name(type_: AttributeType, *, names_enums: bool) -> str:
    return "Enum" if isinstance(type_, EnumType) and not names_enums else type_.name


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST).digest()
