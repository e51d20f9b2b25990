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
    """In the order of the index."""
    prefixes: tuple[str, ...]
    """For each range, the text of the single values of the first `depth` columns."""
    prefix_columns: int
    fixed: Mapping[str, str]
    """Attributes that have one value in all ranges, with its text."""
    covered: tuple[Comparison, ...]
    """The comparisons that the ranges stand for."""
    exact: bool
    """No bound was cut: the ranges hold nothing but what these comparisons let through."""
    selectivity: float
    """The share of the objects that is believed to lie in the ranges."""

    def residual_filter(self, filter_: Filter | None) -> Filter | None:
        """Return what of the filter is still to be tested."""
        if not self.exact:
            return filter_
        left = tuple(part for part in conjuncts(filter_) if part not in self.covered)
        return And(left) if left else None


def index_bounds(path: AccessPath, constraints: Mapping[str, IndexConstraint]) -> IndexBounds:
    """Return the ranges of an index that constraints on its first columns leave."""
    singles, last = _leading(path, constraints)
    prefixes = [""]
    for one in singles.values():
        prefixes = [prefix + slice_.low for prefix in prefixes for slice_ in one.slices]
    ends = [end for prefix in prefixes for end in _ends(prefix, last)]
    # Values that are cut to the same text lie in the same range.
    ranges = {_bounds(*end): prefix for prefix, *end in reversed(ends)}
    used = [*singles.values(), *filter(None, [last])]
    return IndexBounds(
        tuple(reversed(ranges)),
        tuple(reversed(ranges.values())),
        len(singles),
        {name: one.slices[0].low for name, one in singles.items() if len(one.slices) == 1},
        tuple(comparison for one in used for comparison in one.comparisons),
        not any(is_truncated(low) or is_truncated(high) for _, low, high in ends),
        prod(one.selectivity for one in used),
    )


def _ends(prefix: str, last: IndexConstraint | None) -> Iterator[tuple[str, str, str]]:
    """Yield where ranges behind a prefix begin and end."""
    if last is None:
        yield prefix, prefix, prefix_end(prefix) if prefix else ""
    else:
        yield from ((prefix, prefix + slice_.low, prefix + slice_.high) for slice_ in last.slices)


def _leading(
    path: AccessPath, constraints: Mapping[str, IndexConstraint]
) -> tuple[dict[str, IndexConstraint], IndexConstraint | None]:
    """Return the constraints to single values of the first columns, and perhaps one that follows them."""
    singles: dict[str, IndexConstraint] = {}
    ranges = 1
    for column in path.columns:
        one = constraints.get(column.attribute)
        ranges *= 0 if one is None else len(one.slices)
        if one is None or ranges > MAX_RANGES:
            break
        if not all(slice_.single for slice_ in one.slices):
            return singles, one
        singles[column.attribute] = one
    return singles, None


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
    bounds = Bounds(low, high, not low_excluded, high_included)
    return None if low is not None and high is not None and low >= high and not _is_one(bounds) else bounds


def _is_one(bounds: Bounds) -> bool:
    """Return whether bounds admit one text."""
    return bounds.low == bounds.high and bounds.low_included and bounds.high_included
