"""The plan for the order of the ids: objects are read from the window's start, no further than needed."""

from collections.abc import Iterator

from stratabase.domain.order import Position
from stratabase.domain.page import Query
from stratabase.model.class_ import Class
from stratabase.store.engine import EVERYTHING, Bounds
from stratabase.store.listing import Objects
from stratabase.store.match import Match
from stratabase.store.plans.ordered import Ordered
from stratabase.store.plans.plan import travelled


class Streamed(Ordered):
    """Reads a part of some objects, which come in the order of the ids, in the order of travel."""

    def __init__(self, objects: Objects, _: Class, query: Query) -> None:
        super().__init__(query)
        self._objects = objects
        self._downward = travelled(query).terms[0].descending

    @staticmethod
    def serves(query: Query) -> bool:
        """Return whether the order is that of the ids; counting what a filter matches takes a scan anyway."""
        counts_matches = query.wanted.total_count and query.filter is not None
        return query.order.terms[0].attribute == "_id" and _is_id(query.window.start) and not counts_matches

    def _onward(self, most: int) -> Iterator[Match]:
        return self._objects.matches(self._bounds(onward=True), backward=self._downward, limit=most)

    def _any_before_start(self) -> bool:
        bounds = self._bounds(onward=False)
        return any(True for _ in self._objects.matches(bounds, backward=not self._downward, limit=1))

    def _bounds(self, *, onward: bool) -> Bounds:
        """Return the ids from the start onward, or all others."""
        start = self._window.start
        if start is None:
            return EVERYTHING
        id_, included = str(start.values[0]), self._window.inclusive is onward
        if self._downward is onward:
            return Bounds(high=id_, high_included=included)
        return Bounds(low=id_, low_included=included)

    def total(self) -> int:
        """Return how many there are."""
        return self._objects.count()


def _is_id(start: Position | None) -> bool:
    """Return whether a start is none, or an id (and not null, which lies before all of them)."""
    return start is None or (bool(start.values) and start.values[0] is not None)
