"""String and Text: texts of limited and of any length."""

from typing import Any, ClassVar

from stratabase.core.model.types.base import AttributeType, parse_text
from stratabase.core.model.types.operators import (
    EQUALITY_OPERATORS,
    MEMBERSHIP_OPERATORS,
    ORDER_OPERATORS,
    TEXT_OPERATORS,
    Operator,
)
from stratabase.core.model.types.storage import Stored
from stratabase.values.cel import kinds
from stratabase.values.formats.preferences import Formats


class TextType(AttributeType):
    """Texts of any length, stored unchanged, and compared by code point."""

    name = "Text"
    kind = kinds.TEXT
    operators: ClassVar[frozenset[Operator]] = (
        EQUALITY_OPERATORS | ORDER_OPERATORS | MEMBERSHIP_OPERATORS | TEXT_OPERATORS
    )
    max_length: ClassVar[int | None] = None
    """The maximum number of characters if the domain sets none; None means no limit."""

    def read(self, value: Any, formats: Formats) -> Stored:
        """Return a text."""
        del formats
        return parse_text(value, self.name)

    def value_of(self, text: str) -> Stored:
        """Return the text. A limit of its length applies only to values that clients send."""
        return text


class StringType(TextType):
    """Texts of at most 255 characters, unless the domain sets another limit."""

    name = "String"
    max_length = 255
