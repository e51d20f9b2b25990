"""Compute values of many objects together: load what they depend on level by level, then compute them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from stratabase.core.domain.access.visibility import is_redacted
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, RoleStorage
from stratabase.core.domain.query.derived import Computed
from stratabase.core.domain.query.filter import RoleFilter
from stratabase.core.domain.query.page import ALL_IDS
from stratabase.core.model.dependencies import ClassField
from stratabase.core.operations.read.batched_reads import BatchedRead
from stratabase.core.operations.read.formulas import (
    Dependencies,
    Formula,
    Inputs,
    RoleFilterFormula,
    formulas_of,
)
from stratabase.core.operations.read.identity_map import IdentityMap, RoleLoader
from stratabase.values.cel.expression import Expression

K = TypeVar("K")
Objects = dict[int, Entity]
"""By Python's `id` of a loaded object: the object."""
Evaluations = Mapping[K, tuple[str, Sequence[Expression], Sequence[Entity]]]
"""By any key: a class, expressions about its objects, and the objects to evaluate them for."""
_BY_LINKS = frozenset({RoleStorage.OPPOSITE_KEY, RoleStorage.OPPOSITE_KEYS, RoleStorage.LINKS})


class DerivedValues:
    """Computes derived attributes, role filters and expressions of many objects together.

    Ask for values by `demand` and `expect`. Then `complete` follows the roles that they depend on, from all
    objects at once, one level at a time.
    """

    def __init__(self, objects: IdentityMap) -> None:
        self._objects = objects
        self._formulas = formulas_of(objects.model)
        self._inputs = Inputs(objects.render, objects.evaluation, objects.within_budget)
        self._demanded: dict[ClassField, Objects] = defaultdict(dict)
        """By derived attribute, or by class and mark of a role filter: the objects that need its value."""
        self._role_filters: dict[ClassField, RoleFilterFormula] = {}
        """By class and mark: the role filters that are demanded."""
        self._next: list[tuple[Dependencies, Objects]] = []
        """What the objects of the next level need."""
        self._targets: list[_Targets] | None = None
        """The roles to follow on this level. None before they are known."""

    def demand(self, class_name: str, computed: Computed, entities: Iterable[Entity]) -> None:
        """Ask for derived attributes and results of role filters, for objects of a class."""
        self._enter(Dependencies(class_name, computed, {}), {id(entity): entity for entity in entities})

    def expect(
        self, class_name: str, expressions: Sequence[Expression], entities: Sequence[Entity]
    ) -> Callable[[], list[Sequence[Any]]]:
        """Ask for the values of expressions. Return a function that returns them after the computation."""
        formulas = [self._formulas.of(class_name, expression) for expression in expressions]
        for formula in formulas:
            self._enter(formula.dependencies, {id(entity): entity for entity in entities})
        return lambda: [formula.values(entities, self._inputs) for formula in formulas]

    def needs(self) -> BatchedRead[list[Reference]]:
        """Return the objects to load on this level. Call again after loading them, until there are none."""
        if self._targets is None:
            owners = self._owners()
            self._targets = [_Targets(role, each, self._objects) for role, each in owners.items()]
        needed: list[Reference] = []
        for targets in self._targets:
            needed += yield from targets.needs()
        return needed

    def advance(self) -> None:
        """Enter the next level. Everything that this level needs must be loaded."""
        for targets in self._targets or ():
            self._inputs.targets.setdefault(targets.name, {}).update(targets.by_owner())
        # What lies below the roles of this level is the next level.
        behind, self._next, self._targets = self._next, [], None
        for dependencies, entities in behind:
            for role, below in dependencies.roles.items():
                found = self._inputs.targets[role]
                self._enter(below, {id(each): each for number in entities for each in found[number]})

    def all_needs(self) -> BatchedRead[list[Reference]]:
        """Return the objects to load next on any level, or nothing if all are loaded."""
        while self._next:
            if needed := (yield from self.needs()):
                return needed
            self.advance()
        return []

    def complete(self) -> BatchedRead[None]:
        """Load all that is needed, then compute the values. Raises ReadBudgetExceeded."""
        while needed := (yield from self.all_needs()):
            yield from self._objects.load(needed)
        self.compute()

    def compute(self) -> None:
        """Compute what is demanded, each value after those that it depends on. Everything must be loaded."""
        attributes = self._formulas.sort(self._demanded.keys() - self._role_filters.keys())
        # Role filters may test derived attributes, but not the other way around. The innermost come first.
        conditions = sorted(self._role_filters, key=lambda field: self._role_filters[field].levels)
        for field in (*attributes, *conditions):
            entities = self._demanded[field]
            values = self._formula(field).values(list(entities.values()), self._inputs)
            # A redacted attribute stays null, even if its formula has a value.
            self._inputs.values[field] = {
                number: None if is_redacted(entity, field[1]) else value
                for (number, entity), value in zip(entities.items(), values, strict=True)
            }

    def values(self, class_name: str, name: str, entities: Iterable[Entity]) -> list[Any]:
        """Return the values of a derived attribute, or of the mark of a role filter, for objects."""
        values = self._inputs.values[class_name, name]
        return [values[id(entity)] for entity in entities]

    def with_values(self, class_name: str, computed: Computed, entities: Sequence[Entity]) -> list[Entity]:
        """Return objects whose states also have derived attributes and results of role filters."""
        names = (*computed.derived, *(condition.mark for condition in computed.roles))
        columns = [self.values(class_name, name, entities) for name in names]
        return [
            replace(entity, state={**entity.state, **dict(zip(names, values, strict=True))})
            for entity, *values in zip(entities, *columns, strict=True)
        ]

    def _enter(self, dependencies: Dependencies, entities: Objects) -> None:
        """Note what these objects need, without what was noted before."""
        # A derived attribute may depend on others of the same object. Enter these too, and each only once.
        entered = [(dependencies, entities)]
        while entered:
            dependencies, entities = entered.pop()
            for condition in dependencies.computed.roles:
                self._prepare(condition)
            for field in dependencies.fields:
                demanded = self._demanded[field]
                fresh = {number: each for number, each in entities.items() if number not in demanded}
                demanded |= fresh
                entered.append((self._formula(field).dependencies, fresh))
            if dependencies.roles:
                self._next.append((dependencies, entities))

    def _prepare(self, condition: RoleFilter) -> None:
        field = (condition.role.class_name, condition.mark)
        if field not in self._role_filters:
            self._role_filters[field] = RoleFilterFormula(
                self._objects.model, condition, self._objects.compare
            )

    def _formula(self, field: ClassField) -> Formula:
        return self._role_filters.get(field) or self._formulas[field]

    def _owners(self) -> dict[RoleName, Objects]:
        """Return the roles to follow, each with the objects from which it was not followed yet."""
        owners: dict[RoleName, Objects] = defaultdict(dict)
        for dependencies, entities in self._next:
            for role in dependencies.roles:
                # Another value may have needed the same role of the same objects before.
                known = self._inputs.targets.get(role, {})
                owners[role] |= {number: each for number, each in entities.items() if number not in known}
        return owners


