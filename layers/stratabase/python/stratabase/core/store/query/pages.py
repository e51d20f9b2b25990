"""Reads a page of objects. This is the entry of the package."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from sys import maxsize

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Hint, ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.domain.query.derived import Derive, Related, computed_parts
from stratabase.core.domain.query.page import Matches, Page, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Class
from stratabase.core.store.engine.read_limiter import ReadLimiter
from stratabase.core.store.layout.access_path import AccessPath
from stratabase.core.store.query.planner import (
    MissingIndex,
    build_plan,
    missing_index,
    missing_index_along_roles,
)
from stratabase.core.store.query.plans import QueryPlan
from stratabase.core.store.query.row_sources import PlanSource
from stratabase.core.store.query.rows import entities_of, row_state
from stratabase.core.store.query.schema import QuerySchema
from stratabase.core.store.query.semi_join import joins_of
from stratabase.core.store.read.context import StoreContext
from stratabase.core.store.read.kept_counts import can_keep

_BATCH = 2_000
"""How many matches to return at a time, after which other requests may proceed."""


def read_page(
    store: StoreContext,
    query: Query,
    budget: ReadBudget,
    derive: Derive | None = None,
    related: Related | None = None,
) -> Page:
    """Return the page of a query, with the fields that the query requests. Raises ReadBudgetExceeded.

    `derive`: computes the derived attributes that the query uses. `related`: finds the objects that the
    caller sees of other classes.
    """
    read = partial(_read_page, store, budget, derive, related)
    if query.fields.total_count and can_keep(query.filter, store.model.classes[query.class_name]):
        return store.kept_counts.page(store.engine, query, read)
    return read(query)


def _read_page(
    store: StoreContext, budget: ReadBudget, derive: Derive | None, related: Related | None, query: Query
) -> Page:
    """Do the same, with all fields from the store."""
    return page_of(_plan(store, query, budget, derive, related), query)


def read_matches(
    store: StoreContext,
    query: Query,
    budget: ReadBudget,
    derive: Derive | None = None,
    related: Related | None = None,
) -> Iterator[Matches]:
    """Yield all objects that match a query for totals, as many as its window has, in any order, in batches.

    Parameters and exceptions are those of `read_page`.
    """
    size, before = query.window.size, budget.bytes_read
    # An embedded engine reads at no price.
    may_be_known = (
        size == maxsize
        and derive is None
        and not store.engine.is_embedded
        and can_keep(query.filter, store.model.classes[query.class_name])
    )
    if may_be_known:
        store.excesses.check(query, budget, store.now())
    try:
        rows = _plan(store, query, budget, derive, related).matches(None if size == maxsize else size)
        left = size
        while left and (batch := [*islice(rows, min(left, _BATCH))]):
            left -= len(batch)
            given_at = budget.bytes_read
            yield Matches([row_state(row) for row in batch])
            waiting.give_way()
            # What totals read of other objects does not count: other totals need not read it.
            before += budget.bytes_read - given_at
    except ReadBudgetExceeded as refusal:
        if may_be_known and refusal.objects_read:
            store.excesses.note(query, refusal, budget.bytes_read - before, store.now())
        raise


def _plan(
    store: StoreContext, query: Query, budget: ReadBudget, derive: Derive | None, related: Related | None
) -> QueryPlan:
    class_ = store.model.classes[query.class_name]
    schema = QuerySchema(store.model, store.associations, store.write_schema())
    limiter = ReadLimiter(budget, class_.name, lambda limiter: _refusal(class_, query, schema, limiter))
    limiter.check()
    source = PlanSource(store.engine, limiter, _limited(derive, limiter), related, store)
    return build_plan(class_, query, schema, source)


def page_of(plan: QueryPlan, query: Query) -> Page:
    """Execute a plan, and return the page of a query."""
    wanted, backward = query.fields, query.window.backward
    has_next, has_prev = (plan.has_behind, plan.has_ahead) if backward else (plan.has_ahead, plan.has_behind)
    return Page(
        _items(plan, query) if wanted.items else (),
        plan.count() if wanted.total_count else None,
        has_next() if wanted.has_next else None,
        has_prev() if wanted.has_prev else None,
    )


def _items(plan: QueryPlan, query: Query) -> Sequence[Entity]:
    """Return the objects of the window in the order of the query."""
    rows = plan.rows()
    return entities_of(query.class_name, rows[::-1] if query.window.backward else rows)


def _limited(derive: Derive | None, limiter: ReadLimiter) -> Derive | None:
    """Return `derive`, with the refusal of the page instead of its own when it exceeds the budget."""
    return None if derive is None else partial(_derive, derive, limiter)


def _derive(derive: Derive, limiter: ReadLimiter, entities: Sequence[Entity]) -> Sequence[Entity]:
    with suppress(ReadBudgetExceeded):
        return derive(entities)
    raise limiter.refusal()


def _refusal(class_: Class, query: Query, schema: QuerySchema, limiter: ReadLimiter) -> ReadBudgetExceeded:
    """Return the refusal of a query that has exceeded the budget, with hints on how to make it cheaper."""
    if limiter.budget is not None and limiter.budget.is_spent_on_comparing:
        return ReadBudgetExceeded(class_.name, limiter.items, Hint(compares=True))
    missing = MissingIndex(class_, missing_index(class_, query))
    names = missing.attributes
    if not names or any(_attributes(path)[: len(names)] == names for path in schema.paths(class_)):
        # What grants imply is not named: the caller may not know it.
        joins = joins_of(replace(query, implied_by_grants=None))
        missing = missing_index_along_roles(joins, schema) or MissingIndex(class_, ())
    computed = computed_parts(query, class_)
    roles = tuple(dict.fromkeys(condition.role.role_name for condition in computed.roles))
    costly = tuple(_costly_parts(query))
    remedy = Hint(
        missing.attributes,
        missing.is_declared and bool(missing.attributes),
        costly,
        computed.derived,
        roles,
        limiter.is_shared,
        None if missing.class_ is class_ else missing.class_.name,
    )
    return ReadBudgetExceeded(class_.name, limiter.items, remedy)


def _attributes(path: AccessPath) -> tuple[str, ...]:
    return tuple(column.attribute for column in path.columns)


def _costly_parts(query: Query) -> Iterator[str]:
    if query.fields.total_count:
        yield "totalCount"
    if query.window.offset:
        yield "offset"
