"""The names that an expression can use: the attributes and roles of a class, and the fields of `caller`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from stratabase.values.cel.kinds import UNKNOWN, ValueKind
from stratabase.values.folding import Folding
from stratabase.values.frozen import frozen

ID = "_id"


@frozen
class AttributeSymbol:
    """An attribute. `read` returns its value from an object's state.

    If `read` is None, the kind determines how the value is read.
    """

    kind: ValueKind
    read: Callable[[Mapping[str, Any]], Any] | None = None
    folding: Folding | None = None
    """How its texts are folded before they are compared."""


@frozen
class RoleSymbol:
    """A role to a class. `many` says whether it leads to many objects."""

    target: str
    many: bool


Symbol = AttributeSymbol | RoleSymbol
UNKNOWN_ATTRIBUTE = AttributeSymbol(UNKNOWN)
"""An attribute whose definition has an error, which is reported elsewhere."""


class SymbolTable(ABC):
    """The names in the classes of a model, and the fields of `caller`."""

    caller_fields: Mapping[str, ValueKind] = MappingProxyType({})
    """The fields of `caller`, the member who sends the request, with their kinds."""

    @abstractmethod
    def find(self, class_name: str, name: str) -> Symbol | None:
        """Return the attribute or role of a class that has this name, or None."""

    @abstractmethod
    def names_in(self, class_name: str) -> Iterable[str]:
        """Return the names of the attributes and roles of a class."""

    @property
    @abstractmethod
    def enumerations(self) -> Mapping[str, tuple[str, ...]]:
        """The values of each enum, by its name."""


@frozen
class Scope:
    """The names that an expression over objects of `class_name` can use."""

    symbols: SymbolTable
    class_name: str
    allows_roles: bool = True
    """Whether paths can lead over roles to other objects."""
