"""What every domain constraint has: directive arguments, a check of values, and the issue that it raises."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from stratabase.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.messages import Message
from stratabase.model.types.base import AttributeType

Arguments = Mapping[str, Any]
"""Arguments of `@domain` or `@file` as the model spells them, by name; lists are tuples."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A value that a constraint refuses; `message` says what would be right."""

    issue: str
    """The name of the issue type (api.md)."""
    message: Message


@dataclass(frozen=True, slots=True)
class ArgumentError:
    """A mistake in an argument of a constraint, found while a model is read."""

    argument: str
    message: str
    item: int | None = None
    """The index in the argument's list, if the mistake is in one of its items."""
    suggestions: tuple[str, ...] = ()


class Constraint(ABC):
    """What an attribute's values keep to. Subclasses are frozen dataclasses; `CONSTRAINTS` lists them.

    A subclass owns everything about its constraint: the arguments of the directive, which mistakes in them
    there are, what differs between two models, which values it refuses, and by which issue.
    """

    __slots__ = ()
    directive: ClassVar[str] = "domain"
    arguments: ClassVar[Mapping[str, str]]
    """From each argument of the directive to the field of the class that holds it."""
    absent: ClassVar[object] = None
    """What a comparison of models says of an argument that is left out."""
    types: ClassVar[tuple[type[AttributeType], ...]]
    """The attribute types (classes, with their subclasses) that take it."""

    @classmethod
    def find_errors(cls, arguments: Arguments, type_: AttributeType) -> Iterator[ArgumentError]:
        """Yield the mistakes in the arguments that an attribute of a type has."""
        del arguments, type_
        yield from ()

    @classmethod
    def build(cls, arguments: Arguments, type_: AttributeType) -> Self | None:
        """Return the constraint that arguments without mistakes make, or None if they make none."""
        del type_
        values = {field: arguments.get(argument) for argument, field in cls.arguments.items()}
        return cls(**values) if any(value is not None for value in values.values()) else None

    def argument_values(self) -> dict[str, object]:
        """Return the value of each argument that is there, for the comparison of two models."""
        values = {argument: getattr(self, field) for argument, field in self.arguments.items()}
        return {argument: value for argument, value in values.items() if value not in (None, ())}

    @abstractmethod
    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield why a stored value (never None) of an attribute of a type is refused.

        The messages show values in a member's formats; without formats, as they are stored.
        """


class FlagConstraint(Constraint):
    """A constraint without settings: its one argument is true or absent."""

    __slots__ = ()
    absent: ClassVar[object] = False

    @classmethod
    def build(cls, arguments: Arguments, type_: AttributeType) -> Self | None:
        """Return the constraint if its argument is true."""
        del type_
        (argument,) = cls.arguments
        return cls() if arguments.get(argument) else None

    def argument_values(self) -> dict[str, object]:
        """Return that the argument is true."""
        return dict.fromkeys(self.arguments, True)


def read_argument(type_: AttributeType, written: str) -> Any:
    """Return the stored form of a value that an argument spells. Raises InvalidValue."""
    return type_.read(written, DEFAULT_FORMATS)
