"""IDs of objects, and the time at which they were created."""

import re
from base64 import b32hexdecode
from typing import Any, ClassVar

from stratabase.core.model.types.base import EVERY_VALUE, AttributeType, Stored, parse_integer, parse_text
from stratabase.core.model.types.operators import (
    EQUALITY_OPERATORS,
    MEMBERSHIP_OPERATORS,
    ORDER_AGGREGATES,
    ORDER_OPERATORS,
    Aggregate,
    Operator,
)
from stratabase.values.cel import kinds
from stratabase.values.formats.preferences import Formats
from stratabase.values.text_cache import cache_short_texts

_GENERATED_ID = re.compile("[0-9a-v]{26}")
_RANDOM_BITS = 80
_END_OF_TIME = 253_402_300_800_000
"""The start of the year 10000, in milliseconds since the epoch."""


class IdType(AttributeType):
    """Stored as text. `_id`, `_clientId` and the keys of roles have this type."""

    name = "ID"
    kind = kinds.TEXT
    operators: ClassVar[frozenset[Operator]] = EQUALITY_OPERATORS | ORDER_OPERATORS | MEMBERSHIP_OPERATORS
    lists_null = True
    aggregates: ClassVar[frozenset[Aggregate]] = ORDER_AGGREGATES
    unrestricted = True
    readable_texts = EVERY_VALUE
    reading = "ID"

    def read(self, value: Any, formats: Formats) -> Stored:
        """Return an ID. As in GraphQL, clients can also send it as an integer."""
        del formats
        number = parse_integer(value) if isinstance(value, int) else None
        return parse_text(value, "ID") if number is None or number.bit_length() > 64 else str(number)

    def value_of(self, text: str) -> Stored:
        """Return the text."""
        return text


class MemberIdType(IdType):
    """The ID of a member, to whom a role of the model leads (`model.users`)."""

    name = "_User"
    unrestricted = False
    readable_texts = "the IDs of members"

    def value_of(self, text: str) -> Stored:
        """Return the text if it is an ID. A username, which the attribute may have stored before, is none."""
        return text if _GENERATED_ID.fullmatch(text) else None


@cache_short_texts(1024)  # every request needs that of its caller
def id_timestamp(id_: str) -> int | None:
    """Return when an ID was created, in milliseconds since the epoch.

    Returns None if the ID was not created by Stratabase (store/ids).
    """
    if not _GENERATED_ID.fullmatch(id_):
        return None
    milliseconds = int.from_bytes(b32hexdecode(f"{id_.upper()}======"), "big") >> _RANDOM_BITS
    return milliseconds if milliseconds < _END_OF_TIME else None
