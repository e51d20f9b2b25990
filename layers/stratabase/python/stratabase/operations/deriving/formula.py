"""How one derived attribute, or one expression, is computed for objects of a class."""

from collections.abc import Sequence
from typing import Any, Protocol

from stratabase.domain.objects.entity import Entity
from stratabase.operations.deriving.findings import Findings
from stratabase.operations.deriving.trail import Trail


class Formula(Protocol):
    """What must be found for it, and how its values are made of that."""

    trail: Trail

    def values(self, entities: Sequence[Entity], findings: Findings) -> Sequence[Any]:
        """Return the value for each object, once all that the trail needs was found."""
