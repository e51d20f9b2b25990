"""The plan that serves every query: all objects that may match are read, filtered and sorted."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from stratabase.domain.objects.entity import State
from stratabase.domain.order import Order
from stratabase.domain.ordering import ordered, side_of
from stratabase.domain.page import Query, Window
from stratabase.model.class_ import Class
from stratabase.store.listing import Objects
from stratabase.store.match import Match, once
from stratabase.store.plans.plan import travelled

_ROOM = 1000


class _Reading(NamedTuple):
    """What was met: all matches, those beyond the start, and the first of these in the order of travel."""

    total: int
    candidates: int
    first: Sequence[Match]


class Scanned:
    """Reads all of some objects once."""

    def __init__(self, objects: Objects, class_: Class, query: Query) -> None:
        self._objects = objects
        self._class = class_
        self._window = query.window
        self._order = travelled(query)
        self._needed = query.window.offset + query.window.size
        self._kept = self._needed if query.wanted.items else 0

    @cached_property
    def _reading(self) -> _Reading:
        total = candidates = 0
        first = _First(self._kept, self._sorted)
        is_onward = _onward(self._window, self._order, self._class)
        for total, match in enumerate(once(self._objects.matches()), start=1):  # noqa: B007 - the last number counts
            if is_onward(match.state):
                candidates += 1
                first.add(match)
        return _Reading(total, candidates, first.all())

    def _sorted(self, matches: Sequence[Match]) -> Sequence[Match]:
        return ordered(matches, lambda match: match.state, self._order, self._class)

    def matches(self) -> Sequence[Match]:
        """Return the matches in the window, in the order of travel."""
        return self._reading.first[self._window.offset :]

    def ahead(self) -> bool:
        """Return whether a match lies beyond the window."""
        return self._reading.candidates > self._needed

    def behind(self) -> bool:
        """Return whether a match was passed over, or lies on the other side of the start."""
        passed = min(self._window.offset, self._reading.candidates)
        return passed > 0 or self._reading.total > self._reading.candidates

    def total(self) -> int:
        """Return how many match in all."""
        return self._reading.total


def _onward(window: Window, order: Order, class_: Class) -> Callable[[State], bool]:
    """Return the test whether a state lies on the far side of the window's start."""
    if window.start is None:
        return lambda _: True
    side, nearest = side_of(window.start, order, class_), 0 if window.inclusive else 1
    return lambda state: side(state) >= nearest


class _First:
    """Keeps the first `size` of many matches, in little memory: from time to time it sorts and cuts."""

    def __init__(self, size: int, sort: Callable[[Sequence[Match]], Sequence[Match]]) -> None:
        self._size = size
        self._sort = sort
        self._full = 2 * size + _ROOM
        self._kept: list[Match] = []

    def add(self, match: Match) -> None:
        """Keep a match for now."""
        self._kept.append(match)
        if len(self._kept) >= self._full:
            self._kept = list(self.all())

    def all(self) -> Sequence[Match]:
        """Return the first of all that were added, in order."""
        return self._sort(self._kept)[: self._size]
