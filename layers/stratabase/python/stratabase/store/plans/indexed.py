"""The plan for an order that an index serves: it is read from the window's start, no further than needed."""

from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from stratabase.domain.page import Query
from stratabase.store.listing import Match
from stratabase.store.plans.plan import ahead_wanted, travelled
from stratabase.store.plans.start import Start
from stratabase.store.plans.walk import Ground, Walk


class _Reading(NamedTuple):
    """What was met: how many were passed over, and the window's matches with perhaps the one beyond."""

    passed: int
    met: list[Match]


class Indexed:
    """Reads parts of an index in the order of travel."""

    def __init__(self, ground: Ground, query: Query) -> None:
        self._ground = ground
        self._window = query.window
        self._order = travelled(query)
        self._reach = query.window.size + ahead_wanted(query)

    @cached_property
    def _reading(self) -> _Reading:
        start, window = self._window.start, self._window
        walk = Walk(self._ground, self._order, None if start is None else Start(start, window.inclusive))
        onward = walk.matches(window.offset + self._reach + 1)
        passed = sum(1 for _ in islice(onward, window.offset))
        return _Reading(passed, list(islice(onward, self._reach)))

    def matches(self) -> Sequence[Match]:
        """Return the matches in the window, in the order of travel."""
        return self._reading.met[: self._window.size]

    def ahead(self) -> bool:
        """Return whether a match lies beyond the window."""
        return len(self._reading.met) > self._window.size

    def behind(self) -> bool:
        """Return whether a match was passed over, or lies on the other side of the start."""
        if self._window.start is None and not self._window.offset:
            return False
        return self._reading.passed > 0 or self._any_before_start()

    def _any_before_start(self) -> bool:
        start = self._window.start
        if start is None:
            return False
        back = Walk(self._ground, self._order.turned(), Start(start, not self._window.inclusive))
        return any(True for _ in back.matches(1))

    def total(self) -> int:
        """Return how many match in all."""
        return self._ground.listing.count()
