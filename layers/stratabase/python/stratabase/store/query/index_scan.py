"""Reads ranges of an index: matches in the exact order of reading, and no further than needed."""

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
from stratabase.store.query.scan_order import ScanOrder, ScanStart, scan_order

_MAX_CHUNK = 1000

MAX_SORTED_RUN = 200
"""How many objects of equal values are sorted. A longer run is read once more, in its own order."""


class ScanSource(NamedTuple):
    """What is read: the objects of a class in some ranges of an index."""

    class_: Class
    index_rows: IndexRows
    path: AccessPath
    bounds: IndexBounds


class IndexScan:
    """One way through the ranges in an order of reading, from a start or from the first match on.

    `wanted`, in all methods: about how many rows the caller is going to take.
    """

    def __init__(self, source: ScanSource, order: Order, start: ScanStart | None) -> None:
        self._source = source
        self._order = order
        self._start = start
        self._scan_order: ScanOrder = scan_order(source.path, source.bounds, order)

    def rows(self, wanted: int) -> Iterator[Row]:
        """Yield all matches from the start on, each once, in order."""
        # 1. Read the ranges from about where the start lies.
        reads = self._merged if self._scan_order.merges_ranges else self._one_after_another
        found = distinct_rows(reads(wanted))
        if self._start is None:
            return found
        # 2. Leave out what the bounds could not: an index text may be truncated, or say less than the order.
        position, inclusive = self._start
        side, nearest = comparator(position, self._order, self._source.class_), 0 if inclusive else 1
        return (row for row in found if side(row.state) >= nearest)

    def _one_after_another(self, wanted: int) -> Iterator[Row]:
        ranges = self._ranges()
        in_order = reversed(ranges) if self._scan_order.descending else ranges
        if self._scan_order.is_reversible:
            return chain.from_iterable(self._read_reversing_runs(each, wanted) for each in in_order)
        return self._sort_runs(chain.from_iterable(self._read(each, wanted) for each in in_order))

    def _merged(self, wanted: int) -> Iterator[Row]:
        read = self._read_reversing_runs if self._scan_order.is_reversible else self._read_sorting_runs
        return merge(*(read(each, wanted) for each in self._ranges()), key=cmp_to_key(self._compare))

    def _compare(self, left: Row, right: Row) -> int:
        order = self._order
        return compare_positions(
            position_of(left.state, order), position_of(right.state, order), order, self._source.class_
        )

    def _ranges(self) -> list[Bounds]:
        """Return the ranges as far as they lie beyond the start, in the order of the index."""
        all_ranges, start = self._source.bounds.ranges, self._start
        if start is None:
            return list(all_ranges)
        left = (
            intersect(range_, self._scan_order.from_start(start, number))
            for number, range_ in enumerate(all_ranges)
        )
        return [range_ for range_ in left if range_ is not None]

    def _read_sorting_runs(self, range_: Bounds, wanted: int) -> Iterator[Row]:
        return self._sort_runs(self._read(range_, wanted))

    def _read_reversing_runs(self, range_: Bounds, wanted: int) -> Iterator[Row]:
        """Yield a range; a long run of equal values is read in the other direction, rather than sorted."""
        left: Bounds | None = range_
        while left is not None:
            run = yield from self._until_long_run(left, wanted)
            left = None if run is None else intersect(left, self._scan_order.beyond(run))
            if run is not None:
                within = self._scan_order.within_reversed_run(self._start, run)
                yield from self._read(within, wanted, descending=not self._scan_order.descending)

    def _until_long_run(self, range_: Bounds, wanted: int) -> Generator[Row, None, str | None]:
        """Yield the rows before the first long run, and return the index text of that run, if any."""
        columns = len(self._source.path.columns)
        for text, run in self._runs(self._read(range_, wanted), columns):
            first = list(islice(run, MAX_SORTED_RUN + 1))
            # A truncated text is no run of equal values: what was cut off may differ.
            if len(first) > MAX_SORTED_RUN and text.count(VALUE_END) == columns:
                return text
            yield from self._sort(chain(first, run))
        return None

    def _read(self, range_: Bounds, wanted: int, *, descending: bool | None = None) -> Iterator[Row]:
        """Yield a range in chunks, since an engine's own pages may be much more than is wanted."""
        index_rows = self._source.index_rows
        descending = self._scan_order.descending if descending is None else descending
        chunk, left = wanted, range_
        while True:
            last, count = None, 0
            for count, last in enumerate(index_rows.rows(left, backward=descending, limit=chunk), start=1):  # noqa: B007
                yield last
            if last is None or count < chunk or index_rows.filters:
                return
            left = _after(left, last.sort_key(self._source.path.index_name), descending=descending)
            chunk = min(2 * chunk, _MAX_CHUNK)

    def _sort_runs(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield rows as they come where the index has the order, and otherwise run by run, each sorted."""
        columns = len(self._source.path.columns)
        is_complete = self._scan_order.is_complete
        for text, run in self._runs(rows, columns if is_complete else self._scan_order.run_columns):
            in_order = is_complete and text.count(VALUE_END) == columns
            yield from run if in_order else self._sort(run)

    def _runs(self, rows: Iterable[Row], columns: int) -> Iterator[tuple[str, Iterator[Row]]]:
        """Return runs of rows with equal first columns, as (text of these columns, rows)."""
        index_name = self._source.path.index_name
        return groupby(rows, lambda row: first_values(row.index_text(index_name), columns))

    def _sort(self, run: Iterable[Row]) -> Iterator[Row]:
        rows = list(run)
        if len(rows) == 1:
            return iter(rows)
        return iter(sort_objects(rows, lambda row: row.state, self._order, self._source.class_))


def _after(bounds: Bounds, sort_key: str, *, descending: bool) -> Bounds:
    """Return what is left of a range after the item with a sort key."""
    if descending:
        return bounds._replace(high=sort_key, high_included=False)
    return bounds._replace(low=sort_key, low_included=False)
