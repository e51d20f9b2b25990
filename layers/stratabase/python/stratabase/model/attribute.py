"""An attribute of a class: its type, what it may hold, and where its value comes from."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from stratabase.formats.preferences import Formats
from stratabase.model.constraints.base import Constraint, Violation
from stratabase.model.types.base import AttributeType
from stratabase.model.types.storage import Stored


class Origin(Enum):
    """Who gives an attribute its value."""

    NATIVE = "native"
    """The client."""
    PLATFORM = "platform"
    """The service, at each write (`_createdon` …)."""
    DERIVED = "derived"
    """Other attributes, at each read."""


class Aggregate(Enum):
    """What a derived attribute makes of many values."""

    COUNT = "COUNT"
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"
    AVG = "AVG"


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a derived attribute is computed: either an expression, or a path with or without an aggregate."""

    expression: str | None = None
    path: tuple[str, ...] = ()
    aggregate: Aggregate | None = None


@dataclass(frozen=True, slots=True)
class Attribute:
    """A named value of a class."""

    name: str
    type: AttributeType
    required: bool = False
    origin: Origin = Origin.NATIVE
    constraints: tuple[Constraint, ...] = ()
    """What `@domain` or `@file` demands, and a limit of the type itself, in the order of the checks."""
    derivation: Derivation | None = None
    description: str | None = None

    def violations(self, stored: Stored, formats: Formats | None = None) -> Iterator[Violation]:
        """Yield why the constraints refuse a stored value, which is not None.

        The texts show values in a member's formats; without formats, as they are stored.
        """
        for constraint in self.constraints:
            yield from constraint.violations(stored, self.type, formats)
