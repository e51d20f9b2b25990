"""Which objects a filter names by their ids, so that they can be got by key."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from typing import Any, NamedTuple

from stratabase.domain.attributes import is_derived, type_of
from stratabase.domain.query.filter import And, Comparison, Filter, Or, conjuncts
from stratabase.model.model import Class
from stratabase.model.types.boolean import BooleanType
from stratabase.model.types.enumeration import EnumType
from stratabase.model.types.operators import Operator
from stratabase.store.layout.index_text import ABOVE_NOT_NULL, NOT_NULL, not_null_text, prefix_end, value_text

Ids = frozenset[str]


def named_ids(filter_: Filter | None) -> Ids | None:
    """Return ids of which every match has one; None where the filter does not say."""
    find = _FINDERS.get(type(filter_))
    return None if find is None else find(filter_)


def without_named_ids(filter_: Filter | None) -> Filter | None:
    """Return what of a filter is still to be tested of objects that it names."""
    left = tuple(part for part in conjuncts(filter_) if not _says_it_all(part))
    return And(left) if left else None


def _says_it_all(part: Filter) -> bool:
    return isinstance(part, Comparison) and named_ids(part) is not None


def _of_comparison(comparison: Comparison) -> Ids | None:
    find = _OPERATORS.get(comparison.operator) if comparison.attribute == "_id" else None
    return None if find is None else find(comparison.operand)


def _of_all(both: And) -> Ids | None:
    found = [ids for part in both.parts if (ids := named_ids(part)) is not None]
    return frozenset.intersection(*found) if found else None


def _of_any(either: Or) -> Ids | None:
    found = [named_ids(part) for part in either.parts]
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

ASSUMED_DISTINCT_VALUES = 100
"""How many values an attribute is believed to have."""

_BELOW_OR_ABOVE = 1 / 3
"""The share of objects that is believed to lie on one side of a value, or to pass any other test."""

_BEGINNING = 1 / 30
_NULL = 1 / 10


class Slice(NamedTuple):
    """A part of an index, after what lies before an attribute: texts from `low` up to, but not, `high`."""

    low: str
    high: str
    single: bool = False
    """It is that of one value, so that the index goes on with the next attribute."""


Slices = tuple[Slice, ...]
"""In the order of the index; none overlap."""


class IndexConstraint(NamedTuple):
    """What all comparisons of a filter with one attribute come to."""

    slices: Slices
    selectivity: float
    comparisons: tuple[Comparison, ...]


def index_constraints(filter_: Filter | None, class_: Class) -> Mapping[str, IndexConstraint]:
    """Return what a filter says of each attribute that it compares in a way that an index serves.

    No index is by `_id`, or by a derived attribute.
    """
    found: dict[str, IndexConstraint] = {}
    for part in conjuncts(filter_):
        if isinstance(part, Comparison) and part.operator in _SLICERS and _is_kept(class_, part.attribute):
            one = _constraint(part, class_)
            known = found.get(part.attribute)
            found[part.attribute] = one if known is None else _both(known, one)
    return found


def _is_kept(class_: Class, attribute: str) -> bool:
    return attribute != "_id" and not is_derived(class_, attribute)


def selectivity(parts: Iterable[Filter], class_: Class) -> float:
    """Return the share of objects that is believed to pass all of some filters."""
    return reduce(lambda share, part: share * _share(part, class_), parts, 1.0)


def _constraint(comparison: Comparison, class_: Class) -> IndexConstraint:
    index_text = type_of(class_, comparison.attribute).storage.index_text
    slices = _SLICERS[comparison.operator](
        comparison.operand, lambda value: None if value is None else index_text(value)
    )
    return IndexConstraint(slices, _share(comparison, class_), (comparison,))


def _both(one: IndexConstraint, other: IndexConstraint) -> IndexConstraint:
    slices = tuple(_common(one.slices, other.slices))
    return IndexConstraint(slices, one.selectivity * other.selectivity, one.comparisons + other.comparisons)


def _common(one: Slices, other: Slices) -> Iterator[Slice]:
    """Yield what lies in slices of both, in the order of the index; each is looked at once."""
    here, there = iter(one), iter(other)
    left, right = next(here, None), next(there, None)
    while left and right:
        met = _meeting(left, right)
        if met.low < met.high:
            yield met
        if left.high <= right.high:
            left = next(here, None)
        else:
            right = next(there, None)


def _meeting(one: Slice, other: Slice) -> Slice:
    return Slice(max(one.low, other.low), min(one.high, other.high), one.single or other.single)


def _share(part: Filter, class_: Class) -> float:
    if not isinstance(part, Comparison):
        return _BELOW_OR_ABOVE
    share = _SHARES.get(part.operator)
    return _BELOW_OR_ABOVE if share is None else share(part.operand, _distinct(class_, part.attribute))


def _distinct(class_: Class, attribute: str) -> int:
    type_ = type_of(class_, attribute)
    if isinstance(type_, BooleanType):
        return 2
    return max(1, len(type_.values)) if isinstance(type_, EnumType) else ASSUMED_DISTINCT_VALUES


_Text = Callable[[Any], str | None]


def _point(text: str | None) -> Slice:
    low = value_text(text)
    return Slice(low, prefix_end(low), single=True)


def _null(*, wanted: bool) -> Slices:
    return (_point(None),) if wanted else (Slice(NOT_NULL, ABOVE_NOT_NULL),)


def _points(operand: Iterable[Any], text: _Text) -> Slices:
    return tuple(sorted({_point(text(value)) for value in operand}))


def _starting(operand: str) -> Slices:
    low = not_null_text(operand)
    return (Slice(low, prefix_end(low)),)


_SLICERS: Mapping[Operator, Callable[[Any, _Text], Slices]] = {
    Operator.EQ: lambda operand, text: _points([operand], text),
    Operator.IN: _points,
    Operator.NULL: lambda operand, _: _null(wanted=operand),
    Operator.NOT_NULL: lambda operand, _: _null(wanted=not operand),
    Operator.LT: lambda operand, text: (Slice(NOT_NULL, value_text(text(operand))),),
    Operator.LTE: lambda operand, text: (Slice(NOT_NULL, prefix_end(value_text(text(operand)))),),
    Operator.GT: lambda operand, text: (Slice(prefix_end(value_text(text(operand))), ABOVE_NOT_NULL),),
    Operator.GTE: lambda operand, text: (Slice(value_text(text(operand)), ABOVE_NOT_NULL),),
    Operator.STARTS_WITH: lambda operand, _: _starting(operand),
}
"""The operators that an index serves: from an operand, and what makes index texts, to slices."""

_SHARES: Mapping[Operator, Callable[[Any, int], float]] = {
    Operator.EQ: lambda _, distinct: 1 / distinct,
    Operator.IN: lambda operand, distinct: min(1.0, len(operand) / distinct),
    Operator.NE: lambda _, distinct: 1 - 1 / distinct if distinct > 1 else 1.0,
    Operator.NOT_IN: lambda operand, distinct: max(1 / distinct, 1 - len(operand) / distinct),
    Operator.NULL: lambda operand, _: _NULL if operand else 1 - _NULL,
    Operator.NOT_NULL: lambda operand, _: 1 - _NULL if operand else _NULL,
    Operator.STARTS_WITH: lambda operand, _: _BEGINNING if operand else 1.0,
}
"""The share of objects that an operator is believed to leave, by its operand and the number of values."""
