"""The names that an expression can use: attributes and roles of a class, and the fields of `caller`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from stratabase.expressions.kinds import UNKNOWN, ValueKind

ID = "_id"


@dataclass(frozen=True, slots=True)
class AttributeSymbol:
    """An attribute; `read` returns its value from an object's state (None: by the kind, as it is stored)."""

    kind: ValueKind
    read: Callable[[Mapping[str, Any]], Any] | None = None


@dataclass(frozen=True, slots=True)
class RoleSymbol:
    """A role to a class."""

    target: str
    many: bool


Symbol = AttributeSymbol | RoleSymbol
UNKNOWN_ATTRIBUTE = AttributeSymbol(UNKNOWN)
"""Something that is there, but of which another mistake says that it is not right."""


class SymbolTable(ABC):
    """The names of all classes."""

    caller_fields: Mapping[str, ValueKind] = MappingProxyType({})
    """The fields of `caller`, the member on whose behalf a request is done."""

    @abstractmethod
    def find(self, class_name: str, name: str) -> Symbol | None:
        """Return what a name means in a class."""

    @abstractmethod
    def names_in(self, class_name: str) -> Iterable[str]:
        """Return the names that there are in a class."""

    @property
    @abstractmethod
    def enumerations(self) -> Mapping[str, tuple[str, ...]]:
        """The values of each enum."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of a model, from a class."""

    symbols: SymbolTable
    class_name: str
    allows_roles: bool = True
    """Whether the objects may be asked to which roles lead."""
