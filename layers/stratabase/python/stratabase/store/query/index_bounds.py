"""The ranges of an index in which all matches of a filter lie."""

from collections.abc import Iterator, Mapping
from math import prod
from typing import NamedTuple

from stratabase.domain.query.filter import And, Comparison, Filter, conjuncts
from stratabase.store.engine.port import Bounds
from stratabase.store.layout.access_path import AccessPath
from stratabase.store.layout.index_text import is_truncated, prefix_end, truncate
from stratabase.store.query.filter_analysis import IndexConstraint

MAX_RANGES = 100
"""How many ranges a page may be put together from."""


class IndexBounds(NamedTuple):
    """What of an index a filter leaves to be read."""

    ranges: tuple[Bounds, ...]
    """In the order of the index; none overlap."""
    prefixes: tuple[str, ...]
    """For each range, the index text of the single values of the first `prefix_columns` columns."""
    prefix_columns: int
    fixed: Mapping[str, str]
    """The attributes that have one value in all ranges, with its index text."""
    covered: tuple[Comparison, ...]
    """The comparisons that the ranges stand for."""
    is_exact: bool
    """No bound was truncated: nothing lies in the ranges that the covered comparisons do not let through."""
    selectivity: float
    """The share of the objects, 0 to 1, that is believed to lie in the ranges."""

    def residual_filter(self, filter_: Filter | None) -> Filter | None:
        """Return what of the filter is still to be tested of what lies in the ranges; None for nothing."""
        if not self.is_exact:
            return filter_
        left = tuple(part for part in conjuncts(filter_) if part not in self.covered)
        return And(left) if left else None


def index_bounds(path: AccessPath, constraints: Mapping[str, IndexConstraint]) -> IndexBounds:
    """Return the ranges of an index that constraints on its first columns leave (by attribute).

    Constraints to single values of the first columns make prefixes: every combination is one. One constraint
    of another kind may follow and divides each prefix into ranges. What comes behind it is no use.
    """
    singles, last = _leading_constraints(path, constraints)
    prefixes = [""]
    for constraint in singles.values():
        prefixes = [prefix + slice_.low for prefix in prefixes for slice_ in constraint.slices]
    ends = [end for prefix in prefixes for end in _ends(prefix, last)]
    # Values that are truncated to the same text lie in the same range: of those, the first prefix stays.
    prefix_of = {_bounds(low, high): prefix for prefix, low, high in reversed(ends)}
    used = [*singles.values(), *filter(None, [last])]
    return IndexBounds(
        ranges=tuple(reversed(prefix_of)),
        prefixes=tuple(reversed(prefix_of.values())),
        prefix_columns=len(singles),
        fixed={name: one.slices[0].low for name, one in singles.items() if len(one.slices) == 1},
        covered=tuple(comparison for one in used for comparison in one.comparisons),
        is_exact=not any(is_truncated(low) or is_truncated(high) for _, low, high in ends),
        selectivity=prod(one.selectivity for one in used),
    )


def _leading_constraints(
    path: AccessPath, constraints: Mapping[str, IndexConstraint]
) -> tuple[dict[str, IndexConstraint], IndexConstraint | None]:
    """Return the constraints to single values of the first columns, and the one behind them, if any."""
    singles: dict[str, IndexConstraint] = {}
    ranges = 1
    for column in path.columns:
        constraint = constraints.get(column.attribute)
        ranges *= 0 if constraint is None else len(constraint.slices)
        if constraint is None or ranges > MAX_RANGES:
            break
        if not all(slice_.is_single for slice_ in constraint.slices):
            return singles, constraint
        singles[column.attribute] = constraint
    return singles, None


def _ends(prefix: str, last: IndexConstraint | None) -> Iterator[tuple[str, str, str]]:
    """Yield, for each range behind a prefix, the prefix, and the texts where the range begins and ends."""
    if last is None:
        yield prefix, prefix, prefix_end(prefix) if prefix else ""
    else:
        yield from ((prefix, prefix + slice_.low, prefix + slice_.high) for slice_ in last.slices)


def _bounds(low: str, high: str) -> Bounds:
    """Return the part of the index between two texts, the second excluded; "" is open."""
    above = prefix_end(truncate(high)) if is_truncated(high) else high
    return Bounds(truncate(low) or None, above or None, high_included=False)


def intersect(range_: Bounds, within: Bounds) -> Bounds | None:
    """Return what of a range lies within other bounds; None for nothing."""
    lows = [(each.low, not each.low_included) for each in (range_, within) if each.low is not None]
    highs = [(each.high, each.high_included) for each in (range_, within) if each.high is not None]
    low, low_excluded = max(lows, default=(None, False))
    high, high_included = min(highs, default=(None, True))
    if low is not None and high is not None and low >= high:
        admits_one_text = low == high and not low_excluded and high_included
        return Bounds(low, high) if admits_one_text else None
    return Bounds(low, high, not low_excluded, high_included)
