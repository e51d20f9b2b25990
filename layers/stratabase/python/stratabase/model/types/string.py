"""String and Text: short texts and texts of any length."""

from typing import Any, ClassVar

from stratabase.expressions import kinds
from stratabase.formats.preferences import Formats
from stratabase.model.types.base import AttributeType, parse_text
from stratabase.model.types.operators import (
    EQUALITY_OPERATORS,
    MEMBERSHIP_OPERATORS,
    ORDER_OPERATORS,
    TEXT_OPERATORS,
    Operator,
)
from stratabase.model.types.storage import Stored


class TextType(AttributeType):
    """Texts of any length. Stored as they were given, every character; compared by code point."""

    name = "Text"
    kind = kinds.TEXT
    operators: ClassVar[frozenset[Operator]] = (
        EQUALITY_OPERATORS | ORDER_OPERATORS | MEMBERSHIP_OPERATORS | TEXT_OPERATORS
    )
    max_length: ClassVar[int | None] = None
    """How many characters a text has at most when the domain does not say."""

    def read(self, value: Any, formats: Formats) -> Stored:
        """Return a text."""
        del formats
        return parse_text(value, self.name)


class StringType(TextType):
    """Texts of at most 255 characters, unless a domain says otherwise."""

    name = "String"
    max_length = 255
