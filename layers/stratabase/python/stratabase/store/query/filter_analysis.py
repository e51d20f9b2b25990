"""What a filter says that a plan can use: ids that it names, where in an index its matches lie, and how many.

Only the parts that an AND joins are looked at (`conjuncts`); ids are also found inside AND and OR.
"""

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


def ids_implied_by(filter_: Filter | None) -> Ids | None:
    """Return ids of which every match has one; None where the filter does not limit the ids."""
    find = _ID_FINDERS.get(type(filter_))
    return None if find is None else find(filter_)


def without_named_ids(filter_: Filter | None) -> Filter | None:
    """Return what of a filter an object with one of its `named_ids` may still fail; None for nothing."""
    left = tuple(part for part in conjuncts(filter_) if not _only_names_ids(part))
    return And(left) if left else None


def _only_names_ids(part: Filter) -> bool:
    return isinstance(part, Comparison) and ids_implied_by(part) is not None


def _ids_of_comparison(comparison: Comparison) -> Ids | None:
    find = _IDS_BY_OPERATOR.get(comparison.operator) if comparison.attribute == "_id" else None
    return None if find is None else find(comparison.operand)


def _ids_of_and(conjunction: And) -> Ids | None:
    found = [ids for part in conjunction.parts if (ids := ids_implied_by(part)) is not None]
    return frozenset.intersection(*found) if found else None


def _ids_of_or(disjunction: Or) -> Ids | None:
    # One part that does not limit the ids lets any id through.
    found = [ids_implied_by(part) for part in disjunction.parts]
    known = [ids for ids in found if ids is not None]
    return frozenset[str]().union(*known) if len(known) == len(found) else None


_ID_FINDERS: Mapping[type[Any], Callable[[Any], Ids | None]] = {
    Comparison: _ids_of_comparison,
    And: _ids_of_and,
    Or: _ids_of_or,
}

_IDS_BY_OPERATOR: Mapping[Operator, Callable[[Any], Ids | None]] = {
    Operator.EQ: lambda operand: frozenset([operand]) - {None},
    Operator.IN: lambda operand: frozenset(operand) - {None},
    Operator.NULL: lambda operand: frozenset() if operand else None,
    Operator.NOT_NULL: lambda operand: None if operand else frozenset(),
}
"""From the operand of a comparison with `_id` to the ids that pass it. No id is null."""


class Slice(NamedTuple):
    """Where values of one attribute lie in an index: texts from `low` up to, but not including, `high`.

    The texts are those behind the columns that come before the attribute's.
    """

    low: str
    high: str
    is_single: bool = False
    """Only one value lies in it, so that the next column of the index orders what is in it."""


Slices = tuple[Slice, ...]
"""In the order of the index; none overlap."""


class IndexConstraint(NamedTuple):
    """What all comparisons of a filter with one attribute come to."""

    slices: Slices
    selectivity: float
    """The share of objects that is believed to pass the comparisons."""
    comparisons: tuple[Comparison, ...]


def index_constraints(filter_: Filter | None, class_: Class) -> Mapping[str, IndexConstraint]:
    """Return what a filter says of each attribute that it compares in a way that an index serves.

    No index is by `_id`, or by a derived attribute.
    """
    found: dict[str, IndexConstraint] = {}
    for part in conjuncts(filter_):
        if isinstance(part, Comparison) and part.operator in _SLICERS and _may_index(class_, part.attribute):
            constraint = _constraint(part, class_)
            known = found.get(part.attribute)
            found[part.attribute] = constraint if known is None else _both(known, constraint)
    return found


def _may_index(class_: Class, attribute: str) -> bool:
    return attribute != "_id" and not is_derived(class_, attribute)


def _constraint(comparison: Comparison, class_: Class) -> IndexConstraint:
    index_text = type_of(class_, comparison.attribute).storage.index_text
    slices = _SLICERS[comparison.operator](
        comparison.operand, lambda value: None if value is None else index_text(value)
    )
    return IndexConstraint(slices, _selectivity(comparison, class_), (comparison,))


def _both(one: IndexConstraint, other: IndexConstraint) -> IndexConstraint:
    slices = tuple(_intersections(one.slices, other.slices))
    return IndexConstraint(slices, one.selectivity * other.selectivity, one.comparisons + other.comparisons)


