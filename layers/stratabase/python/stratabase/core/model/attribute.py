"""Attributes of classes: their type, their constraints, and the origin of their value."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from stratabase.core.model.constraints.base import Constraint, Violation
from stratabase.core.model.types.aggregates import Aggregate
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.storage import Stored
from stratabase.values.formats.preferences import Formats


class Origin(Enum):
    """The origin of an attribute's value."""

    NATIVE = "native"
    """Clients write the value."""
    PLATFORM = "platform"
    """Stratabase sets the value on each write (`_createdon` …)."""
    DERIVED = "derived"
    """Stratabase computes the value from other attributes on each read."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """How to compute a derived attribute: by an expression, or by a path with an optional aggregate."""

    expression: str | None = None
    path: tuple[str, ...] = ()
    aggregate: Aggregate | None = None


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute: a named value of a class."""

    name: str
    type: AttributeType
    required: bool = False
    origin: Origin = Origin.NATIVE
    constraints: tuple[Constraint, ...] = ()
    """The constraints of `@domain` or `@file` and the limit of the type itself, in the order of checks."""
    derivation: Derivation | None = None
    description: str | None = None
    renamed_from: str | None = None
    """The name under which values are stored, if that is not the attribute's name."""
    default: Stored = None
    """The value, in its stored form, of an attribute that was left out. None: there is no default."""

    def violations(self, stored: Stored, formats: Formats | None = None) -> Iterator[Violation]:
        """Yield the violations of the constraints by a stored value, which must not be None.

        `stored` is the value in its stored form. Messages show values in `formats`; if that is None, in the
        stored form.
        """
        for constraint in self.constraints:
            yield from constraint.violations(stored, self.type, formats)
