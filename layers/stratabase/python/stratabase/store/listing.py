"""The objects of a class that lie in one index, as ranges of it give them, page by page."""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple, Protocol

from stratabase.model.class_ import Class
from stratabase.store import keys
from stratabase.store.budget import Budget
from stratabase.store.engine import EVERYTHING, Bounds, Engine, Item
from stratabase.store.match import Match, once
from stratabase.store.sieve import Sieve


class Part(NamedTuple):
    """Some ranges of one partition of an index, in its order."""

    index_name: str
    partition: str
    ranges: tuple[Bounds, ...] = (EVERYTHING,)


class Objects(Protocol):
    """Some objects of a class, in the order of something."""

    def matches(
        self, bounds: Bounds | None = None, *, backward: bool = False, limit: int | None = None
    ) -> Iterator[Match]:
        """Yield the matches in order, within bounds; `limit`: how many are asked for at most."""

    def count(self) -> int:
        """Return how many match."""


class Listing:
    """The objects of one class that a sieve lets through and that lie in a part of an index.

    Without a part: in all of the class's listing, which is in the order of the ids.
    """

    def __init__(
        self, engine: Engine, class_: Class, sieve: Sieve, budget: Budget, part: Part | None = None
    ) -> None:
        self._engine = engine
        self._class = class_
        self._part = part or Part(keys.LISTING, keys.listing(class_.name))
        self._sieve = sieve
        self._budget = budget

    @property
    def filters(self) -> bool:
        """Whether what it reads may not match."""
        return bool(self._sieve)

    def matches(
        self, bounds: Bounds | None = None, *, backward: bool = False, limit: int | None = None
    ) -> Iterator[Match]:
        """Yield the matches in the order of the index; `limit`: how many are asked for at most."""
        # How many items must be read to find some that match, nobody knows.
        limit = None if self._sieve else limit
        return self._sieve(self._items(bounds, backward=backward, limit=limit))

    def count(self) -> int:
        """Return how many match."""
        return sum(1 for _ in once(self.matches()))

    def _items(self, bounds: Bounds | None, *, backward: bool, limit: int | None) -> Iterator[Item]:
        index_name, partition, all_ranges = self._part
        ranges = all_ranges if bounds is None else (bounds,)
        for range_ in reversed(ranges) if backward else ranges:
            pages = self._engine.range(index_name, partition, range_, backward=backward, limit=limit)
            yield from chain.from_iterable(map(self._budget.spend, pages))
