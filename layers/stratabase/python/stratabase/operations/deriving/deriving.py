"""Derived values on their way: what they are made of is found level by level, then they are computed."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.expressions.environment import EvaluationContext
from stratabase.expressions.expression import Expression
from stratabase.operations.deriving.findings import Findings, Member
from stratabase.operations.deriving.formulas import Formulas, formulas_of
from stratabase.operations.deriving.pursuit import Pursuit
from stratabase.operations.deriving.trail import Trail
from stratabase.operations.fetching.seen import Seen

Objects = dict[int, Entity]
"""Objects by `id`, each as it was read."""


class Deriving:
    """Follows the roles that derived attributes walk, from all objects at once, one level at a time."""

    def __init__(
        self, seen: Seen, circumstances: EvaluationContext, formulas: Formulas | None = None
    ) -> None:
        """`formulas`: other than those of the model."""
        self._seen = seen
        self._formulas = formulas or formulas_of(seen.model)
        self._findings = Findings(seen.face, circumstances, seen.in_time)
        self._demanded: dict[Member, Objects] = defaultdict(dict)
        self._ahead: list[tuple[Trail, Objects]] = []
        self._pursuits: list[Pursuit] | None = None
        """The roles that are followed on this level; None where it is not known yet which these are."""

    def demand(self, class_name: str, names: Iterable[str], entities: Iterable[Entity]) -> None:
        """Ask for derived attributes of objects of a class."""
        self._enter(Trail(class_name, tuple(names), {}), {id(entity): entity for entity in entities})

    def expect(
        self, class_name: str, expressions: Sequence[Expression], entities: Sequence[Entity]
    ) -> Callable[[], list[Sequence[Any]]]:
        """Ask for the values of expressions; what is returned gives them, once all is computed."""
        formulas = [self._formulas.of(class_name, expression) for expression in expressions]
        for formula in formulas:
            self._enter(formula.trail, {id(entity): entity for entity in entities})
        return lambda: [formula.values(entities, self._findings) for formula in formulas]

    @property
    def is_done(self) -> bool:
        """Whether no role is left to be followed."""
        return not self._ahead

    def needs(self) -> list[Reference]:
        """Return the objects that are still to be read on this level; asked again once they are."""
        if self._pursuits is None:
            self._pursuits = [Pursuit(name, owners, self._seen) for name, owners in self._owners().items()]
        return list(chain.from_iterable(pursuit.needs() for pursuit in self._pursuits))

    def arrive(self) -> None:
        """Go on to the next level."""
        for pursuit in self._pursuits or ():
            self._findings.leads.setdefault(pursuit.name, {}).update(pursuit.found())
        behind, self._ahead, self._pursuits = self._ahead, [], None
        for trail, entities in behind:
            for role, below in trail.roles.items():
                leads = self._findings.leads[role]
                self._enter(below, {id(each): each for number in entities for each in leads[number]})

    def all_needs(self) -> list[Reference]:
        """Return the objects that are to be read next; none when all has been found, on every level."""
        while not self.is_done:
            if needed := self.needs():
                return needed
            self.arrive()
        return []

    def compute(self) -> None:
        """Compute what was asked for."""
        for member in self._formulas.sorted(self._demanded):
            entities = self._demanded[member]
            values = self._formulas[member].values(list(entities.values()), self._findings)
            self._findings.values[member] = dict(zip(entities, values, strict=True))

    def values(self, class_name: str, name: str, entities: Iterable[Entity]) -> list[Any]:
        """Return the values of a derived attribute that was asked for."""
        values = self._findings.values[class_name, name]
        return [values[id(entity)] for entity in entities]

    def completed(self, class_name: str, names: Sequence[str], entities: Sequence[Entity]) -> list[Entity]:
        """Return objects with derived attributes that were asked for in their states."""
        columns = [self.values(class_name, name, entities) for name in names]
        return [
            _with(entity, dict(zip(names, values, strict=True)))
            for entity, *values in zip(entities, *columns, strict=True)
        ]

    def _enter(self, trail: Trail, entities: Objects) -> None:
        """Note what is needed of objects, as far as nobody has asked for it yet."""
        entered = [(trail, entities)]
        while entered:
            trail, entities = entered.pop()
            for name in trail.derived:
                member = (trail.class_name, name)
                demanded = self._demanded[member]
                fresh = {number: each for number, each in entities.items() if number not in demanded}
                demanded |= fresh
                entered.append((self._formulas[member].trail, fresh))
            if trail.roles:
                self._ahead.append((trail, entities))

    def _owners(self) -> dict[RoleName, Objects]:
        """Return the roles to be followed, each from objects from which it was not."""
        owners: dict[RoleName, Objects] = defaultdict(dict)
        for trail, entities in self._ahead:
            for role in trail.roles:
                known = self._findings.leads.get(role, {})
                owners[role] |= {number: each for number, each in entities.items() if number not in known}
        return owners


def _with(entity: Entity, values: dict[str, Any]) -> Entity:
    return Entity(
        entity.reference, {**entity.state, **values}, entity.commit_ids, entity.counts, entity.linked
    )