class _Targets(RoleLoader):
    """Loads everything that a role leads to from some objects."""

    def __init__(self, name: RoleName, owners: Objects, objects: IdentityMap) -> None:
        super().__init__(name, objects)
        self._owners = owners
        self._ids: Sequence[Sequence[str]] | None = None
        """For each owner, the ids that its role may lead to. None before they were looked up."""

    def needs(self) -> BatchedRead[list[Reference]]:
        """Return the objects still to load."""
        if self._ids is None:
            self._ids = yield from self._find_ids()
        return self.unread(self.reference(id_) for ids in self._ids for id_ in ids)

    def by_owner(self) -> Mapping[int, Sequence[Entity]]:
        """Return, by Python's `id` of each owner, the objects that its role leads to."""
        pairs = zip(self._owners.items(), self._ids or (), strict=True)
        return {number: self.targets(owner.reference.id, ids) for (number, owner), ids in pairs}

    def _find_ids(self) -> BatchedRead[Sequence[Sequence[str]]]:
        owners = self._owners.values()
        # Links lead to the targets, unless the owner's own state has their ids.
        if self.storage in _BY_LINKS:
            ids = [owner.reference.id for owner in owners]
            return (yield from self._objects.load_links(self.name, ids, ALL_IDS))
        return [self.stored_ids(owner.state) for owner in owners]


def evaluate(objects: IdentityMap, asked: Evaluations[K]) -> BatchedRead[dict[K, list[tuple[Any, ...]]]]:
    """Return, by key and for each object, the values of the expressions. All are evaluated together.

    Raises ReadBudgetExceeded.
    """
    derived = DerivedValues(objects)
    columns = {
        key: derived.expect(class_name, expressions, entities)
        for key, (class_name, expressions, entities) in asked.items()
    }
    yield from derived.complete()
    return {key: _rows(column(), len(asked[key][2])) for key, column in columns.items()}


def _rows(columns: Sequence[Sequence[Any]], number: int) -> list[tuple[Any, ...]]:
    return list(zip(*columns, strict=True)) if columns else [()] * number
