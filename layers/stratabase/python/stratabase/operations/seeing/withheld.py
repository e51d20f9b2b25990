"""Derived attributes whose values are withheld where an object says so."""

from collections.abc import Iterable, Sequence
from typing import Any

from stratabase.domain.objects.entity import Entity
from stratabase.expressions.expression import Expression
from stratabase.operations.deriving.findings import Findings, Member
from stratabase.operations.deriving.formula import Formula
from stratabase.operations.deriving.formulas import Formulas

WITHHELD = ".withheld"
"""Where a state has the names of derived attributes that must not be read of the object."""


class WithholdingFormulas(Formulas):
    """Formulas that give nothing for objects of which the attribute must not be read."""

    def __init__(self, formulas: Formulas) -> None:
        super().__init__(formulas.model)
        self._formulas = formulas

    def __getitem__(self, member: Member) -> Formula:
        """Return the formula of a derived attribute."""
        return _Withholding(member[1], self._formulas[member])

    def of(self, class_name: str, expression: Expression) -> Formula:
        """Return the formula of an expression over objects of a class."""
        return self._formulas.of(class_name, expression)

    def sorted(self, members: Iterable[Member]) -> list[Member]:
        """Return derived attributes, each after those that it is made of."""
        return self._formulas.sorted(members)


class _Withholding:
    """A formula of a derived attribute."""

    def __init__(self, name: str, formula: Formula) -> None:
        self.trail = formula.trail
        self._name = name
        self._formula = formula

    def values(self, entities: Sequence[Entity], findings: Findings) -> Sequence[Any]:
        """Return the value for each object, null where it is withheld."""
        values = self._formula.values(entities, findings)
        pairs = zip(entities, values, strict=True)
        return [None if self._is_withheld(entity) else value for entity, value in pairs]

    def _is_withheld(self, entity: Entity) -> bool:
        withheld = entity.state.get(WITHHELD)
        return isinstance(withheld, list) and self._name in withheld
