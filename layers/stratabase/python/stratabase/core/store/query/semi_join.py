"""Semi-joins: finds objects by the objects that a role leads to, without reading their whole class.

For example, the filter `patient: {email___eq: "ada@example.com"}` on appointments is answered in three steps:

1. Find the targets: the patients with this email, by the uniqueness of `email`.
2. Go back along the role, to the ids of their appointments: by the links that each patient has.
3. Read these appointments by key, and test the whole filter.

The first two steps only propose objects. So it does no harm if they propose too many. But they may take long
if the estimates of the planner are wrong, so both have limits. Past these, the next plan answers the query.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, part_ids
from stratabase.core.domain.query.filter import Filter, RoleFilter, conjuncts
from stratabase.core.domain.query.page import IdRange, Query
from stratabase.core.domain.query.read_budget import MEGABYTE
from stratabase.core.store.engine.read_limiter import ReadLimiter
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.object_items import guard_holder
from stratabase.core.store.query.row_sources import PlanSource
from stratabase.core.store.query.schema import Found, WayBack
from stratabase.core.store.read import links
from stratabase.core.store.read.context import StoreContext

_T = TypeVar("_T")
MAX_TARGETS = 100
"""The maximum number of targets of a semi-join."""
MAX_OWNERS = 1000
"""The maximum number of objects that a semi-join proposes."""
MAX_BYTES = MEGABYTE
"""The maximum size of what a semi-join reads, without the proposed objects themselves."""


class Join(NamedTuple):
    """A role filter that all matches of a query meet."""

    role: RoleName
    part: Filter
    """The filter of the targets."""
    sees_everything: bool
    """Whether the filter is about all targets, not only those that the caller sees."""


def joins_of(query: Query) -> Iterator[Join]:
    """Yield the role filters that all matches of a query meet, each once."""
    found: dict[Join, None] = {}
    for filter_, sees_everything in (
        (query.filter, False),
        (query.implied, False),
        (query.implied_by_grants, True),
    ):
        for part in conjuncts(filter_):
            if isinstance(part, RoleFilter):
                found[Join(part.role, part.part, sees_everything)] = None
    return iter(found)


FindTargets = Callable[[PlanSource], Sequence[Entity] | None]
"""Returns the targets of a semi-join, MAX_TARGETS + 1 if there are more; None if they cannot be found."""


def find_targets(source: PlanSource, find: FindTargets) -> Sequence[Entity] | None:
    """Return the targets of a semi-join, None if there are too many. Raises ReadBudgetExceeded."""
    targets = _within_part(source, find)
    return None if targets is None or len(targets) > MAX_TARGETS else targets


def find_owners(source: PlanSource, targets: Sequence[Entity], way_back: WayBack) -> frozenset[str] | None:
    """Return the ids of the objects from which a role may lead to targets, None if there are too many.

    Raises ReadBudgetExceeded.
    """

    def found(part: PlanSource) -> Sequence[str] | None:
        assert part.store is not None
        return _owners(part.store, targets, way_back, part.limiter)

    ids = _within_part(source, found) if targets else ()
    return None if ids is None or len(ids) > MAX_OWNERS else frozenset(ids)


def _within_part(
    source: PlanSource, read: Callable[[PlanSource], Sequence[_T] | None]
) -> Sequence[_T] | None:
    """Return what `read` returns within a part of the budget, None if this part is not enough."""
    whole = source.limiter
    budget = None if whole.budget is None else whole.budget.part(MAX_BYTES)
    try:
        return read(source._replace(limiter=ReadLimiter(budget, "")))
    except ReadBudgetExceeded:
        whole.check()
        return None


def _owners(
    store: StoreContext, targets: Sequence[Entity], way_back: WayBack, limiter: ReadLimiter
) -> list[str]:
    """Return the ids of the objects that lead to targets: MAX_OWNERS + 1 of them, or all."""
    found, name = way_back
    ids = [target.reference.id for target in targets]
    if found is Found.STATE:
        return [id_ for each in targets for id_ in part_ids(each.state.get(name.role_name))]
    if found is Found.GUARD:
        guards = store.get([keys.one_to_one_guard(name, id_) for id_ in ids], limiter)
        return [holder for guard in guards if (holder := guard_holder(guard)) is not None]
    range_ = IdRange(limit=MAX_OWNERS + 1)

    def linked(id_: str) -> tuple[str, ...]:
        return links.by_links(store, Reference(name.class_name, id_), name, range_, limiter)

    return [id_ for each in store.parallel_map(linked, ids) for id_ in each]
