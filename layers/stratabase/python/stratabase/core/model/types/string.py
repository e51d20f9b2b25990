"""String and Text, texts of limited and of any length, and the base class of types whose values are texts."""

from typing import Any, ClassVar

from stratabase.core.model.types.base import EVERY_VALUE, AttributeType, Stored, parse_text, text_of
from stratabase.core.model.types.operators import (
    EQUALITY_OPERATORS,
    MEMBERSHIP_OPERATORS,
    ORDER_AGGREGATES,
    ORDER_OPERATORS,
    ORDER_TOTALS,
    TEXT_OPERATORS,
    Aggregate,
    Operator,
    Total,
)
from stratabase.values.cel import kinds
from stratabase.values.formats.preferences import Formats


class TextualType(AttributeType):
    """A type whose values are texts, compared by code point."""

    kind = kinds.TEXT
    operators: ClassVar[frozenset[Operator]] = (
        EQUALITY_OPERATORS | ORDER_OPERATORS | MEMBERSHIP_OPERATORS | TEXT_OPERATORS
    )
    aggregates: ClassVar[frozenset[Aggregate]] = ORDER_AGGREGATES
    max_length: ClassVar[int | None] = None
    """The maximum number of characters if the domain sets none; None means no limit."""


class TextType(TextualType):
    """Texts of any length, stored unchanged."""

    name = "Text"
    model_description: ClassVar[str | None] = (
        "A text of any length. "
        "(`String`: at most 255 characters unless `@domain(maxLength:)` says otherwise.)"
    )
    api_description: ClassVar[str | None] = "Text of any length."
    unrestricted = True
    readable_texts = EVERY_VALUE
    reading = "String"

    def read(self, value: Any, formats: Formats) -> Stored:
        """Return a text."""
        del formats
        if value.__class__ is str and value.isascii():  # most texts
            return str(value)
        return parse_text(value, self.name)

    def read_stored(self, raw: Any) -> Stored:
        """Return the text of a value."""
        return text_of(raw)

    def value_of(self, text: str) -> Stored:
        """Return the text. A limit of its length applies only to values that clients send."""
        return text


class StringType(TextType):
    """Texts of at most 255 characters, unless the domain sets another limit."""

    name = "String"
    foreign_names = ("Char", "Varchar", "UUID", "Url", "URL")
    model_description = None
    api_description = None
    max_length = 255
    totals: ClassVar[tuple[Total, ...]] = ORDER_TOTALS
    groups_by_value = True
