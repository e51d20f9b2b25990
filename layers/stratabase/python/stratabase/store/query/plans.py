"""The plans: how the rows of a query's window are found.

A plan reads from the window's start in the order of reading: the query's order, or its reverse for a window
that is taken backward. Ahead is what comes behind the window in this order, and behind is what comes before
it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple, Protocol

from stratabase.domain.objects.entity import State
from stratabase.domain.query.order import Order, Position, comparator, sort_objects
from stratabase.domain.query.page import Query, Window
from stratabase.model.model import Class
from stratabase.store.engine.port import UNBOUNDED, Bounds
from stratabase.store.query.index_scan import IndexScan, ScanSource
from stratabase.store.query.row_sources import RowSource
from stratabase.store.query.rows import Row, distinct_rows
from stratabase.store.query.scan_order import ScanStart


class QueryPlan(Protocol):
    """A way to find the rows of a window. Nothing is read before it is asked for."""

    def rows(self) -> Sequence[Row]:
        """Return the matches in the window, in the order of reading."""

    def has_ahead(self) -> bool:
        """Return whether a match lies ahead of the window; asked only when the query wants to know."""

    def has_behind(self) -> bool:
        """Return whether a match lies behind the window."""

    def count(self) -> int:
        """Return how many match in all."""


def reading_order(query: Query) -> Order:
    """Return the order in which a plan reads the matches."""
    return query.order.reversed() if query.window.backward else query.order


class _OrderedRead(NamedTuple):
    """What was read: how many rows were passed over, and the window's rows with perhaps the one ahead."""

    passed: int
    rows: list[Row]


class OrderedPlan(ABC):
    """Reads rows that come in the order of reading: from the window's start, over the offset, to its end."""

    def __init__(self, query: Query) -> None:
        window, wanted = query.window, query.fields
        self._window = window
        self._wanted = window.size + (wanted.has_prev if window.backward else wanted.has_next)

    @abstractmethod
    def _rows_from_start(self, most: int) -> Iterator[Row]:
        """Yield the matches from the window's start on; at most so many are asked for."""

    @abstractmethod
    def _any_before_start(self) -> bool:
        """Return whether a match lies on the other side of the window's start. It has a start."""

    @cached_property
    def _read(self) -> _OrderedRead:
        rows = self._rows_from_start(self._window.offset + self._wanted)
        passed = sum(1 for _ in islice(rows, self._window.offset))
        return _OrderedRead(passed, list(islice(rows, self._wanted)))

    def rows(self) -> Sequence[Row]:
        """Return the matches in the window, in the order of reading."""
        return self._read.rows[: self._window.size]

    def has_ahead(self) -> bool:
        """Return whether a match lies ahead of the window."""
        return len(self._read.rows) > self._window.size

    def has_behind(self) -> bool:
        """Return whether a match was passed over, or lies on the other side of the start."""
        if self._window.offset and self._read.passed:
            return True
        return self._window.start is not None and self._any_before_start()


class IdOrderPlan(OrderedPlan):
    """Reads a source whose rows come in the order of the ids, as the query wants them."""

    def __init__(self, source: RowSource, query: Query) -> None:
        super().__init__(query)
        self._source = source
        self._descending = reading_order(query).terms[0].descending

    @staticmethod
    def serves(query: Query) -> bool:
        """Return whether the order is that of the ids; counting what a filter matches takes a scan anyway."""
        counts_matches = query.fields.total_count and query.filter is not None
        return query.order.terms[0].attribute == "_id" and _is_id(query.window.start) and not counts_matches

    def _rows_from_start(self, most: int) -> Iterator[Row]:
        return self._source.rows(self._bounds(onward=True), backward=self._descending, limit=most)

    def _any_before_start(self) -> bool:
        bounds = self._bounds(onward=False)
        return any(True for _ in self._source.rows(bounds, backward=not self._descending, limit=1))

    def _bounds(self, *, onward: bool) -> Bounds:
        """Return the ids from the start onward, or all others."""
        start = self._window.start
        if start is None:
            return UNBOUNDED
        id_, included = str(start.values[0]), self._window.inclusive is onward
        if self._descending is onward:
            return Bounds(high=id_, high_included=included)
        return Bounds(low=id_, low_included=included)

    def count(self) -> int:
        """Return how many there are."""
        return self._source.count()


