"""The plans: three ways to find the rows of a query's window.

| plan | reads | stops |
|---|---|---|
| IdOrderPlan | objects in the order of ids | when the page is full |
| IndexOrderPlan | ranges of an index in the order of the query | when the page is full |
| SortPlan | all objects that may match, then sorts | at the end |

A plan reads in the reading order: the order of the query, or its reverse for a backward window. In this
order, "ahead" means after the window, and "behind" means before it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple, Protocol

from stratabase.core.domain.objects.entity import State
from stratabase.core.domain.query.order import Order, Position, comparator, position_of, sort_objects
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Class
from stratabase.core.store.engine.port import UNBOUNDED, Bounds
from stratabase.core.store.query.index_scan import IndexScan, ScanSource
from stratabase.core.store.query.row_sources import RowSource
from stratabase.core.store.query.rows import Row, distinct_rows, row_state
from stratabase.core.store.query.scan_strategy import ScanStart


class QueryPlan(Protocol):
    """A plan for one window. It reads lazily: only what the called methods need."""

    def rows(self) -> Sequence[Row]:
        """Return the matches in the window, in the reading order."""

    def has_ahead(self) -> bool:
        """Return whether there is a match after the window. Call this only if the query requests it."""

    def has_behind(self) -> bool:
        """Return whether there is a match before the window."""

    def count(self) -> int:
        """Return the number of all matches."""

    def matches(self, wanted: int | None) -> Iterator[Row]:
        """Yield all matches in any order, each once. The caller takes at most `wanted`, or else all."""


def reading_order(query: Query) -> Order:
    """Return the order in which a plan reads the matches of a query."""
    return query.order.reversed() if query.window.backward else query.order


def _distinct(source: RowSource, wanted: int | None) -> Iterator[Row]:
    rows = source.rows(wanted=wanted)
    return rows if source.is_stable else distinct_rows(rows)


class _OrderedRead(NamedTuple):
    """The result of reading a window."""

    skipped: int
    """The number of rows that the offset skipped."""
    rows: list[Row]
    """The rows of the window, and one more if the plan must know whether there is a match ahead."""


class OrderedPlan(ABC):
    """A plan whose rows come in the reading order. It stops reading at the end of the window."""

    def __init__(self, query: Query) -> None:
        window, wanted = query.window, query.fields
        self._window = window
        self._wanted = window.size + (wanted.has_prev if window.backward else wanted.has_next)

    @abstractmethod
    def _rows_from_start(self, max_rows: int) -> Iterator[Row]:
        """Yield the matches from the start of the window. The caller takes at most `max_rows`."""

    @abstractmethod
    def _any_before_start(self) -> bool:
        """Return whether there is a match before the start of the window, which must have one."""

    @cached_property
    def _read(self) -> _OrderedRead:
        rows = self._rows_from_start(self._window.offset + self._wanted)
        skipped = sum(1 for _ in islice(rows, self._window.offset))
        return _OrderedRead(skipped, list(islice(rows, self._wanted)))

    def rows(self) -> Sequence[Row]:
        """Return the matches in the window, in the reading order."""
        return self._read.rows[: self._window.size]

    def has_ahead(self) -> bool:
        """Return whether there is a match after the window."""
        return len(self._read.rows) > self._window.size

    def has_behind(self) -> bool:
        """Return whether the offset skipped a match, or there is one before the start."""
        if self._window.offset and self._read.skipped:
            return True
        return self._window.start is not None and self._any_before_start()


class IdOrderPlan(OrderedPlan):
    """A plan that reads objects in the order of ids, for a query in this order."""

    def __init__(self, source: RowSource, query: Query, counted: RowSource | None = None) -> None:
        """Take another source that counts the matches faster, if there is one."""
        super().__init__(query)
        self._source = source
        self._counted = counted or source
        self._descending = reading_order(query).terms[0].descending

    @staticmethod
    def serves(query: Query, *, counts_elsewhere: bool = False) -> bool:
        """Return whether the plan can answer a query: it is ordered by id, and counts no filtered objects.

        To count the matches of a filter, everything must be read anyway, unless another source counts them.
        """
        counts_matches = query.fields.total_count and query.filter is not None and not counts_elsewhere
        return query.order.terms[0].attribute == ID and _is_id(query.window.start) and not counts_matches

    def _rows_from_start(self, max_rows: int) -> Iterator[Row]:
        return self._source.rows(self._bounds(onward=True), backward=self._descending, wanted=max_rows)

    def _any_before_start(self) -> bool:
        bounds = self._bounds(onward=False)
        return any(True for _ in self._source.rows(bounds, backward=not self._descending, wanted=1))

    def _bounds(self, *, onward: bool) -> Bounds:
        """Return the bounds of the ids from the start on (`onward`), or of those before it."""
        start = self._window.start
        if start is None:
            return UNBOUNDED
        id_, included = str(start.values[0]), self._window.inclusive is onward
        if self._descending is onward:
            return Bounds(high=id_, high_included=included)
        return Bounds(low=id_, low_included=included)

    def count(self) -> int:
        """Return the number of all matches."""
        return self._counted.count()

    def matches(self, wanted: int | None) -> Iterator[Row]:
        """Yield all matches in the order of ids."""
        return self._source.rows(wanted=wanted)


def _is_id(start: Position | None) -> bool:
    """Return whether a start is missing or is an id. A start can also be null, which sorts before all ids."""
    return start is None or (bool(start.values) and start.values[0] is not None)


class IndexOrderPlan(OrderedPlan):
    """A plan that reads ranges of an index in the order of the query, no further than needed."""

    def __init__(self, source: ScanSource, query: Query, counted: RowSource | None = None) -> None:
        """Take another source that counts the matches faster, if there is one."""
        super().__init__(query)
        self._source = source
        self._counted = counted or source.index_rows
        self._order = reading_order(query)

    def _rows_from_start(self, max_rows: int) -> Iterator[Row]:
        position = self._window.start
        start = None if position is None else ScanStart(position, self._window.inclusive)
        return IndexScan(self._source, self._order, start).rows(max_rows)

    def _any_before_start(self) -> bool:
        assert self._window.start is not None
        start = ScanStart(self._window.start, not self._window.inclusive)
        backward_scan = IndexScan(self._source, self._order.reversed(), start)
        return any(True for _ in backward_scan.rows(1))

    def count(self) -> int:
        """Return the number of all matches."""
        return self._counted.count()

    def matches(self, wanted: int | None) -> Iterator[Row]:
        """Yield all matches in the order of the index."""
        return _distinct(self._source.index_rows, wanted)


class _SortedRead(NamedTuple):
    """The result of reading all rows."""

    total: int
    """The number of matches."""
    beyond_start: int
    """The number of matches at or after the start of the window."""
    first: Sequence[Row]
    """The first of these, up to the end of the window."""


class SortPlan:
    """A plan for every query: reads all rows of a source, and sorts the matches."""

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
        first = _FirstRows(self._kept, self._order, self._class)
        is_beyond_start = _beyond_start(self._window, self._order, self._class)
        for total, row in enumerate(distinct_rows(self._source.rows()), start=1):  # noqa: B007 - `total` is used after the loop
            if is_beyond_start(row_state(row)):
                beyond_start += 1
                first.add(row)
        return _SortedRead(total, beyond_start, first.sorted())

    def rows(self) -> Sequence[Row]:
        """Return the matches in the window, in the reading order."""
        return self._read.first[self._window.offset :]

    def has_ahead(self) -> bool:
        """Return whether there is a match after the window."""
        return self._read.beyond_start > self._end

    def has_behind(self) -> bool:
        """Return whether the offset skipped a match, or there is one before the start."""
        skipped = min(self._window.offset, self._read.beyond_start)
        return skipped > 0 or self._read.total > self._read.beyond_start

    def count(self) -> int:
        """Return the number of all matches."""
        return self._read.total

    def matches(self, wanted: int | None) -> Iterator[Row]:
        """Yield all matches in the order of the source."""
        return _distinct(self._source, wanted)


def _beyond_start(window: Window, order: Order, class_: Class) -> Callable[[State], bool]:
    """Return a predicate that tells whether a state lies in or after the window."""
    if window.start is None:
        return lambda _: True
    compare, minimum = comparator(window.start, order, class_), 0 if window.inclusive else 1
    return lambda state: compare(state) >= minimum


class _FirstRows:
    """A collector of the first `size` of many rows, in bounded memory.

    When it has more than twice as many rows, it sorts them and drops the rest. From then on, it takes only
    rows before the last one that it has kept.
    """

    _SPARE = 1000
    """Rows to keep in addition, so that a small `size` does not cause frequent sorting."""

    def __init__(self, size: int, order: Order, class_: Class) -> None:
        self._size = size
        self._order = order
        self._class = class_
        self._full = 2 * size + self._SPARE
        self._kept: list[Row] = []
        self._compare_to_last: Callable[[State], int] | None = None

    def add(self, row: Row) -> None:
        """Add a row."""
        compare = self._compare_to_last
        if not self._size or (compare is not None and compare(row_state(row)) > 0):
            return
        self._kept.append(row)
        if len(self._kept) >= self._full:
            self._kept = list(self.sorted())
            last = position_of(row_state(self._kept[-1]), self._order)
            self._compare_to_last = comparator(last, self._order, self._class)

    def sorted(self) -> Sequence[Row]:
        """Return the first `size` of all rows that were added, in order."""
        return sort_objects(self._kept, row_state, self._order, self._class)[: self._size]
