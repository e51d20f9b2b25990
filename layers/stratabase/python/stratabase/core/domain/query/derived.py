"""The parts of a query that are computed before a test or a sort: derived attributes and role filters."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from stratabase.core.domain.objects.entity import Entity
from stratabase.core.domain.query.filter import (
    And,
    Comparison,
    ExpressionFilter,
    Filter,
    FlagFilter,
    Not,
    Or,
    RoleFilter,
    conjuncts,
)
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Page, Query, Window
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Class

Derive = Callable[[Sequence[Entity]], Sequence[Entity]]
"""A function that adds to the states of objects the values that a query computes, in the same order."""

Related = Callable[[Query, ReadBudget], Page]
"""A function that returns a page of another class, of the objects that the caller sees, within a budget."""


class FilterParts(NamedTuple):
    """A filter split in two. Both parts must hold; None matches everything."""

    stored: Filter | None
    """The part that only needs stored values."""
    derived: Filter | None
    """The part that needs derived values, flags, or results of role filters in the state."""


def split_filter(filter_: Filter | None, class_: Class) -> FilterParts:
    """Split a filter on objects of a class into its stored and its derived part."""
    stored: list[Filter] = []
    derived: list[Filter] = []
    for part in conjuncts(filter_):
        is_stored = not any(name in class_.derived for name in filtered_attributes(part))
        (stored if is_stored and not _tests_marks(part) else derived).append(part)
    return FilterParts(_all(stored), _all(derived))


def _tests_marks(filter_: Filter) -> bool:
    """Return whether a filter tests marks, which a state has only after they were computed."""
    if isinstance(filter_, And | Or):
        return any(map(_tests_marks, filter_.parts))
    return (
        _tests_marks(filter_.part)
        if isinstance(filter_, Not)
        else isinstance(filter_, FlagFilter | RoleFilter)
    )


def _all(parts: Sequence[Filter]) -> Filter | None:
    return And(tuple(parts)) if len(parts) > 1 else next(iter(parts), None)


def filtered_attributes(filter_: Filter) -> Iterator[str]:
    """Yield the attributes that a filter uses, including `_id`, without those of other objects."""
    yield from _ATTRIBUTES[type(filter_)](filter_)


def _of_junction(junction: And | Or) -> Iterator[str]:
    for part in junction.parts:
        yield from filtered_attributes(part)


_ATTRIBUTES: Mapping[type[Any], Callable[[Any], Iterator[str]]] = {
    Comparison: lambda comparison: iter((comparison.attribute,)),
    And: _of_junction,
    Or: _of_junction,
    Not: lambda negation: filtered_attributes(negation.part),
    ExpressionFilter: lambda condition: (path[0] for path in condition.expression.paths),
    FlagFilter: lambda _: iter(()),
    RoleFilter: lambda _: iter(()),
}


def role_filters(filter_: Filter | None) -> Iterator[RoleFilter]:
    """Yield the role filters that a filter on objects of one class consists of, without nested ones."""
    if isinstance(filter_, RoleFilter):
        yield filter_
    elif isinstance(filter_, And | Or):
        for part in filter_.parts:
            yield from role_filters(part)
    elif isinstance(filter_, Not):
        yield from role_filters(filter_.part)


def role_levels(filter_: Filter) -> int:
    """Return how many roles a filter follows one after the other: 0 if it has no role filter."""
    return max((1 + role_levels(condition.part) for condition in role_filters(filter_)), default=0)


class Computed(NamedTuple):
    """What must be in the state of an object, beside its stored values, before it is tested or sorted."""

    derived: tuple[str, ...] = ()
    """The derived attributes."""
    roles: tuple[RoleFilter, ...] = ()
    """The role filters, whose results a state has under their marks. Nested ones are not among them."""

    def __bool__(self) -> bool:
        """Whether there is anything to compute."""
        return bool(self.derived or self.roles)


def computed_parts(query: Query, class_: Class) -> Computed:
    """Return what a query's filter and order need, each once."""
    names = [term.attribute for term in query.order.terms]
    if query.fields.totals is not None:
        names += query.fields.totals
    return _computed(query.filter, class_, names)


def computed_for_filter(filter_: Filter, class_: Class) -> Computed:
    """Return what a filter on objects of a class needs, each once."""
    return _computed(filter_, class_, [])


def _computed(filter_: Filter | None, class_: Class, names: list[str]) -> Computed:
    roles = tuple(dict.fromkeys(role_filters(filter_)))
    if not class_.derived:
        return Computed((), roles)
    names += () if filter_ is None else filtered_attributes(filter_)
    return Computed(tuple(dict.fromkeys(name for name in names if name in class_.derived)), roles)


def simplify(query: Query) -> Query:
    """Return an equivalent query: one that only counts objects needs no order and no window."""
    fields = query.fields
    if fields.items or fields.has_next or fields.has_prev:
        return query
    return replace(query, order=Order(), window=Window())
