"""A page of objects, found by the first plan that serves its query."""

from stratabase.domain.entity import Entity
from stratabase.domain.page import Page, Query
from stratabase.model.class_ import Class
from stratabase.store.engine import Engine
from stratabase.store.listing import Listing
from stratabase.store.plans import PLANS, Plan


def page(engine: Engine, class_: Class, query: Query) -> Page:
    """Return what a query wants to know of its window, and find out no more."""
    plan = _plan(Listing(engine, class_, query.filter), class_, query)
    wanted = query.wanted
    after, before = (plan.behind, plan.ahead) if query.window.backward else (plan.ahead, plan.behind)
    return Page(
        _items(plan, query) if wanted.items else (),
        plan.total() if wanted.total_count else None,
        after() if wanted.has_next else None,
        before() if wanted.has_prev else None,
    )


def _plan(listing: Listing, class_: Class, query: Query) -> Plan:
    return next(plan(listing, class_, query) for plan in PLANS if plan.serves(query))


def _items(plan: Plan, query: Query) -> tuple[Entity, ...]:
    """Return the window's objects in the query's order."""
    matches = plan.matches()
    return tuple(match.entity for match in (reversed(matches) if query.window.backward else matches))
