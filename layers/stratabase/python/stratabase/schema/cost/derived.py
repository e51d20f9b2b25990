"""What derived attributes cost: about how many objects must be read for their values."""

from collections.abc import Iterable

from stratabase.expressions.environment import Path
from stratabase.model.attribute import Attribute
from stratabase.model.model import Class, Model
from stratabase.model.model_expressions import expressions_of
from stratabase.schema.options import DEFAULT_SIZE

Member = tuple[str, str]
"""A class, and one of its attributes."""


class DerivedCost:
    """Counts the objects to which the derived attributes of one model lead; each attribute once."""

    def __init__(self) -> None:
        self._known: dict[Member, int] = {}

    def of(self, model: Model, class_: Class, attribute: Attribute) -> int:
        """Return how many objects are read for the value of an attribute of one object: 0 if it is kept."""
        if attribute.derivation is None:
            return 0
        member = (class_.name, attribute.name)
        if member not in self._known:
            expression = expressions_of(model).derived(class_.name, attribute)
            paths = expression.paths if expression else (attribute.derivation.path,)
            self._known[member] = self._walked(model, class_, paths)
        return self._known[member]

    def _walked(self, model: Model, class_: Class, paths: Iterable[Path]) -> int:
        """Return how many objects lie on paths from one, where many are as many as a page shows."""
        counted: dict[Path, int] = {}
        for path in paths:
            at, objects = class_, 1
            for place, name in enumerate(path, start=1):
                if role := at.roles.get(name):
                    objects *= DEFAULT_SIZE if role.many else 1
                    counted[path[:place]], at = objects, model.classes[role.target]
                elif made := at.attributes.get(name):
                    counted[path[:place]] = objects * self.of(model, at, made)
        return sum(counted.values())
