"""Travelling along ranges of an index: matches in the exact order of travel, read no further than needed."""

from collections.abc import Generator, Iterable, Iterator
from functools import cmp_to_key
from heapq import merge
from itertools import chain, groupby, islice
from typing import NamedTuple

from stratabase.domain.query.order import Order, comparator, compare_positions, position_of, sort_objects
from stratabase.model.model import Class
from stratabase.store.engine.port import Bounds
from stratabase.store.layout.access_path import AccessPath
from stratabase.store.layout.index_text import VALUE_END, first_values
from stratabase.store.query.index_bounds import IndexBounds, intersect
from stratabase.store.query.row_sources import IndexRows
from stratabase.store.query.rows import Row, distinct_rows
from stratabase.store.query.scan_order import (
    ScanOrder,
    ScanStart,
    bounds_beyond,
    bounds_from_start,
    bounds_within_run,
    scan_order,
)

_LARGEST_CHUNK = 1000
MAX_SORTED_RUN = 200
"""Objects of equal values that are sorted; more than these are read once more, in their own order."""


class ScanSource(NamedTuple):
    """What is travelled: the objects of a class in some ranges of an index."""

    class_: Class
    listing: IndexRows
    path: AccessPath
    reach: IndexBounds


class IndexScan:
    """One journey in an order of travel, from a start or from the first match on."""

    def __init__(self, ground: ScanSource, order: Order, start: ScanStart | None) -> None:
        self._ground = ground
        self._order = order
        self._start = start
        self._course: ScanOrder = scan_order(ground.path, ground.reach, order)

    def rows(self, wanted: int) -> Iterator[Row]:
        """Yield all matches in order; `wanted` of them will be asked for, more or less."""
        found = distinct_rows(
            self._merged(wanted) if self._course.merges_ranges else self._one_by_one(wanted)
        )
        if self._start is None:
            return found
        position, inclusive = self._start
        side, nearest = comparator(position, self._order, self._ground.class_), 0 if inclusive else 1
        return (match for match in found if side(match.state) >= nearest)

    def _one_by_one(self, wanted: int) -> Iterator[Row]:
        ranges = self._ranges()
        in_turn = reversed(ranges) if self._course.descending else ranges
        if self._course.reversible:
            return chain.from_iterable(self._turning(each, wanted) for each in in_turn)
        return self._runs(chain.from_iterable(self._read(each, wanted) for each in in_turn))

    def _merged(self, wanted: int) -> Iterator[Row]:
        travel = self._turning if self._course.reversible else self._plainly
        return merge(*(travel(each, wanted) for each in self._ranges()), key=cmp_to_key(self._compare))

    def _plainly(self, range_: Bounds, wanted: int) -> Iterator[Row]:
        return self._runs(self._read(range_, wanted))

    def _turning(self, range_: Bounds, wanted: int) -> Iterator[Row]:
        """Yield a range; what of it is a long run of equal values is read in the other direction."""
        left: Bounds | None = range_
        while left is not None:
            run = yield from self._until_long_run(left, wanted)
            left = None if run is None else intersect(left, bounds_beyond(run, self._course))
            if run is not None:
                yield from self._turned(run, wanted)

    def _until_long_run(self, range_: Bounds, wanted: int) -> Generator[Row, None, str | None]:
        """Yield the matches before the first long run, and return what its objects lie by."""
        columns = len(self._ground.path.columns)
        for text, run in self._grouped(self._read(range_, wanted), columns):
            first = list(islice(run, MAX_SORTED_RUN + 1))
            if len(first) > MAX_SORTED_RUN and text.count(VALUE_END) == columns:
                return text
            yield from self._sorted(chain(first, run))
        return None

    def _turned(self, run: str, wanted: int) -> Iterator[Row]:
        _, _, path, reach = self._ground
        within = bounds_within_run(path, reach, self._course, self._start, run)
        return self._read(within, wanted, down=not self._course.descending)

    def _compare(self, left: Row, right: Row) -> int:
        order = self._order
        return compare_positions(
            position_of(left.state, order), position_of(right.state, order), order, self._ground.class_
        )

    def _ranges(self) -> list[Bounds]:
        """Return the ranges as far as they lie beyond the start."""
        _, _, path, reach = self._ground
        start = self._start
        if start is None:
            return list(reach.ranges)
        onwards = (
            intersect(range_, bounds_from_start(path, reach, self._course, start, number))
            for number, range_ in enumerate(reach.ranges)
        )
        return [range_ for range_ in onwards if range_ is not None]

    def _read(self, range_: Bounds, wanted: int, *, down: bool | None = None) -> Iterator[Row]:
        """Yield a range in chunks, since an engine's own pages may be much more than is wanted."""
        listing, down = self._ground.listing, self._course.descending if down is None else down
        chunk, left = wanted, range_
        while True:
            last, met = None, 0
            for met, last in enumerate(listing.rows(left, backward=down, limit=chunk), start=1):  # noqa: B007
                yield last
            if last is None or met < chunk or listing.filters:
                return
            left = _after(left, last.sort_key(self._ground.path.index_name), down=down)
            chunk = min(2 * chunk, _LARGEST_CHUNK)

    def _runs(self, matches: Iterable[Row]) -> Iterator[Row]:
        """Yield matches as they come where the index has the order, and otherwise run by run, each sorted."""
        course, whole = self._course, len(self._ground.path.columns)
        for text, run in self._grouped(matches, whole if course.fully_ordered else course.run_columns):
            in_order = course.fully_ordered and text.count(VALUE_END) == whole
            yield from run if in_order else self._sorted(run)

    def _grouped(self, matches: Iterable[Row], columns: int) -> Iterator[tuple[str, Iterator[Row]]]:
        """Return runs of matches with equal first columns, as far as they were not cut, with their texts."""
        index_name = self._ground.path.index_name
        return groupby(matches, lambda match: first_values(match.index_text(index_name), columns))

    def _sorted(self, run: Iterable[Row]) -> Iterator[Row]:
        several = list(run)
        if len(several) == 1:
            return iter(several)
        return iter(sort_objects(several, lambda match: match.state, self._order, self._ground.class_))


def _after(bounds: Bounds, sort: str, *, down: bool) -> Bounds:
    """Return what is left of a range after the item that lies by `sort`."""
    if down:
        return bounds._replace(high=sort, high_included=False)
    return bounds._replace(low=sort, low_included=False)
