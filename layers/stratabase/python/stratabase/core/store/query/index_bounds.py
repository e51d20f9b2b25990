"""Converts the constraints of a filter into the ranges of an index that contain all matches.

This is where a filter becomes index ranges. Take an index by `city, age` and the filter
`city in ["Bern", "Basel"] AND age > 30`:

1. `city` has single values only. So each value is a prefix of sort keys: "Basel", "Bern".
2. `age` has a range of values. So each prefix gets a range: behind "Basel, 30", and behind "Bern, 30".
3. The next column, if there were one, could not narrow the ranges any further.
"""

from collections.abc import Iterator, Mapping
from math import prod
from typing import NamedTuple

from stratabase.core.domain.query.filter import And, Comparison, Filter, conjuncts
from stratabase.core.store.engine.port import Bounds
from stratabase.core.store.layout.access_path import (
    ABOVE_NOT_NULL,
    AccessPath,
    is_truncated,
    prefix_end,
    truncate,
)
from stratabase.core.store.query.filter_analysis import IndexConstraint

MAX_RANGES = 100
"""The maximum number of ranges that one plan reads."""


class IndexBounds(NamedTuple):
    """The part of an index that contains all matches of a filter."""

    ranges: tuple[Bounds, ...]
    """In the order of the index, without overlaps."""
    prefixes: tuple[str, ...]
    """For each range, the index texts of its values in the first `prefix_columns` columns, concatenated."""
    prefix_columns: int
    """The number of first columns that have a single value in each range."""
    fixed: Mapping[str, str]
    """By attribute that has the same value in all ranges: the index text of this value."""
    covered: tuple[Comparison, ...]
    """The comparisons that every object in the ranges matches, if `is_exact`."""
    is_exact: bool
    """Whether no bound is truncated. Truncated ranges may contain objects that do not match."""
    selectivity: float
    """The estimated share of all objects (0 to 1) that lie in the ranges."""

    def residual_filter(self, filter_: Filter | None) -> Filter | None:
        """Return the part of a filter that objects in the ranges may fail, None if there is none."""
        if not self.is_exact or not (self.covered or isinstance(filter_, And)):
            return filter_
        remaining = tuple(part for part in conjuncts(filter_) if part not in self.covered)
        return And(remaining) if remaining else None


WHOLE_INDEX = IndexBounds((Bounds(high_included=False),), ("",), 0, {}, (), is_exact=True, selectivity=1.0)


def index_bounds(path: AccessPath, constraints: Mapping[str, IndexConstraint]) -> IndexBounds:
    """Return the part of an index that constraints leave. `constraints`: by attribute."""
    if path.columns and path.columns[0].attribute not in constraints:
        return WHOLE_INDEX
    # 1. Single values of the first columns: each combination is a prefix of sort keys.
    single_valued, range_constraint = _leading_constraints(path, constraints)
    prefixes = [""]
    for constraint in single_valued.values():
        prefixes = [prefix + range_.low for prefix in prefixes for range_ in constraint.ranges]
    # 2. The first column with a range of values divides each prefix into ranges. Later columns are of no use.
    ends = [end for prefix in prefixes for end in _range_ends(prefix, range_constraint)]
    # 3. Long texts are truncated, so different values can have the same range. Keep it once, with its first
    #    prefix: since `ends` is reversed, the first one is set last.
    prefix_of = {_bounds(low, high): prefix for prefix, low, high in reversed(ends)}
    used = [*single_valued.values(), *filter(None, [range_constraint])]
    return IndexBounds(
        ranges=tuple(reversed(prefix_of)),
        prefixes=tuple(reversed(prefix_of.values())),
        prefix_columns=len(single_valued),
        fixed={name: one.ranges[0].low for name, one in single_valued.items() if len(one.ranges) == 1},
        covered=tuple(comparison for one in used for comparison in one.comparisons),
        is_exact=not any(is_truncated(low) or is_truncated(high) for _, low, high in ends),
        selectivity=prod(one.selectivity for one in used),
    )


def _leading_constraints(
    path: AccessPath, constraints: Mapping[str, IndexConstraint]
) -> tuple[dict[str, IndexConstraint], IndexConstraint | None]:
    """Return the constraints to single values of the first columns, and the range constraint after them.

    Stop before there are more than MAX_RANGES combinations of values.
    """
    single_valued: dict[str, IndexConstraint] = {}
    combinations = 1
    for column in path.columns:
        constraint = constraints.get(column.attribute)
        combinations *= 0 if constraint is None else len(constraint.ranges)
        if constraint is None or combinations > MAX_RANGES:
            break
        if not all(range_.is_single_value for range_ in constraint.ranges):
            return single_valued, constraint
        single_valued[column.attribute] = constraint
    return single_valued, None


def _range_ends(prefix: str, range_constraint: IndexConstraint | None) -> Iterator[tuple[str, str, str]]:
    """Yield, for each range behind a prefix, the prefix, and the texts where the range begins and ends."""
    if range_constraint is None:
        yield prefix, prefix, prefix_end(prefix) if prefix else ""
    else:
        yield from ((prefix, prefix + range_.low, prefix + range_.high) for range_ in range_constraint.ranges)


def _bounds(low: str, high: str) -> Bounds:
    """Return the range of sort keys from `low` (included) to `high` (excluded). An end that is "" is open."""
    end = prefix_end(truncate(high)) if is_truncated(high) else high
    if end == ABOVE_NOT_NULL:
        end = ""  # no sort key is greater, so that the engine need not compare each one
    return Bounds(truncate(low) or None, end or None, high_included=False)


def intersect(range_: Bounds, within: Bounds) -> Bounds | None:
    """Return the intersection of two ranges, None if it is empty."""
    lows = [(each.low, not each.low_included) for each in (range_, within) if each.low is not None]
    highs = [(each.high, each.high_included) for each in (range_, within) if each.high is not None]
    low, low_excluded = max(lows, default=(None, False))
    high, high_included = min(highs, default=(None, True))
    if low is not None and high is not None and low >= high:
        admits_one_text = low == high and not low_excluded and high_included
        return Bounds(low, high) if admits_one_text else None
    return Bounds(low, high, not low_excluded, high_included)
