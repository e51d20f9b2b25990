"""The formulas of a model's derived attributes, each made when it is first needed."""

from collections.abc import Iterable
from functools import cached_property, lru_cache

from stratabase.expressions.expression import Expression, ToStored
from stratabase.model.attribute import Attribute
from stratabase.model.dependencies import derivation_order
from stratabase.model.model import Model
from stratabase.model.model_expressions import ModelExpressions, expressions_of
from stratabase.operations.deriving.computed import Computed
from stratabase.operations.deriving.findings import Member
from stratabase.operations.deriving.followed import Aggregated, Followed
from stratabase.operations.deriving.formula import Formula

_REMEMBERED = 256
"""Expressions that are no derived attributes; those of a model's warnings and grants are rarely more."""


class Formulas:
    """The formulas of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._known: dict[Member, Formula] = {}
        self._nameless = lru_cache(_REMEMBERED)(self._of)

    def __getitem__(self, member: Member) -> Formula:
        """Return the formula of a derived attribute."""
        found = self._known.get(member)
        if found is None:
            class_name, name = member
            found = self._known[member] = self._made(
                class_name, self.model.classes[class_name].attributes[name]
            )
        return found

    def of(self, class_name: str, expression: Expression) -> Formula:
        """Return the formula of an expression over objects of a class, such as a condition."""
        # Two that are equal may still be stored as different types.
        return self._nameless(class_name, expression, expression.to_stored)

    def sorted(self, members: Iterable[Member]) -> list[Member]:
        """Return derived attributes, each after those that it is made of."""
        return sorted(members, key=self._places.__getitem__)

    @cached_property
    def _places(self) -> dict[Member, int]:
        return {member: place for place, member in enumerate(derivation_order(self.model))}

    def _of(self, class_name: str, expression: Expression, _: ToStored) -> Formula:
        return Computed(self.model, class_name, expression)

    def _made(self, class_name: str, attribute: Attribute) -> Formula:
        expression = expressions_of(self.model).derived(class_name, attribute)
        if expression is not None:
            return Computed(self.model, class_name, expression)
        assert attribute.derivation is not None
        kind = Aggregated if attribute.derivation.aggregate else Followed
        return kind(self.model, class_name, attribute)


def formulas_of(model: Model) -> Formulas:
    """Return the formulas of a model, the same for the same model."""
    return _of(expressions_of(model))


@lru_cache(maxsize=4)
def _of(expressions: ModelExpressions) -> Formulas:
    # A model itself cannot be a key; its expressions are the same ones as long as it is.
    return Formulas(expressions.model)
