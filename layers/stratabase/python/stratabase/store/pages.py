"""A page of objects, found by the plan that is believed to read the fewest."""

from collections.abc import Iterable

from stratabase.domain.allowance import Allowance
from stratabase.domain.derived_query import Derive
from stratabase.domain.objects.entity import Entity
from stratabase.domain.page import Page, Query
from stratabase.model.class_ import Class
from stratabase.store.access_path import AccessPath
from stratabase.store.advice import refusal_of
from stratabase.store.budget import Budget
from stratabase.store.engine import Engine
from stratabase.store.plans import Plan, Source, chosen


def page(  # noqa: PLR0913, PLR0917 - what is read, and how
    engine: Engine,
    class_: Class,
    query: Query,
    allowance: Allowance,
    paths: Iterable[AccessPath] = (),
    derive: Derive | None = None,
) -> Page:
    """Return what a query wants to know of its window, and find out no more. Raises TooMuchRead.

    `derive` gives objects the derived values that the query is about.
    """
    paths = tuple(paths)
    budget = Budget(allowance, lambda budget: refusal_of(class_, query, paths, budget))
    budget.check()
    source = Source(engine, budget, budget.over(derive), query.tells_version_start)
    return shown(chosen(class_, query, paths).plan(source), query)


def shown(plan: Plan, query: Query) -> Page:
    """Return what a plan finds out of what a query wants to know."""
    wanted = query.wanted
    after, before = (plan.behind, plan.ahead) if query.window.backward else (plan.ahead, plan.behind)
    return Page(
        _items(plan, query) if wanted.items else (),
        plan.total() if wanted.total_count else None,
        after() if wanted.has_next else None,
        before() if wanted.has_prev else None,
    )


def _items(plan: Plan, query: Query) -> tuple[Entity, ...]:
    """Return the window's objects in the query's order."""
    matches = plan.matches()
    return tuple(match.entity for match in (reversed(matches) if query.window.backward else matches))
