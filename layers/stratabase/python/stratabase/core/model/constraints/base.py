"""The base classes of constraints, and the results of their checks."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, Self

from stratabase.core.model.types.base import AttributeType
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message

Arguments = Mapping[str, Any]
"""The arguments of `@domain` or `@file` as the model gives them, by name. Lists are tuples."""


Tightens = Callable[[AttributeType, Any, Any], bool]
"""Returns whether a new value of an argument refuses more than an old one, which the model before had.

It is given the present type of the attribute, and the two values.
"""


def always(_type: AttributeType, _old: Any, _new: Any) -> bool:
    """Return True."""
    return True


def rises(_type: AttributeType, old: Any, new: Any) -> bool:
    """Return whether a minimum is higher."""
    return bool(new > old)


def falls(_type: AttributeType, old: Any, new: Any) -> bool:
    """Return whether a maximum is lower."""
    return bool(new < old)


def loses_items(_type: AttributeType, old: Any, new: Any) -> bool:
    """Return whether a list of what is allowed lacks an item."""
    return not set(old) <= set(new)


class ConstraintArgument(NamedTuple):
    """An argument of a directive, as the model language defines it."""

    field: str
    """The field of the constraint that holds the value. Flags have none."""
    type: str
    """The type in GraphQL syntax, such as `[String!]`."""
    description: str
    tightens: Tightens = always
    """Whether a change of its value refuses more."""


VALUES = ConstraintArgument("values", "[String!]", "The only values that are allowed.", loses_items)
"""The argument of constraints that list values."""


@frozen
class Violation:
    """The violation of a constraint by a value. `message` says what is right."""

    issue: str
    """The name of the issue type."""
    message: Message


@frozen
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

    A subclass has everything about its constraint: the arguments of the directive with their documentation,
    the errors in them, the differences between two models, the check of a value, and the issue types.
    """

    __slots__ = ()
    directive: ClassVar[str] = "domain"
    arguments: ClassVar[Mapping[str, ConstraintArgument]]
    """The arguments of the directive, by name."""
    issues: ClassVar[tuple[str, ...]]
    """The names of the issue types of violations."""
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
        values = {argument.field: arguments.get(name) for name, argument in cls.arguments.items()}
        return cls(**values) if any(value is not None for value in values.values()) else None

    def argument_values(self) -> dict[str, object]:
        """Return the value of each argument that is given, by name, for the comparison of two models."""
        values = {name: getattr(self, argument.field) for name, argument in self.arguments.items()}
        return {name: value for name, value in values.items() if value not in (None, ())}

    @abstractmethod
    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield the violations by a stored value (never None) of an attribute of this type.

        Messages show values in `formats`; if that is None, in the stored form.
        """


def flag(description: str) -> ConstraintArgument:
    """Return the argument of a FlagConstraint."""
    return ConstraintArgument("", "Boolean", description)


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
