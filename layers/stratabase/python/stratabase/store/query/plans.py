"""What every plan is given and tells.

A plan travels from the window's start: in the query's order forward, against it backward.
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


class Plan(Protocol):
    """A way to find the matches of a window; nothing is read before it is asked for."""

    def rows(self) -> Sequence[Row]:
        """Return the matches in the window, in the order of travel."""

    def has_ahead(self) -> bool:
        """Return whether a match lies beyond the window; asked only when the query wants to know."""

    def has_behind(self) -> bool:
        """Return whether a match lies before the window, in the order of travel."""

    def count(self) -> int:
        """Return how many match in all."""


def travel_order(query: Query) -> Order:
    """Return the order in which a plan meets the matches."""
    return query.order.reversed() if query.window.backward else query.order


def wants_ahead(query: Query) -> bool:
    """Return whether the query wants to know what lies beyond the window."""
    return query.fields.has_prev if query.window.backward else query.fields.has_next


class _OrderedRead(NamedTuple):
    """What was met: how many were passed over, and the window's matches with perhaps the one beyond."""

    passed: int
    met: list[Row]


class OrderedPlan(ABC):
    """Travels from the window's start, over the offset, to the end of the window."""

    def __init__(self, query: Query) -> None:
        self._window = query.window
        self._reach = query.window.size + wants_ahead(query)

    @abstractmethod
    def _onward(self, most: int) -> Iterator[Row]:
        """Yield the matches from the window's start on; at most so many are asked for."""

    @abstractmethod
    def _any_before_start(self) -> bool:
        """Return whether a match lies on the other side of the window's start, which there is."""

    @cached_property
    def _reading(self) -> _OrderedRead:
        onward = self._onward(self._window.offset + self._reach)
        passed = sum(1 for _ in islice(onward, self._window.offset))
        return _OrderedRead(passed, list(islice(onward, self._reach)))

    def rows(self) -> Sequence[Row]:
        """Return the matches in the window, in the order of travel."""
        return self._reading.met[: self._window.size]

    def has_ahead(self) -> bool:
        """Return whether a match lies beyond the window."""
        return len(self._reading.met) > self._window.size

    def has_behind(self) -> bool:
        """Return whether a match was passed over, or lies on the other side of the start."""
        if self._window.offset and self._reading.passed:
            return True
        return self._window.start is not None and self._any_before_start()


class IdOrderPlan(OrderedPlan):
    """Reads a part of some objects, which come in the order of the ids, in the order of travel."""

    def __init__(self, objects: RowSource, _: Class, query: Query) -> None:
        super().__init__(query)
        self._objects = objects
        self._downward = travel_order(query).terms[0].descending

    @staticmethod
    def serves(query: Query) -> bool:
        """Return whether the order is that of the ids; counting what a filter matches takes a scan anyway."""
        counts_matches = query.fields.total_count and query.filter is not None
        return query.order.terms[0].attribute == "_id" and _is_id(query.window.start) and not counts_matches

    def _onward(self, most: int) -> Iterator[Row]:
        return self._objects.rows(self._bounds(onward=True), backward=self._downward, limit=most)

    def _any_before_start(self) -> bool:
        bounds = self._bounds(onward=False)
        return any(True for _ in self._objects.rows(bounds, backward=not self._downward, limit=1))

    def _bounds(self, *, onward: bool) -> Bounds:
        """Return the ids from the start onward, or all others."""
        start = self._window.start
        if start is None:
            return UNBOUNDED
        id_, included = str(start.values[0]), self._window.inclusive is onward
        if self._downward is onward:
            return Bounds(high=id_, high_included=included)
        return Bounds(low=id_, low_included=included)

    def count(self) -> int:
        """Return how many there are."""
        return self._objects.count()


def _is_id(start: Position | None) -> bool:
    """Return whether a start is none, or an id (and not null, which lies before all of them)."""
    return start is None or (bool(start.values) and start.values[0] is not None)


class IndexOrderPlan(OrderedPlan):
    """Reads parts of an index in the order of travel."""

    def __init__(self, ground: ScanSource, query: Query) -> None:
        super().__init__(query)
        self._ground = ground
        self._order = travel_order(query)

    def _onward(self, most: int) -> Iterator[Row]:
        position = self._window.start
        start = None if position is None else ScanStart(position, self._window.inclusive)
        return IndexScan(self._ground, self._order, start).rows(most + 1)

    def _any_before_start(self) -> bool:
        assert self._window.start is not None
        start = ScanStart(self._window.start, not self._window.inclusive)
        back = IndexScan(self._ground, self._order.reversed(), start)
        return any(True for _ in back.rows(1))

    def count(self) -> int:
        """Return how many match in all."""
        return self._ground.listing.count()


_ROOM = 1000


class _SortedRead(NamedTuple):
    """What was met: all matches, those beyond the start, and the first of these in the order of travel."""

    total: int
    candidates: int
    first: Sequence[Row]


class SortPlan:
    """Reads all of some objects once."""

    def __init__(self, objects: RowSource, class_: Class, query: Query) -> None:
        self._objects = objects
        self._class = class_
        self._window = query.window
        self._order = travel_order(query)
        self._needed = query.window.offset + query.window.size
        self._kept = self._needed if query.fields.items else 0

    @cached_property
    def _reading(self) -> _SortedRead:
        total = candidates = 0
        first = _First(self._kept, self._sorted)
        is_onward = _onward(self._window, self._order, self._class)
        for total, match in enumerate(distinct_rows(self._objects.rows()), start=1):  # noqa: B007 - the last number counts
            if is_onward(match.state):
                candidates += 1
                first.add(match)
        return _SortedRead(total, candidates, first.all())

    def _sorted(self, matches: Sequence[Row]) -> Sequence[Row]:
        return sort_objects(matches, lambda match: match.state, self._order, self._class)

    def rows(self) -> Sequence[Row]:
        """Return the matches in the window, in the order of travel."""
        return self._reading.first[self._window.offset :]

    def has_ahead(self) -> bool:
        """Return whether a match lies beyond the window."""
        return self._reading.candidates > self._needed

    def has_behind(self) -> bool:
        """Return whether a match was passed over, or lies on the other side of the start."""
        passed = min(self._window.offset, self._reading.candidates)
        return passed > 0 or self._reading.total > self._reading.candidates

    def count(self) -> int:
        """Return how many match in all."""
        return self._reading.total


def _onward(window: Window, order: Order, class_: Class) -> Callable[[State], bool]:
    """Return the test whether a state lies on the far side of the window's start."""
    if window.start is None:
        return lambda _: True
    side, nearest = comparator(window.start, order, class_), 0 if window.inclusive else 1
    return lambda state: side(state) >= nearest


class _First:
    """Keeps the first `size` of many matches, in little memory: from time to time it sorts and cuts."""

    def __init__(self, size: int, sort: Callable[[Sequence[Row]], Sequence[Row]]) -> None:
        self._size = size
        self._sort = sort
        self._full = 2 * size + _ROOM
        self._kept: list[Row] = []

    def add(self, match: Row) -> None:
        """Keep a match for now."""
        self._kept.append(match)
        if len(self._kept) >= self._full:
            self._kept = list(self.all())

    def all(self) -> Sequence[Row]:
        """Return the first of all that were added, in order."""
        return self._sort(self._kept)[: self._size]