def _intersections(one: Slices, other: Slices) -> Iterator[Slice]:
    """Yield what lies in slices of both, in the order of the index, in one pass over each."""
    lefts, rights = iter(one), iter(other)
    left, right = next(lefts, None), next(rights, None)
    while left and right:
        low, high = max(left.low, right.low), min(left.high, right.high)
        if low < high:
            yield Slice(low, high, left.is_single or right.is_single)
        if left.high <= right.high:
            left = next(lefts, None)
        else:
            right = next(rights, None)


_TextOf = Callable[[Any], str | None]


def _point(text: str | None) -> Slice:
    low = value_text(text)
    return Slice(low, prefix_end(low), is_single=True)


def _points(operand: Iterable[Any], text_of: _TextOf) -> Slices:
    return tuple(sorted({_point(text_of(value)) for value in operand}))


def _null(*, wanted: bool) -> Slices:
    return (_point(None),) if wanted else (Slice(NOT_NULL, ABOVE_NOT_NULL),)


def _prefix(operand: str) -> Slices:
    low = not_null_text(operand)
    return (Slice(low, prefix_end(low)),)


_SLICERS: Mapping[Operator, Callable[[Any, _TextOf], Slices]] = {
    Operator.EQ: lambda operand, text_of: _points([operand], text_of),
    Operator.IN: _points,
    Operator.NULL: lambda operand, _: _null(wanted=operand),
    Operator.NOT_NULL: lambda operand, _: _null(wanted=not operand),
    Operator.LT: lambda operand, text_of: (Slice(NOT_NULL, value_text(text_of(operand))),),
    Operator.LTE: lambda operand, text_of: (Slice(NOT_NULL, prefix_end(value_text(text_of(operand)))),),
    Operator.GT: lambda operand, text_of: (Slice(prefix_end(value_text(text_of(operand))), ABOVE_NOT_NULL),),
    Operator.GTE: lambda operand, text_of: (Slice(value_text(text_of(operand)), ABOVE_NOT_NULL),),
    Operator.STARTS_WITH: lambda operand, _: _prefix(operand),
}
"""The operators that an index serves: from an operand, and the type's index text of a value, to slices."""


# The store keeps no statistics: the shares are guesses, and only their proportions matter.

ASSUMED_DISTINCT_VALUES = 100
"""How many values an attribute is believed to have, unless its type says it."""

_OTHER_SHARE = 1 / 3
"""The share of objects that is believed to lie on one side of a value, or to pass any other test."""

_PREFIX_SHARE = 1 / 30
_NULL_SHARE = 1 / 10


def selectivity(parts: Iterable[Filter], class_: Class) -> float:
    """Return the share of objects, 0 to 1, that is believed to pass all of some filters."""
    return reduce(lambda share, part: share * _selectivity(part, class_), parts, 1.0)


def _selectivity(part: Filter, class_: Class) -> float:
    if not isinstance(part, Comparison):
        return _OTHER_SHARE
    share = _SHARES.get(part.operator)
    return _OTHER_SHARE if share is None else share(part.operand, _distinct_values(class_, part.attribute))


def _distinct_values(class_: Class, attribute: str) -> int:
    type_ = type_of(class_, attribute)
    if isinstance(type_, BooleanType):
        return 2
    return max(1, len(type_.values)) if isinstance(type_, EnumType) else ASSUMED_DISTINCT_VALUES


_SHARES: Mapping[Operator, Callable[[Any, int], float]] = {
    Operator.EQ: lambda _, distinct: 1 / distinct,
    Operator.IN: lambda operand, distinct: min(1.0, len(operand) / distinct),
    Operator.NE: lambda _, distinct: 1 - 1 / distinct if distinct > 1 else 1.0,
    Operator.NOT_IN: lambda operand, distinct: max(1 / distinct, 1 - len(operand) / distinct),
    Operator.NULL: lambda operand, _: _NULL_SHARE if operand else 1 - _NULL_SHARE,
    Operator.NOT_NULL: lambda operand, _: 1 - _NULL_SHARE if operand else _NULL_SHARE,
    Operator.STARTS_WITH: lambda operand, _: _PREFIX_SHARE if operand else 1.0,
}
"""From the operand and the number of distinct values to the share of objects that is believed to pass."""
