"""What names mean in an expression: where it stands, and what there is."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stratabase.model.expressions.kinds import UNKNOWN, ValueKind, kind_of
from stratabase.model.model import Model
from stratabase.model.types import ID_TYPE

ID = "_id"


@dataclass(frozen=True, slots=True)
class Value:
    """An attribute."""

    kind: ValueKind


@dataclass(frozen=True, slots=True)
class Way:
    """A role to a class."""

    target: str
    many: bool


Found = Value | Way
NOT_KNOWN = Value(UNKNOWN)
"""Something that is there, but of which another mistake says that it is not right."""


class Names(ABC):
    """The names of a model."""

    @abstractmethod
    def find(self, class_name: str, name: str) -> Found | None:
        """Return what a name means in a class."""

    @abstractmethod
    def near(self, class_name: str) -> Iterable[str]:
        """Return the names that there are in a class."""

    @property
    @abstractmethod
    def enumerations(self) -> Mapping[str, tuple[str, ...]]:
        """The values of each enum."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of a model, from a class."""

    names: Names
    class_name: str
    roles: bool = True
    """Whether the objects may be asked to which roles lead."""


class ModelNames(Names):
    """The names of a model that has been read."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._enumerations = {name: tuple(one.values) for name, one in model.enumerations.items()}

    def find(self, class_name: str, name: str) -> Found | None:
        """Return what a name means in a class."""
        class_ = self._model.classes[class_name]
        if name == ID:
            return Value(kind_of(ID_TYPE))
        if attribute := class_.attributes.get(name):
            return Value(kind_of(attribute.type))
        role = class_.roles.get(name)
        return Way(role.target, role.many) if role else None

    def near(self, class_name: str) -> Iterable[str]:
        """Return the names of attributes and roles."""
        class_ = self._model.classes[class_name]
        return [*class_.attributes, *class_.roles]

    @property
    def enumerations(self) -> Mapping[str, tuple[str, ...]]:
        """The values of each enum."""
        return self._enumerations
