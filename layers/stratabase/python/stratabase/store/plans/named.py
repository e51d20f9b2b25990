"""Which objects a filter names by their ids, so that they can be got by key."""

from collections.abc import Callable, Mapping
from typing import Any

from stratabase.domain.filter import And, Comparison, Filter, Or, conjuncts
from stratabase.model.operator import Operator

Ids = frozenset[str]


def named(filter_: Filter | None) -> Ids | None:
    """Return ids of which every match has one; None where the filter does not say."""
    find = _FINDERS.get(type(filter_))
    return None if find is None else find(filter_)


def rest(filter_: Filter | None) -> Filter | None:
    """Return what of a filter is still to be tested of objects that it names."""
    left = tuple(part for part in conjuncts(filter_) if not _says_it_all(part))
    return And(left) if left else None


def _says_it_all(part: Filter) -> bool:
    return isinstance(part, Comparison) and named(part) is not None


def _of_comparison(comparison: Comparison) -> Ids | None:
    find = _OPERATORS.get(comparison.operator) if comparison.attribute == "_id" else None
    return None if find is None else find(comparison.operand)


def _of_all(both: And) -> Ids | None:
    found = [ids for part in both.parts if (ids := named(part)) is not None]
    return frozenset.intersection(*found) if found else None


def _of_any(either: Or) -> Ids | None:
    found = [named(part) for part in either.parts]
    known = [ids for ids in found if ids is not None]
    return frozenset[str]().union(*known) if len(known) == len(found) else None


_FINDERS: Mapping[type[Any], Callable[[Any], Ids | None]] = {
    Comparison: _of_comparison,
    And: _of_all,
    Or: _of_any,
}

_OPERATORS: Mapping[Operator, Callable[[Any], Ids | None]] = {
    Operator.EQ: lambda operand: frozenset([operand]) - {None},
    Operator.IN: lambda operand: frozenset(operand) - {None},
    Operator.NULL: lambda operand: frozenset() if operand else None,
    Operator.NOT_NULL: lambda operand: None if operand else frozenset(),
}
"""From a comparison's operand to the ids that it lets through; no id is null."""
