"""A page of objects, found by the plan that is believed to read the fewest."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from stratabase.domain.attributes import is_derived
from stratabase.domain.objects.entity import Entity
from stratabase.domain.query.derived import Derive, derived_attributes
from stratabase.domain.query.page import Page, Query
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.domain.refusal import TooMuchRead
from stratabase.domain.remedy import Remedy
from stratabase.model.model import Class
from stratabase.store.engine.port import Engine
from stratabase.store.engine.read_limiter import ReadLimiter
from stratabase.store.layout.access_path import AccessPath
from stratabase.store.query.filter_analysis import IndexConstraint, index_constraints, named_ids
from stratabase.store.query.planner import PlanSource, choose_plan
from stratabase.store.query.plans import Plan


def read_page(  # noqa: PLR0913, PLR0917 - what is read, and how
    engine: Engine,
    class_: Class,
    query: Query,
    allowance: ReadBudget,
    paths: Iterable[AccessPath] = (),
    derive: Derive | None = None,
) -> Page:
    """Return what a query wants to know of its window, and find out no more. Raises TooMuchRead.

    `derive` gives objects the derived values that the query is about.
    """
    paths = tuple(paths)
    limiter = ReadLimiter(
        allowance, class_.name, lambda limiter: explain_refusal(class_, query, paths, limiter)
    )
    limiter.check()
    source = PlanSource(engine, limiter, _limited(derive, limiter), query.needs_version_start)
    return page_of(choose_plan(class_, query, paths).build(source), query)


def _limited(derive: Derive | None, limiter: ReadLimiter) -> Derive | None:
    """Return what computes derived values, and refuses the page when that reads too much."""
    return None if derive is None else partial(_derive, derive, limiter)


def _derive(derive: Derive, limiter: ReadLimiter, entities: Sequence[Entity]) -> Sequence[Entity]:
    with suppress(TooMuchRead):
        return derive(entities)
    raise limiter.refusal()


def page_of(plan: Plan, query: Query) -> Page:
    """Return what a plan finds out of what a query wants to know."""
    wanted = query.fields
    after, before = (
        (plan.has_behind, plan.has_ahead) if query.window.backward else (plan.has_ahead, plan.has_behind)
    )
    return Page(
        _items(plan, query) if wanted.items else (),
        plan.count() if wanted.total_count else None,
        after() if wanted.has_next else None,
        before() if wanted.has_prev else None,
    )


def _items(plan: Plan, query: Query) -> tuple[Entity, ...]:
    """Return the window's objects in the query's order."""
    matches = plan.rows()
    return tuple(match.entity for match in (reversed(matches) if query.window.backward else matches))


def explain_refusal(
    class_: Class, query: Query, paths: Iterable[AccessPath], limiter: ReadLimiter
) -> TooMuchRead:
    """Return the refusal of a query that has read too much."""
    missing = missing_index(class_, query)
    if any(_begins(_names(path), missing) for path in paths if path.is_usable_for(class_)):
        missing = ()
    declared = bool(missing) and any(_begins(index.attributes, missing) for index in class_.indexes)
    derived = derived_attributes(query, class_)
    remedy = Remedy(missing, declared, tuple(_costly(query)), derived, limiter.is_shared)
    return TooMuchRead(class_.name, limiter.items, remedy)


def missing_index(class_: Class, query: Query) -> tuple[str, ...]:
    """Return the attributes of the index that would serve a query: first those equal, then the order.

    None where the filter names the objects: then no index is read.
    """
    if named_ids(query.filter) is not None:
        return ()
    found = index_constraints(query.filter, class_)
    equal = [name for name, one in found.items() if _is_single(one)]
    ordered = [term.attribute for term in query.order.terms if term.attribute not in {"_id", *equal}]
    if any(is_derived(class_, name) for name in ordered):
        ordered = []
    ranged = [name for name in found if name not in equal][:1]
    return (*equal, *(ordered or ranged))


def _begins(attributes: tuple[str, ...], first: tuple[str, ...]) -> bool:
    return attributes[: len(first)] == first


def _is_single(one: IndexConstraint) -> bool:
    return all(slice_.single for slice_ in one.slices)


def _names(path: AccessPath) -> tuple[str, ...]:
    return tuple(column.attribute for column in path.columns)


def _costly(query: Query) -> Iterator[str]:
    if query.fields.total_count:
        yield "totalCount"
    if query.window.offset:
        yield "offset"
