"""Sources of objects that are kept elsewhere, such as the members, and the roles that lead to them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, State
from stratabase.core.domain.query.derived import Derive, role_filters
from stratabase.core.domain.query.filter import (
    And,
    Comparison,
    Filter,
    FlagFilter,
    Not,
    Or,
    RoleFilter,
    and_,
    conjuncts,
    ids_implied_by,
    or_,
)
from stratabase.core.domain.query.page import Page, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Model, Unique
from stratabase.core.model.types.operators import Operator


class ObjectSource(Protocol):
    """The objects of one class, which are kept elsewhere. They are only read, and have no versions.

    Each method draws on the read budget, and raises ReadBudgetExceeded once it is used up.
    """

    def read(self, references: Sequence[Reference], budget: ReadBudget | None) -> list[Entity | None]:
        """Return objects in the order of `references`, None for a missing one. All are read in one batch."""

    def page(self, query: Query, budget: ReadBudget, derive: Derive | None) -> Page:
        """Return one page of the objects. `derive` computes the derived attributes that the query uses."""

    def find_by_unique(self, unique: Unique, values: State, budget: ReadBudget) -> Entity | None:
        """Return the object that has unique values, None if there is none."""


Sources = Mapping[str, ObjectSource]
"""The sources of objects by the name of their class."""
NO_SOURCES: Sources = {}


def read_elsewhere(
    sources: Sources, references: Iterable[Reference], budget: ReadBudget | None
) -> dict[Reference, Entity | None]:
    """Return those objects whose classes have sources, None for a missing one. Raises ReadBudgetExceeded."""
    wanted = dict.fromkeys(references)
    found: dict[Reference, Entity | None] = {}
    for class_name, source in sources.items():
        of_class = [each for each in wanted if each.class_name == class_name]
        if of_class:
            found.update(zip(of_class, source.read(of_class, budget), strict=True))
    return found


class StoredQueries:
    """Queries without the roles that lead to objects of sources, which the store does not know."""

    def __init__(self, model: Model, sources: Collection[str]) -> None:
        """`model` has the classes with `sources`, and the roles that lead to them."""
        roles = {
            RoleName(class_.name, role.name): role
            for class_ in model.classes.values()
            for role in class_.roles.values()
            if role.target in sources
        }
        self.unknown_roles = roles.keys()
        """The names of the roles that the store does not know."""
        self._keys = {name for name, role in roles.items() if role.holds_key}
        """Those whose keys it has as values."""

    def stored_query(self, query: Query) -> Query:
        """Return an equivalent query that names no role which the store does not know."""
        conditions = query.filter or query.implied or query.implied_by_grants
        if not self.unknown_roles or conditions is None:  # most queries
            return query
        unknown = [part for part in conjuncts(query.filter) if self._names_unknown(part)]
        query = replace(
            query,
            implied=self._stored_parts([*conjuncts(query.implied), *unknown]),
            implied_by_grants=self._stored_parts(conjuncts(query.implied_by_grants)),
        )
        return replace(query, filter=self._with_marks(query.filter)) if unknown and query.filter else query

    def _names_unknown(self, filter_: Filter) -> bool:
        return any(map(self._leads_elsewhere, role_filters(filter_)))

    def _stored_parts(self, conditions: Iterable[Filter]) -> Filter | None:
        """Return what conditions, all of which hold, imply of stored values; None if that is nothing."""
        found = (self._stored_part(condition) for condition in conditions)
        parts = [part for part in found if part is not None]
        return and_(parts) if parts else None

    def _stored_part(self, condition: Filter) -> Filter | None:
        """Return what a condition implies of stored values, None if that is nothing.

        If a role leads to the object with a certain ID, its key is that ID.
        """
        if not self._names_unknown(condition):
            return condition
        if isinstance(condition, RoleFilter) and condition.role in self._keys:
            named = ids_implied_by(condition.part)
            return None if named is None else Comparison(condition.role.role_name, Operator.IN, tuple(named))
        if isinstance(condition, Or):
            parts = [self._stored_part(part) for part in condition.parts]
            known = [part for part in parts if part is not None]
            return or_(known) if len(known) == len(parts) else None
        return self._stored_parts(condition.parts) if isinstance(condition, And) else None

    def _with_marks(self, filter_: Filter) -> Filter:
        """Return a filter that tests the marks of role filters that lead elsewhere.

        A state has the result of a role filter under its mark before it is tested.
        """
        if isinstance(filter_, RoleFilter):
            return FlagFilter(filter_.mark) if self._leads_elsewhere(filter_) else filter_
        if isinstance(filter_, And | Or):
            return type(filter_)(tuple(map(self._with_marks, filter_.parts)))
        return Not(self._with_marks(filter_.part)) if isinstance(filter_, Not) else filter_

    def _leads_elsewhere(self, condition: RoleFilter) -> bool:
        """Return whether a role filter follows an unknown role, itself or in its part."""
        return condition.role in self.unknown_roles or self._names_unknown(condition.part)
