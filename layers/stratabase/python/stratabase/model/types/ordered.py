"""What the types have in common whose values lie between bounds."""

from functools import partial
from typing import Any, ClassVar

from stratabase.model.attribute import Domain
from stratabase.model.formats import Formats
from stratabase.model.operator import EQUALITY, MEMBERSHIP, ORDER, Operator
from stratabase.model.types.base import AttributeType, DomainMistake
from stratabase.model.types.rules.bounds import bounds_mistakes


class Ordered(AttributeType):
    """A type of numbers or times."""

    operators: ClassVar[frozenset[Operator]] = EQUALITY | ORDER | MEMBERSHIP
    restrictions: ClassVar[frozenset[str]] = frozenset({"min", "max", "values"})

    def domain_mistakes(
        self, stored: Any, domain: Domain, formats: Formats | None = None
    ) -> list[DomainMistake]:
        """Return whether the value lies out of bounds, or is none of those listed."""
        display = str if formats is None else partial(self.display, formats=formats)
        return list(bounds_mistakes(stored, domain, self.rank, display))
