"""Scans ranges of an index: yields the matches in the order of the query, and reads no more than needed."""

from collections.abc import Generator, Iterable, Iterator
from functools import cmp_to_key
from heapq import merge
from itertools import chain, groupby, islice
from typing import NamedTuple

from stratabase.core.domain.query.order import Order, comparator, compare_positions, position_of, sort_objects
from stratabase.core.model.model import Class
from stratabase.core.store.engine.port import Bounds
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.access_path import SHORTEST_TRUNCATED, VALUE_END, AccessPath, first_values
from stratabase.core.store.query.index_bounds import IndexBounds, intersect
from stratabase.core.store.query.row_sources import IndexRows
from stratabase.core.store.query.rows import Row, distinct_rows, row_state
from stratabase.core.store.query.scan_strategy import ScanStart, ScanStrategy, scan_strategy

MAX_SORTED_RUN = 200
"""The maximum number of rows with equal values to sort in memory. A longer run is read in reverse instead."""


class ScanSource(NamedTuple):
    """The input of a scan: the objects of a class in some ranges of an index."""

    class_: Class
    index_rows: IndexRows
    path: AccessPath
    bounds: IndexBounds
    strategy: ScanStrategy | None = None
    """How to read the ranges in the reading order of the plan, if that is known."""


class IndexScan:
    """A scan of index ranges in a given order, from a start or from the first match.

    `wanted`, in all methods: the approximate number of rows that the caller will take.
    """

    def __init__(self, source: ScanSource, order: Order, start: ScanStart | None) -> None:
        self._source = source
        self._order = order
        self._start = start
        known = source.strategy
        self._strategy: ScanStrategy = (
            known
            if known is not None and known.order == order
            else scan_strategy(source.path, source.bounds, order)
        )

    def rows(self, wanted: int) -> Iterator[Row]:
        """Yield all matches from the start on, each once, in order."""
        # 1. Read the ranges from the approximate start. One more row shows where a run ends, or is the object
        #    at the start.
        needs_more = self._start is not None or not self._strategy.is_fully_sorted
        reads = self._merged if self._strategy.merges_ranges else self._one_after_another
        found = distinct_rows(reads(wanted + needs_more))
        if self._start is None:
            return found
        # 2. Skip rows before the exact start. Bounds cannot, if an index text is truncated or the order has
        #    terms that the index does not serve.
        position, inclusive = self._start
        compare, minimum = comparator(position, self._order, self._source.class_), 0 if inclusive else 1
        return (row for row in found if compare(row_state(row)) >= minimum)

    def _one_after_another(self, wanted: int) -> Iterator[Row]:
        ranges = self._ranges()
        in_order = reversed(ranges) if self._strategy.descending else ranges
        if self._strategy.reverses_ids:
            return chain.from_iterable(self._read_reversing_runs(each, wanted) for each in in_order)
        return self._sort_runs(chain.from_iterable(self._read(each, wanted) for each in in_order))

    def _merged(self, wanted: int) -> Iterator[Row]:
        read = self._read_reversing_runs if self._strategy.reverses_ids else self._read_sorting_runs
        return merge(*(read(each, wanted) for each in self._ranges()), key=cmp_to_key(self._compare))

    def _compare(self, left: Row, right: Row) -> int:
        order = self._order
        return compare_positions(
            position_of(row_state(left), order),
            position_of(row_state(right), order),
            order,
            self._source.class_,
        )

    def _ranges(self) -> list[Bounds]:
        """Return the ranges, cut at the start, in the order of the index."""
        all_ranges, start = self._source.bounds.ranges, self._start
        if start is None:
            return list(all_ranges)
        remaining = (
            intersect(range_, self._strategy.from_start(start, number))
            for number, range_ in enumerate(all_ranges)
        )
        return [range_ for range_ in remaining if range_ is not None]

    def _read_sorting_runs(self, range_: Bounds, wanted: int) -> Iterator[Row]:
        return self._sort_runs(self._read(range_, wanted))

    def _read_reversing_runs(self, range_: Bounds, wanted: int) -> Iterator[Row]:
        """Yield the rows of a range in which each run must be reversed.

        Sort short runs in memory. Read a long run again in the opposite direction, no further than needed.
        """
        remaining: Bounds | None = range_
        while remaining is not None:
            run = yield from self._until_long_run(remaining, wanted)
            remaining = None if run is None else intersect(remaining, self._strategy.beyond(run))
            if run is not None:
                within = self._strategy.within_reversed_run(self._start, run)
                yield from self._read(within, wanted, descending=not self._strategy.descending)

    def _until_long_run(self, range_: Bounds, wanted: int) -> Generator[Row, None, str | None]:
        """Yield the rows before the first long run. Return the index text of this run, if there is one."""
        columns = len(self._source.path.columns)
        for text, run in self._runs(self._read(range_, wanted), columns):
            first = list(islice(run, MAX_SORTED_RUN + 1))
            # Rows with the same truncated text may have different values, so they must be sorted.
            if len(first) > MAX_SORTED_RUN and text.count(VALUE_END) == columns:
                return text
            yield from self._sort(chain(first, run))
        return None

    def _read(self, range_: Bounds, wanted: int, *, descending: bool | None = None) -> Iterator[Row]:
        """Yield the rows of a range."""
        descending = self._strategy.descending if descending is None else descending
        return self._source.index_rows.rows(range_, backward=descending, wanted=wanted)

    def _sort_runs(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield rows in order: sort each run, unless the order of the index is that of the query."""
        columns = len(self._source.path.columns)
        if not self._strategy.is_fully_sorted:
            for _text, run in self._runs(rows, self._strategy.run_columns):
                yield from self._sort(run)
            return
        # The index has the order, but for rows whose values are cut. These have long texts.
        index_name, rows = self._source.path.index_name, iter(rows)
        for row in rows:
            if len(row[0].sort_in(index_name)) >= SHORTEST_TRUNCATED:
                break
            yield row
        else:
            return
        for text, run in self._runs(chain((row,), rows), columns):
            yield from run if text.count(VALUE_END) == columns else self._sort(run)

    def _runs(self, rows: Iterable[Row], columns: int) -> Iterator[tuple[str, Iterator[Row]]]:
        """Return runs of rows with equal first columns, as pairs (index text of these columns, rows)."""
        index_name = self._source.path.index_name
        return groupby(rows, lambda row: first_values(_index_text(row, index_name), columns))

    def _sort(self, run: Iterable[Row]) -> Iterator[Row]:
        rows = list(run)
        if len(rows) == 1:
            return iter(rows)
        return iter(sort_objects(rows, row_state, self._order, self._source.class_))


def _index_text(row: Row, index_name: str) -> str:
    """Return the values of an object in the sort key of an index, without the id."""
    item = row[0]
    return item.sort_in(index_name).removesuffix(keys.id_in(item.partition))
