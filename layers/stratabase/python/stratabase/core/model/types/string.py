"""String and Text, texts of limited and of any length, and the base class of types whose values are texts.

`@text` says how the texts of an attribute are compared. An attribute that folds them has a type of its own,
which has the name of String or Text, and reads and stores the same values.
"""

from typing import Any, ClassVar

from stratabase.core.model.types.base import (
    EVERY_VALUE,
    TEXT_STORAGE,
    AttributeType,
    StorageClass,
    Stored,
    parse_text,
    text_of,
)
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
from stratabase.values.folding import FOLDED, FOLDED_NO_ACCENTS, Folding
from stratabase.values.formats.preferences import Formats


class TextualType(AttributeType):
    """A type whose values are texts, compared by code point unless it folds them."""

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


def _storage(folding: Folding) -> StorageClass:
    return StorageClass(TEXT_STORAGE.name, str, TEXT_STORAGE.accepts, folding.fold)


class _Folded(TextType):
    folding: ClassVar[Folding | None] = FOLDED
    storage: ClassVar[StorageClass] = _storage(FOLDED)
    reading = FOLDED.reading


class _FoldedNoAccents(TextType):
    folding: ClassVar[Folding | None] = FOLDED_NO_ACCENTS
    storage: ClassVar[StorageClass] = _storage(FOLDED_NO_ACCENTS)
    reading = FOLDED_NO_ACCENTS.reading


class FoldedText(_Folded):
    """Texts of any length, compared without case."""


class FoldedString(_Folded, StringType):
    """Texts of limited length, compared without case."""


class FoldedTextNoAccents(_FoldedNoAccents):
    """Texts of any length, compared without case and accents."""


class FoldedStringNoAccents(_FoldedNoAccents, StringType):
    """Texts of limited length, compared without case and accents."""
