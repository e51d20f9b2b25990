"""What every attribute type knows: how its values are read, kept, compared and written."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from stratabase.model.attribute import Domain, Stored
from stratabase.model.formats import Formats
from stratabase.model.malformed import Malformed, shown
from stratabase.model.operator import Operator
from stratabase.model.types.storage import TEXT, Storage

__all__ = ["AttributeType", "Breach", "DomainMistake", "Malformed"]


class Breach(Enum):
    """The kind of rule of a domain that a value breaks."""

    RANGE = "RANGE"
    DIGITS = "REAL_DECIMAL_DIGITS"
    LENGTH = "STRING_LENGTH"
    PATTERN = "STRING_PATTERN"
    FILE_TYPE = "FILE_TYPE"
    FILE_SIZE = "FILE_SIZE"
    EMAIL = "EMAIL"
    PHONE = "PHONE"
    PARTITA_IVA = "PARTITA_IVA"
    CODICE_FISCALE = "CODICE_FISCALE_PERSONA_FISICA"
    CODICE_FISCALE_GIURIDICA = "CODICE_FISCALE_PERSONA_GIURIDICA"


@dataclass(frozen=True, slots=True)
class DomainMistake:
    """A rule of a domain that a value breaks; `text` says what would be right."""

    breach: Breach
    text: str


class AttributeType(ABC):
    """A type of attribute. Immutable; one instance per type (enums: one per enum of the model)."""

    name: str
    """The name in the model language, which is also the GraphQL type's (`File`: see the schema room)."""
    operators: ClassVar[frozenset[Operator]]
    """What its attributes may be filtered by."""
    restrictions: ClassVar[frozenset[str]] = frozenset()
    """The arguments of `@domain` (in the model language's spelling) that it takes."""
    formatted: ClassVar[bool] = False
    """Its output takes a `format`."""
    storage: ClassVar[Storage] = TEXT
    """How its values are kept."""
    sortable: ClassVar[bool] = True
    """It has Sort values and a place in the Cursor input."""

    @abstractmethod
    def read(self, given: Any, formats: Formats) -> Stored:
        """Return the canonical stored spelling of a JSON value `given` by a client; never called with None.

        Any JSON value may be given. Raises Malformed with what would be right.
        """

    def rank(self, stored: Any) -> Any:
        """Return what orders a stored value among those of its type (`<`, `==` work between ranks)."""
        return stored

    def writer(self, pattern: str, formats: Formats) -> Callable[[Any], Any]:
        """Return what turns a stored value into JSON; `pattern` is "default" or a Java pattern.

        Raises Malformed for a pattern that Java would refuse.
        """
        del pattern, formats
        return _as_it_is

    @property
    def writes(self) -> bool:
        """Whether stored values look different in answers: the type has a writer of its own."""
        return type(self).writer is not AttributeType.writer

    def display(self, stored: Any, formats: Formats) -> str:
        """Return a stored value as a message to a member shows it."""
        del formats
        return shown(stored)

    def domain_mistakes(
        self, stored: Any, domain: Domain, formats: Formats | None = None
    ) -> list[DomainMistake]:
        """Return what `domain` has against a stored value.

        The texts are in a member's formats; without, in the stored spelling.
        """
        del stored, domain, formats
        return []


def _as_it_is(stored: Any) -> Any:
    return stored
