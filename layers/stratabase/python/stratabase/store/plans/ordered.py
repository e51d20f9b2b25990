"""What the plans share that meet the matches in the query's order: they read no further than they must."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from stratabase.domain.page import Query
from stratabase.store.match import Match
from stratabase.store.plans.plan import ahead_wanted


class _Reading(NamedTuple):
    """What was met: how many were passed over, and the window's matches with perhaps the one beyond."""

    passed: int
    met: list[Match]


class Ordered(ABC):
    """Travels from the window's start, over the offset, to the end of the window."""

    def __init__(self, query: Query) -> None:
        self._window = query.window
        self._reach = query.window.size + ahead_wanted(query)

    @abstractmethod
    def _onward(self, most: int) -> Iterator[Match]:
        """Yield the matches from the window's start on; at most so many are asked for."""

    @abstractmethod
    def _any_before_start(self) -> bool:
        """Return whether a match lies on the other side of the window's start, which there is."""

    @cached_property
    def _reading(self) -> _Reading:
        onward = self._onward(self._window.offset + self._reach)
        passed = sum(1 for _ in islice(onward, self._window.offset))
        return _Reading(passed, list(islice(onward, self._reach)))

    def matches(self) -> Sequence[Match]:
        """Return the matches in the window, in the order of travel."""
        return self._reading.met[: self._window.size]

    def ahead(self) -> bool:
        """Return whether a match lies beyond the window."""
        return len(self._reading.met) > self._window.size

    def behind(self) -> bool:
        """Return whether a match was passed over, or lies on the other side of the start."""
        if self._window.offset and self._reading.passed:
            return True
        return self._window.start is not None and self._any_before_start()
