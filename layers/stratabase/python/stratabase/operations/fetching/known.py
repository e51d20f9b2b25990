"""What one fetch has come to know: objects, and what is derived of them."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.query.derived import derived_attributes, simplify
from stratabase.domain.query.fetch import Render, stored_state
from stratabase.domain.query.page import Page, Query
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.expressions.environment import EMPTY_CONTEXT, EvaluationContext
from stratabase.expressions.expression import Expression
from stratabase.model.model import Model
from stratabase.operations.deriving.deriving import Deriving
from stratabase.operations.deriving.formulas import formulas_of
from stratabase.operations.fetching.seen import Seen
from stratabase.operations.fetching.source import Source
from stratabase.operations.seeing.present import Present
from stratabase.operations.seeing.veil import veil_of
from stratabase.operations.seeing.withheld import WithholdingFormulas


class Known(Seen):
    """Reads objects, and computes derived attributes of them and expressions over them.

    Round trips depend on how far these lead, not on how many objects there are. All of this is as the caller
    sees it, who is one of the circumstances: what that is not to see is not there.
    """

    def __init__(  # noqa: PLR0913 - what is read, within which limits, and for whom
        self,
        source: Source,
        model: Model,
        allowance: ReadBudget,
        face: Render = stored_state,
        circumstances: EvaluationContext = EMPTY_CONTEXT,
        *,
        bare: bool = False,
        present: Present | None = None,
    ) -> None:
        """`bare`: whatever the caller may see of it. `present`: as `Veil` has it."""
        self._veil = None if bare else veil_of(source, model, allowance, circumstances, present)
        super().__init__(self._veil or source, model, allowance, face)
        self.circumstances = circumstances

    def admitted(self, entities: Iterable[Entity], read: Iterable[Entity] = ()) -> list[Entity | None]:
        """Note objects that were read by key elsewhere, and return what the caller sees of each.

        `read`: others that were, on which that may depend. Raises TooMuchRead.
        """
        shown = list(entities) if self._veil is None else self._veil.shown(entities, read)
        self.add(entity for entity in shown if entity is not None)
        return list(shown)

    def tells(self, reference: Reference, name: str) -> bool:
        """Return whether the caller sees an attribute or a role of an object. Raises TooMuchRead."""
        return self._veil is None or self._veil.tells(reference, name)

    def deriving(self) -> Deriving:
        """Return what finds derived values."""
        if self._veil is None:
            return Deriving(self, self.circumstances)
        return Deriving(self, self.circumstances, WithholdingFormulas(formulas_of(self.model)))

    def derived(self, class_name: str, entities: Sequence[Entity], names: Sequence[str]) -> list[Entity]:
        """Return objects of a class with the values of derived attributes in their states.

        Raises TooMuchRead.
        """
        deriving = self.deriving()
        deriving.demand(class_name, names, entities)
        self.finish(deriving)
        return deriving.completed(class_name, names, entities)

    def values(
        self, class_name: str, entities: Sequence[Entity], expressions: Sequence[Expression]
    ) -> list[tuple[Any, ...]]:
        """Return what expressions over objects of a class give for each of these. Raises TooMuchRead."""
        deriving = self.deriving()
        columns = deriving.expect(class_name, expressions, entities)
        self.finish(deriving)
        return list(zip(*columns(), strict=True)) if expressions else [()] * len(entities)

    def page(self, query: Query) -> Page:
        """Return a window on the objects of a class. Raises TooMuchRead."""
        class_ = self.model.classes[query.class_name]
        if not derived_attributes(query, class_):
            return self.source.page(query, self.allowance)
        query = simplify(query)
        names = derived_attributes(query, class_)
        derive = partial(self.derived, query.class_name, names=names) if names else None
        return self.source.page(query, self.allowance, derive)

    def finish(self, deriving: Deriving) -> None:
        """Find and compute all that was asked for. Raises TooMuchRead."""
        while needed := deriving.all_needs():
            self.read(needed)
        deriving.compute()
