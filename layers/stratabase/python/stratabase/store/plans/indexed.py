"""The plan for an order that an index serves: it is read from the window's start, no further than needed."""

from collections.abc import Iterator

from stratabase.domain.page import Query
from stratabase.store.match import Match
from stratabase.store.plans.ordered import Ordered
from stratabase.store.plans.plan import travelled
from stratabase.store.plans.start import Start
from stratabase.store.plans.walk import Ground, Walk


class Indexed(Ordered):
    """Reads parts of an index in the order of travel."""

    def __init__(self, ground: Ground, query: Query) -> None:
        super().__init__(query)
        self._ground = ground
        self._order = travelled(query)

    def _onward(self, most: int) -> Iterator[Match]:
        position = self._window.start
        start = None if position is None else Start(position, self._window.inclusive)
        return Walk(self._ground, self._order, start).matches(most + 1)

    def _any_before_start(self) -> bool:
        assert self._window.start is not None
        start = Start(self._window.start, not self._window.inclusive)
        back = Walk(self._ground, self._order.turned(), start)
        return any(True for _ in back.matches(1))

    def total(self) -> int:
        """Return how many match in all."""
        return self._ground.listing.count()
