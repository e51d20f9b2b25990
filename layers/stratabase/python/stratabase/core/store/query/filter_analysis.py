"""Derives from a filter what a plan can use: ids, ranges of values, and the share of objects that match.

- `index_constraints`: for each attribute, the ranges of an index that can contain matches. Only comparisons
  at the top level of the filter count, which AND joins (`conjuncts`).
- `unique_values`: the values of a uniqueness constraint that a match can have.
- `selectivity`: an estimate of the share of objects that match.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import product
from math import prod
from typing import Any, NamedTuple

from stratabase.core.domain.attributes import is_column, type_of
from stratabase.core.domain.objects.entity import State
from stratabase.core.domain.query.filter import (
    MATCH_NONE,
    And,
    Comparison,
    Filter,
    RoleFilter,
    conjuncts,
    ids_implied_by,
)
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Class, Model, Unique
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.layout.access_path import (
    ABOVE_NOT_NULL,
    NOT_NULL,
    not_null_text,
    prefix_end,
    value_text,
)

MAX_UNIQUE_VALUES = 100
"""The maximum number of values whose guards one plan reads."""


def without_named_ids(filter_: Filter | None) -> Filter | None:
    """Return the filter without the comparisons that `ids_implied_by` has used, None if nothing remains.

    Objects that were read by these ids must still match the result.
    """
    remaining = tuple(part for part in conjuncts(filter_) if not _only_names_ids(part))
    return And(remaining) if remaining else None


def _only_names_ids(part: Filter) -> bool:
    return isinstance(part, Comparison) and ids_implied_by(part) is not None


class ColumnRange(NamedTuple):
    """A range of values of one attribute, as index texts: from `low` (included) to `high` (excluded).

    In the sort key of an index, these texts follow those of the columns before the attribute's column.
    """

    low: str
    high: str
    is_single_value: bool = False
    """Whether the range contains one value only. Then the next column of the index can narrow it further."""


ColumnRanges = tuple[ColumnRange, ...]
"""Ranges of one attribute, in the order of the index, without overlaps."""


class IndexConstraint(NamedTuple):
    """All comparisons of a filter with one attribute, combined."""

    ranges: ColumnRanges
    """The values that match."""
    selectivity: float
    """The estimated share of objects that match the comparisons."""
    comparisons: tuple[Comparison, ...]


def index_constraints(filter_: Filter | None, class_: Class) -> Mapping[str, IndexConstraint]:
    """Return the constraints of a filter by attribute, from all comparisons that an index can serve.

    There are no indexes by `_id`, by derived attributes or by files.
    """
    found: dict[str, IndexConstraint] = {}
    for part in conjuncts(filter_):
        if (
            isinstance(part, Comparison)
            and part.operator in _RANGES_BY_OPERATOR
            and may_index(class_, part.attribute)
        ):
            constraint = _constraint(part, class_)
            known = found.get(part.attribute)
            found[part.attribute] = constraint if known is None else _both(known, constraint)
    return found


def may_index(class_: Class, name: str) -> bool:
    """Return whether an index can contain an attribute, or the key of a role."""
    return is_column(class_, name) and type_of(class_, name).indexable


def unique_values(filter_: Filter | None, unique: Unique) -> Sequence[State] | None:
    """Return the values of a uniqueness constraint that matches can have; None if the filter does not say.

    Several objects may have null, so the filter must exclude it. The guard of a value is also that of its
    other Unicode normalization forms, so the object that holds it need not match.
    """
    found: dict[str, tuple[Any, ...]] = {}
    for part in conjuncts(filter_):
        if isinstance(part, Comparison) and part.attribute in unique.attributes:
            values = _values_of(part)
            if values is not None and len(values) <= len(found.get(part.attribute, values)):
                found[part.attribute] = values
    if len(found) < len(unique.attributes) or prod(map(len, found.values())) > MAX_UNIQUE_VALUES:
        return None
    return [dict(zip(found, values, strict=True)) for values in product(*found.values())]


def _values_of(comparison: Comparison) -> tuple[Any, ...] | None:
    """Return the values that match a comparison, if these are a few values, and not null."""
    operand = comparison.operand
    if comparison.operator is Operator.EQ:
        return None if operand is None else (operand,)
    if comparison.operator is not Operator.IN or not isinstance(operand, tuple):
        return None
    values = tuple(dict.fromkeys(operand))
    return None if None in values or len(values) > MAX_UNIQUE_VALUES else values


def _constraint(comparison: Comparison, class_: Class) -> IndexConstraint:
    index_text = type_of(class_, comparison.attribute).storage.index_text
    ranges = _RANGES_BY_OPERATOR[comparison.operator](
        comparison.operand, lambda value: None if value is None else index_text(value)
    )
    return IndexConstraint(ranges, _selectivity(comparison, class_), (comparison,))


def _both(one: IndexConstraint, other: IndexConstraint) -> IndexConstraint:
    ranges = tuple(_intersections(one.ranges, other.ranges))
    return IndexConstraint(ranges, one.selectivity * other.selectivity, one.comparisons + other.comparisons)


def _intersections(one: ColumnRanges, other: ColumnRanges) -> Iterator[ColumnRange]:
    """Yield the intersections of two sequences of ranges, in the order of the index."""
    # Merge: both are sorted, so advance the one whose range ends first.
    lefts, rights = iter(one), iter(other)
    left, right = next(lefts, None), next(rights, None)
    while left and right:
        low, high = max(left.low, right.low), min(left.high, right.high)
        if low < high:
            yield ColumnRange(low, high, left.is_single_value or right.is_single_value)
        if left.high <= right.high:
            left = next(lefts, None)
        else:
            right = next(rights, None)


_TextOf = Callable[[Any], str | None]


def _single_value(text: str | None) -> ColumnRange:
    low = value_text(text)
    return ColumnRange(low, prefix_end(low), is_single_value=True)


def _single_values(operand: Iterable[Any], text_of: _TextOf) -> ColumnRanges:
    return tuple(sorted({_single_value(text_of(value)) for value in operand}))


def _null(*, wanted: bool) -> ColumnRanges:
    return (_single_value(None),) if wanted else (ColumnRange(NOT_NULL, ABOVE_NOT_NULL),)


def _prefix(text: str) -> ColumnRanges:
    low = not_null_text(text)
    return (ColumnRange(low, prefix_end(low)),)


def _several_ranges(operand: Sequence[Any], text_of: _TextOf) -> ColumnRanges:
    return tuple(
        ColumnRange(value_text(text_of(first)), prefix_end(value_text(text_of(last))))
        for first, last in zip(operand[::2], operand[1::2], strict=True)
    )


_RANGES_BY_OPERATOR: Mapping[Operator, Callable[[Any, _TextOf], ColumnRanges]] = {
    Operator.EQ: lambda operand, text_of: _single_values([operand], text_of),
    Operator.IN: _single_values,
    Operator.NULL: lambda operand, _: _null(wanted=operand),
    Operator.NOT_NULL: lambda operand, _: _null(wanted=not operand),
    Operator.LT: lambda operand, text_of: (ColumnRange(NOT_NULL, value_text(text_of(operand))),),
    Operator.LTE: lambda operand, text_of: (ColumnRange(NOT_NULL, prefix_end(value_text(text_of(operand)))),),
    Operator.GT: lambda operand, text_of: (
        ColumnRange(prefix_end(value_text(text_of(operand))), ABOVE_NOT_NULL),
    ),
    Operator.GTE: lambda operand, text_of: (ColumnRange(value_text(text_of(operand)), ABOVE_NOT_NULL),),
    Operator.STARTS_WITH: lambda operand, text_of: _prefix(text_of(operand) or ""),
    Operator.WITHIN: _several_ranges,
}
"""By operator that an index can serve: from the operand and the encoder of index texts to the ranges."""


# The store keeps no statistics. These shares are fixed guesses, and only their proportions matter.

ASSUMED_OBJECTS = 10_000
"""The assumed number of objects of a class. Only the proportions of estimates matter."""

ASSUMED_DISTINCT_VALUES = 100
"""The assumed number of distinct values of an attribute, unless its type says it."""

_OTHER_SHARE = 1 / 3
"""The assumed share of objects on one side of a value, and for all operators that are not listed."""

_PREFIX_SHARE = 1 / 30
_NULL_SHARE = 1 / 10


def selectivity(parts: Iterable[Filter], class_: Class, model: Model | None = None) -> float:
    """Return the estimated share of objects (0 to 1) that match all of several filters.

    `model`: to estimate filters on the objects that roles lead to.
    """
    parts = tuple(parts)
    share = reduce(lambda share, part: share * _selectivity(part, class_, model), parts, 1.0)
    for unique in class_.uniques if share else ():
        values = unique_values(And(parts), unique)
        if values is not None:
            share = min(share, len(values) / ASSUMED_OBJECTS)
    return share


def _selectivity(part: Filter, class_: Class, model: Model | None = None) -> float:
    if isinstance(part, RoleFilter) and model is not None:
        # All classes are assumed to have the same number of objects, so a role leads to few objects.
        target = model.classes.get(class_.roles[part.role.role_name].target)
        if target is not None:
            return min(1 - _NULL_SHARE, selectivity(conjuncts(part.part), target, model))
    if not isinstance(part, Comparison):
        return 0.0 if part == MATCH_NONE else _OTHER_SHARE
    share = _SHARES.get(part.operator)
    return _OTHER_SHARE if share is None else share(part.operand, _distinct_values(class_, part.attribute))


def _distinct_values(class_: Class, attribute: str) -> int:
    if attribute == ID or attribute in class_.roles:
        return ASSUMED_OBJECTS
    return type_of(class_, attribute).distinct_values or ASSUMED_DISTINCT_VALUES


_SHARES: Mapping[Operator, Callable[[Any, int], float]] = {
    Operator.EQ: lambda _, distinct: 1 / distinct,
    Operator.IN: lambda operand, distinct: min(1.0, len(set(operand)) / distinct),
    Operator.NE: lambda _, distinct: 1 - 1 / distinct if distinct > 1 else 1.0,
    Operator.NOT_IN: lambda operand, distinct: max(1 / distinct, 1 - len(set(operand)) / distinct),
    Operator.NULL: lambda operand, _: _NULL_SHARE if operand else 1 - _NULL_SHARE,
    Operator.NOT_NULL: lambda operand, _: 1 - _NULL_SHARE if operand else _NULL_SHARE,
    Operator.STARTS_WITH: lambda operand, _: _PREFIX_SHARE if operand else 1.0,
    Operator.WITHIN: lambda operand, distinct: min(1.0, len(operand) / 2 / distinct),
}
"""By operator: from the operand and the number of distinct values to the assumed share of matches."""