def _is_id(start: Position | None) -> bool:
    """Return whether a start is none, or an id (and not null, which lies before all of them)."""
    return start is None or (bool(start.values) and start.values[0] is not None)


class IndexOrderPlan(OrderedPlan):
    """Reads ranges of an index whose order serves the query's, no further than needed."""

    def __init__(self, source: ScanSource, query: Query) -> None:
        super().__init__(query)
        self._source = source
        self._order = reading_order(query)

    def _rows_from_start(self, most: int) -> Iterator[Row]:
        position = self._window.start
        start = None if position is None else ScanStart(position, self._window.inclusive)
        return IndexScan(self._source, self._order, start).rows(most + 1)

    def _any_before_start(self) -> bool:
        assert self._window.start is not None
        start = ScanStart(self._window.start, not self._window.inclusive)
        back = IndexScan(self._source, self._order.reversed(), start)
        return any(True for _ in back.rows(1))

    def count(self) -> int:
        """Return how many match in all."""
        return self._source.index_rows.count()


class _SortedRead(NamedTuple):
    """What was read: how many match, how many of these lie beyond the start, and the first of those."""

    total: int
    beyond_start: int
    first: Sequence[Row]


class SortPlan:
    """Serves every query: reads all rows of a source, and sorts those that match."""

    def __init__(self, source: RowSource, class_: Class, query: Query) -> None:
        self._source = source
        self._class = class_
        self._window = query.window
        self._order = reading_order(query)
        self._end = query.window.offset + query.window.size
        self._kept = self._end if query.fields.items else 0

    @cached_property
    def _read(self) -> _SortedRead:
        total = beyond_start = 0
        first = _FirstRows(self._kept, self._sort)
        is_beyond_start = _beyond_start(self._window, self._order, self._class)
        for total, row in enumerate(distinct_rows(self._source.rows()), start=1):  # noqa: B007 - the last number counts
            if is_beyond_start(row.state):
                beyond_start += 1
                first.add(row)
        return _SortedRead(total, beyond_start, first.sorted())

    def _sort(self, rows: Sequence[Row]) -> Sequence[Row]:
        return sort_objects(rows, lambda row: row.state, self._order, self._class)

    def rows(self) -> Sequence[Row]:
        """Return the matches in the window, in the order of reading."""
        return self._read.first[self._window.offset :]

    def has_ahead(self) -> bool:
        """Return whether a match lies ahead of the window."""
        return self._read.beyond_start > self._end

    def has_behind(self) -> bool:
        """Return whether a match was passed over, or lies on the other side of the start."""
        passed = min(self._window.offset, self._read.beyond_start)
        return passed > 0 or self._read.total > self._read.beyond_start

    def count(self) -> int:
        """Return how many match in all."""
        return self._read.total


def _beyond_start(window: Window, order: Order, class_: Class) -> Callable[[State], bool]:
    """Return the test whether a state lies at or beyond the window's start."""
    if window.start is None:
        return lambda _: True
    side, nearest = comparator(window.start, order, class_), 0 if window.inclusive else 1
    return lambda state: side(state) >= nearest


class _FirstRows:
    """Keeps the first `size` of many rows in little memory: now and then it sorts and drops the rest."""

    _SPARE = 1000

    def __init__(self, size: int, sort: Callable[[Sequence[Row]], Sequence[Row]]) -> None:
        self._size = size
        self._sort = sort
        self._full = 2 * size + self._SPARE
        self._kept: list[Row] = []

    def add(self, row: Row) -> None:
        """Keep a row for now."""
        self._kept.append(row)
        if len(self._kept) >= self._full:
            self._kept = list(self.sorted())

    def sorted(self) -> Sequence[Row]:
        """Return the first of all that were added, in order."""
        return self._sort(self._kept)[: self._size]
