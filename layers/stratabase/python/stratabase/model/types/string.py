"""String and Text: short texts and texts of any length."""

from typing import Any, ClassVar

from stratabase.model.attribute import Domain, Stored
from stratabase.model.formats import Formats
from stratabase.model.operator import EQUALITY, MEMBERSHIP, ORDER, TEXT, Operator
from stratabase.model.types.base import AttributeType, DomainMistake
from stratabase.model.types.rules import TEXT_RULES
from stratabase.model.types.rules.length import length_mistakes
from stratabase.model.types.text import text


class TextType(AttributeType):
    """Texts of any length. Stored as they were given, every character; compared by code point."""

    name = "Text"
    operators: ClassVar[frozenset[Operator]] = EQUALITY | ORDER | MEMBERSHIP | TEXT
    restrictions: ClassVar[frozenset[str]] = frozenset(
        {"minLength", "maxLength", "pattern", "values", "email", "phone", "partitaIva", "codiceFiscale"}
    )
    longest: ClassVar[int | None] = None
    """How many characters a text has at most when the domain does not say."""

    def read(self, given: Any, formats: Formats) -> Stored:
        """Return a text."""
        del formats
        return text(given, f"a {self.name}")

    def domain_mistakes(
        self, stored: Any, domain: Domain, formats: Formats | None = None
    ) -> list[DomainMistake]:
        """Return what every rule about texts has against a text."""
        del formats
        mistakes = list(length_mistakes(stored, domain, self.longest))
        for rule in TEXT_RULES:
            mistakes += rule(stored, domain)
        return mistakes


class StringType(TextType):
    """Texts of at most 255 characters, unless a domain says otherwise."""

    name = "String"
    longest = 255
