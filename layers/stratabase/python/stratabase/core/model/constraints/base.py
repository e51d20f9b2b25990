"""The base classes of constraints, and the results of their checks."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from stratabase.core.model.types.base import AttributeType
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.values.messages import Message

Arguments = Mapping[str, Any]
"""The arguments of `@domain` or `@file` as the model gives them, by name. Lists are tuples."""


@dataclass(frozen=True, slots=True)
class Violation:
    """The violation of a constraint by a value. `message` says what is right."""

    issue: str
    """The name of the issue type."""
    message: Message


@dataclass(frozen=True, slots=True)
class ArgumentError:
    """An error in an argument of a constraint in a model."""

    argument: str
    message: str
    item: int | None = None
    """The index of the wrong item, if the argument is a list."""
    suggestions: tuple[str, ...] = ()


class Constraint(ABC):
    """A constraint on the values of an attribute.

    Subclasses are frozen dataclasses; `CONSTRAINTS` lists them.

    A subclass has everything about its constraint: the arguments of the directive, the errors in them, the
    differences between two models, the check of a value, and the issue type.
    """

    __slots__ = ()
    directive: ClassVar[str] = "domain"
    arguments: ClassVar[Mapping[str, str]]
    """Maps each argument of the directive to the field of the class that holds it."""
    absent: ClassVar[object] = None
    """The value that a comparison of models shows for an argument that is left out."""
    types: ClassVar[tuple[type[AttributeType], ...]]
    """The attribute types that support the constraint, including their subclasses."""

    @classmethod
    def find_errors(cls, arguments: Arguments, type_: AttributeType) -> Iterator[ArgumentError]:
        """Yield the errors in the arguments of an attribute of this type."""
        del arguments, type_
        yield from ()

    @classmethod
    def build(cls, arguments: Arguments, type_: AttributeType) -> Self | None:
        """Return the constraint for valid arguments, or None if none of its arguments is given."""
        del type_
        values = {field: arguments.get(argument) for argument, field in cls.arguments.items()}
        return cls(**values) if any(value is not None for value in values.values()) else None

    def argument_values(self) -> dict[str, object]:
        """Return the value of each argument that is given, by name, for the comparison of two models."""
        values = {argument: getattr(self, field) for argument, field in self.arguments.items()}
        return {argument: value for argument, value in values.items() if value not in (None, ())}

    @abstractmethod
    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield the violations by a stored value (never None) of an attribute of this type.

        Messages show values in `formats`; if that is None, in the stored form.
        """


class FlagConstraint(Constraint):
    """A constraint whose only argument is true or absent."""

    __slots__ = ()
    absent: ClassVar[object] = False

    @classmethod
    def build(cls, arguments: Arguments, type_: AttributeType) -> Self | None:
        """Return the constraint if its argument is true, or else None."""
        del type_
        (argument,) = cls.arguments
        return cls() if arguments.get(argument) else None

    def argument_values(self) -> dict[str, object]:
        """Return that the argument is true."""
        return dict.fromkeys(self.arguments, True)


def read_argument(type_: AttributeType, written: str) -> Any:
    """Return the stored form of a value that an argument gives as text. Raises InvalidValue."""
    value = type_.value_of(written)
    return type_.read(written, DEFAULT_FORMATS) if value is None else value
