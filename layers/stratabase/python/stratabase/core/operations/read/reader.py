"""The reader of objects, as a caller may see them: now, as of an instant, or as a write leaves them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from stratabase.core.domain.objects.entity import (
    Entity,
    Reference,
    RoleName,
    State,
    normalize_reference,
    states_of,
)
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.derived import Computed, Derive, computed_parts, simplify
from stratabase.core.domain.query.fetch import Render, render_stored
from stratabase.core.domain.query.filter import MATCH_ALL, MATCH_NONE, And, Filter, FlagFilter
from stratabase.core.domain.query.implied import implied_by_query
from stratabase.core.domain.query.matching import matcher
from stratabase.core.domain.query.order import sort_objects
from stratabase.core.domain.query.page import ALL_IDS, IdRange, Matches, Page, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Unique
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.as_of import AsOf, AsOfBatch
from stratabase.core.operations.read.batched_reads import BatchedRead, run
from stratabase.core.operations.read.derived_values import DerivedValues, evaluate
from stratabase.core.operations.read.identity_map import IdentityMap
from stratabase.core.operations.read.pending import PendingWrite
from stratabase.core.operations.read.read_policy import CurrentVisibility, ReadPolicy
from stratabase.values.cel.expression import Expression

_VISIBLE = FlagFilter(".visible")


class Reader(IdentityMap):
    """Reads objects for one request. It loads each object once, and hides what the caller may not see.

    Methods that return a `BatchedRead` are for many objects, and load level by level. The others read at
    once: in the end, from `ReadContext.entities`.
    """

    def __init__(  # noqa: PLR0913 - each has its default
        self,
        read_context: ReadContext,
        at: Instant | None = None,
        pending: PendingWrite | None = None,
        *,
        render: Render = render_stored,
        unrestricted: bool = False,
        batch: AsOfBatch | None = None,
        current: CurrentVisibility | None = None,
    ) -> None:
        """Read objects as of `at`, or now if it is None, with the effects of `pending`.

        If `unrestricted`, ignore the caller's grants. Readers of several instants share `batch` and
        `current`, so that they load together.
        """
        as_of = None if at is None else AsOf(batch or AsOfBatch(read_context), at)
        self._policy: ReadPolicy | None = None
        self._hidden: IdentityMap | None = None
        """All objects, if what the caller sees of one depends on others."""
        access = None if unrestricted else read_context.access
        if access is None:
            super().__init__(read_context, as_of, pending, render)
            return
        # This reader has only what is visible.
        super().__init__(read_context, as_of, None, render)
        self._pending = pending
        if access.is_unconditional and at is None:
            self._policy = ReadPolicy(access, self)
            if pending is not None:
                shown = run(self._policy.show([*pending.objects.values()]))
                self._objects.update(zip(pending.objects, shown, strict=True))
            return
        # Conditions of grants need hidden objects too. So the policy has an identity map of its own, which
        # also applies the pending write.
        if at is not None and current is None:
            current = CurrentVisibility(read_context, access)
        self._hidden = IdentityMap(read_context, as_of, pending)
        self._policy = ReadPolicy(access, self._hidden, current)

    def get(self, reference: Reference) -> Entity | None:
        """Return the object with a reference from a client, None if it does not exist.

        Raises ReadBudgetExceeded.
        """
        return self.read([normalize_reference(reference)])[0]

    def read(self, references: Sequence[Reference]) -> list[Entity | None]:
        """Return the objects in the order of `references`, None for each that does not exist.

        Raises ReadBudgetExceeded.
        """
        run(self.load(references))
        return [self[reference] for reference in references]

    def get_by(self, class_name: str, unique: Unique, values: State) -> Entity | None:
        """Return the object with unique values, None if there is none. Raises ReadBudgetExceeded."""
        entity = self._entities.find_by_unique(class_name, unique, values, self.budget)
        return None if entity is None else run(self.add_visible([entity]))[0]

    def page(self, query: Query) -> Page:
        """Return one page of the objects of a class. Raises ReadBudgetExceeded.

        For pages of the past, use a `PastReader`.
        """
        query, derive = self._visible(query)
        found = self._load_page(query, derive)
        # What is derived is computed of what is visible.
        return found if derive is not None else self._shown(query, found)

    def matches(self, query: Query) -> Iterator[Matches]:
        """Yield all visible objects of a class that match, with the values that totals use. Raises as `page`.

        The query is as for `ReadableObjects.matches`.
        """
        if self._pending is not None:
            return iter([Matches(states_of(self.page(query).items))])
        if self._policy is not None and not self._policy.of_class(query.class_name).is_unrestricted:
            query = replace(query, fields=replace(query.fields, beginnings=None))
        query, derive = self._visible(query)
        return self._entities.matches(query, self.budget, derive, self._related)

    def for_totals(self) -> "Reader":
        """Return a reader of the same objects that draws on the budget of totals."""
        read_context = self._read_context.for_totals()
        return Reader(
            read_context, pending=self._pending, render=self.render, unrestricted=self._policy is None
        )

    def _visible(self, query: Query) -> tuple[Query, Derive | None]:
        """Return a query with what finds the visible objects, and what computes the values that it uses."""
        assert self.as_of is None, "indexes know only the present"
        class_, derive = self.model.classes[query.class_name], None
        query = self.with_implied(query)
        if computed_parts(query, class_):
            query = simplify(query)
            computed = computed_parts(query, class_)
            derive = partial(self._derive, query.class_name, computed) if computed else None
        if self._policy is None or self._policy.of_class(query.class_name).is_unrestricted:
            return query, derive
        return self._among_visible(self._policy, query, derive)

    def confirm(self, query: Query, page: Page) -> Sequence[Entity]:
        """Return the objects of a page as they are by key, in the order of the query.

        Objects that no longer exist or match are left out. Raises ReadBudgetExceeded.
        """
        class_ = self.model.classes[query.class_name]
        read = self.read([entity.reference for entity in page.items]) if page.items else []
        there = [entity for entity in read if entity is not None]
        if computed := computed_parts(query, class_):
            there = run(self.with_computed(class_.name, there, computed))
        if query.filter is not None:
            matches = matcher(query.filter, class_, partial(self.compare, class_.name))
            there = [entity for entity in there if matches(entity.state)]
        return sort_objects(there, lambda entity: entity.state, query.order, class_)

    def add_visible(
        self, entities: Iterable[Entity], others: Iterable[Entity] = ()
    ) -> BatchedRead[list[Entity | None]]:
        """Add objects that were read by key elsewhere, and return what the caller sees of each.

        `others` were read too; what the caller sees may depend on them. Raises ReadBudgetExceeded.
        """
        visible: list[Entity | None] = list(entities)
        if self._policy is not None:
            if self._hidden is not None:
                self._hidden.add(others)
            visible = yield from self._policy.show(visible)
        self.add(entity for entity in visible if entity is not None)
        return visible

    def shows(self, reference: Reference, name: str) -> BatchedRead[bool]:
        """Return whether the caller sees an attribute or a role of an object. Raises ReadBudgetExceeded."""
        return bool((yield from self.showing(RoleName(reference.class_name, name), [reference.id])))

    def showing(self, name: RoleName, ids: Sequence[str]) -> BatchedRead[Sequence[str]]:
        """Return the ids of the objects whose attribute or role the caller sees. Raises as `shows`."""
        return ids if self._policy is None else (yield from self._policy.ids_showing(name, ids))

    def with_computed(
        self, class_name: str, entities: Sequence[Entity], computed: Computed
    ) -> BatchedRead[list[Entity]]:
        """Return objects of a class whose states also have derived attributes and results of role filters.

        Raises ReadBudgetExceeded.
        """
        derived = DerivedValues(self)
        derived.demand(class_name, computed, entities)
        yield from derived.complete()
        return derived.with_values(class_name, computed, entities)

    def values(
        self, class_name: str, entities: Sequence[Entity], expressions: Sequence[Expression]
    ) -> list[tuple[Any, ...]]:
        """Return, for each object of a class, the values of expressions. Raises ReadBudgetExceeded."""
        return run(evaluate(self, {class_name: (class_name, expressions, entities)}))[class_name]

    def _fetch_objects(self, references: Sequence[Reference]) -> BatchedRead[Sequence[Entity | None]]:
        found: Sequence[Entity | None]
        if self._hidden is None:
            found = yield from super()._fetch_objects(references)
        else:
            yield from self._hidden.load(references)
            found = [self._hidden[reference] for reference in references]
        return found if self._policy is None else (yield from self._policy.show(found))

    def fetch_links(
        self, role: RoleName, ids: Sequence[str], id_range: IdRange
    ) -> BatchedRead[Sequence[tuple[str, ...]]]:
        """Load, for each owner, the ids that a role leads to, even if the objects there are hidden."""
        if self._policy is None:
            return (yield from super().fetch_links(role, ids, id_range))
        owners = yield from self._policy.ids_showing(role, ids)
        found = yield from self._links_despite_grants(role, owners, id_range)
        by_owner = dict(zip(owners, found, strict=True))
        return [by_owner.get(id_, ()) for id_ in ids]

    def links_despite_grants(
        self, role: RoleName, ids: Sequence[str]
    ) -> BatchedRead[Sequence[tuple[str, ...]]]:
        """Load, for each owner, all ids that a role leads to, even if the role is hidden there.

        Raises ReadBudgetExceeded.
        """
        return self._links_despite_grants(role, ids, ALL_IDS)

    def _links_despite_grants(
        self, role: RoleName, ids: Sequence[str], id_range: IdRange
    ) -> BatchedRead[Sequence[tuple[str, ...]]]:
        fetch = super().fetch_links if self._hidden is None else self._hidden.fetch_links
        return fetch(role, ids, id_range)

    def _derive(self, class_name: str, computed: Computed, entities: Sequence[Entity]) -> Sequence[Entity]:
        return run(self.with_computed(class_name, entities, computed))

    def _load_page(self, query: Query, derive: Derive | None) -> Page:
        pending = self._pending
        if pending is None:
            return self._entities.page(query, self.budget, derive, self._related)
        if derive is None:
            found = self._entities.page(query, self.budget)
            return pending.apply(replace(found, items=tuple(map(pending.now, found.items))))
        found = self._entities.page(query, self.budget, lambda read: derive([*map(pending.now, read)]))
        return pending.apply(found)

    def with_implied(self, query: Query) -> Query:
        """Return a query with the conditions that its filter and the caller's grants imply."""
        if self._pending is not None:
            return query  # the store would find objects by what they lead to before the write
        implied = query.filter and implied_by_query(
            query.filter, self.model.classes[query.class_name], self.model
        )
        by_grants = None if self._policy is None else self._policy.implied(query.class_name)
        if implied is None and by_grants is None:
            return query
        return replace(query, implied=implied, implied_by_grants=by_grants)

    def _related(self, query: Query, budget: ReadBudget) -> Page:
        """Return a page of the objects of another class, within a budget of its own."""
        return Reader(self._read_context.within(budget), unrestricted=self._policy is None).page(query)

    def _among_visible(
        self, policy: ReadPolicy, query: Query, derive: Derive | None
    ) -> tuple[Query, Derive | None]:
        """Do the same as `_visible`, for a class of which the caller does not see everything."""
        visibility = policy.of_class(query.class_name)
        if derive is None and visibility.is_plain:
            # The stored attributes decide which objects are visible. So visibility is a filter, for which the
            # store can use its indexes.
            narrowed = _narrow(query, policy.filter(query.class_name))
            if query.fields.attributes is not None:
                used = query.fields.attributes | visibility.conditional_on
                narrowed = replace(narrowed, fields=replace(query.fields, attributes=used))
            return narrowed, None
        # Otherwise, visibility depends on other objects. Mark the visible ones while the store reads, and
        # filter by this mark.
        marked = _narrow(simplify(query), _VISIBLE if visibility.is_open else MATCH_NONE)
        return marked, partial(self._mark_visible, policy, derive)

    def _shown(self, query: Query, found: Page) -> Page:
        """Return a page of visible objects without the values that are hidden."""
        policy = self._policy
        if policy is None or (visibility := policy.of_class(query.class_name)).is_unrestricted:
            return found
        if not visibility.conditional:
            return replace(found, items=tuple(map(visibility.without_hidden, found.items)))
        visible = run(policy.show(found.items))
        return replace(found, items=tuple(each for each in visible if each is not None))

    def _mark_visible(
        self, policy: ReadPolicy, derive: Derive | None, entities: Sequence[Entity]
    ) -> Sequence[Entity]:
        """Return the objects as they are visible, with a mark. Hidden ones stay as they are, without it."""
        shown = run(policy.show(entities))
        visible = [each for each in shown if each is not None]
        marked = iter(map(_with_mark, visible if derive is None else derive(visible)))
        return [
            entity if each is None else next(marked) for entity, each in zip(entities, shown, strict=True)
        ]


def _narrow(query: Query, visible: Filter) -> Query:
    if visible == MATCH_ALL:
        return query
    return replace(query, filter=visible if query.filter is None else And((visible, query.filter)))


def _with_mark(entity: Entity) -> Entity:
    return replace(entity, state={**entity.state, _VISIBLE.mark: True})
