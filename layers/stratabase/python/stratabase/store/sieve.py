"""What lets those objects through that match a filter, be it over what they keep or over derived values."""

from collections.abc import Iterator
from itertools import islice

from stratabase import waiting
from stratabase.domain.derived_query import Derive, parts_of
from stratabase.domain.filter import Filter, labour
from stratabase.domain.matching import Test, matcher
from stratabase.model.class_ import Class
from stratabase.store.budget import Budget
from stratabase.store.engine import Item
from stratabase.store.match import Match

TOGETHER = 100
"""For how many objects derived values are computed at once: as many as engines get with a request."""
_IN_A_ROW = 10_000
"""Comparisons that are made before others may go on, and it is seen whether there is time for more."""
_LITTLE = 10
"""Comparisons with an object that take less time than to read it."""


class Sieve:
    """A filter (all match without one). With `derive`, matches have the values that it gives to objects."""

    def __init__(
        self,
        class_: Class,
        filter_: Filter | None,
        budget: Budget,
        derive: Derive | None = None,
        *,
        tells_version_start: bool = True,
    ) -> None:
        """`tells_version_start`: whether the states of matches must, where their class is versioned."""
        self._dated = class_ if tells_version_start else None
        kept, derived = parts_of(filter_, class_)
        self._derive = derive
        self._kept: Test | None = None if kept is None else matcher(kept, class_)
        self._derived: Test | None = None if derived is None else matcher(derived, class_)
        self._budget = budget
        self._labour = 0 if filter_ is None else labour(filter_)

    def __bool__(self) -> bool:
        """Whether it lets through less than it gets, or later."""
        return self._kept is not None or self._derive is not None

    def __call__(self, items: Iterator[Item]) -> Iterator[Match]:
        """Yield the matches among items, in their order. Raises TooMuchRead."""
        test = self._kept
        matches: Iterator[Match] = (Match(item, self._dated) for item in items)
        if self._labour > _LITTLE:
            matches = self._in_time(matches, max(1, _IN_A_ROW // self._labour))
        found = matches if test is None else (match for match in matches if test(match.state))
        return found if self._derive is None else self._completed(found, self._derive)

    def _in_time(self, matches: Iterator[Match], in_a_row: int) -> Iterator[Match]:
        for number, match in enumerate(matches, start=1):
            if number % in_a_row == 0:
                waiting.give_way()
                self._budget.check()
            yield match

    def _completed(self, found: Iterator[Match], derive: Derive) -> Iterator[Match]:
        """Yield those that match by their derived values too, which are computed for many at a time."""
        test = self._derived
        while some := list(islice(found, TOGETHER)):
            entities = derive([match.entity for match in some])
            for match, entity in zip(some, entities, strict=True):
                if test is None or test(entity.state):
                    yield match.become(entity)
