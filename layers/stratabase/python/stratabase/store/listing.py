"""The objects of a class that lie in one index, as ranges of it give them, page by page."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple, Protocol

from stratabase.domain.entity import Entity, State
from stratabase.domain.filter import Filter
from stratabase.domain.matching import Test, matcher
from stratabase.model.class_ import Class
from stratabase.store import codec, keys
from stratabase.store.budget import Budget
from stratabase.store.engine import EVERYTHING, Bounds, Engine, Item


class Match:
    """An item whose object matches; its state is read once, when it is needed."""

    __slots__ = ("_item", "_state")

    def __init__(self, item: Item) -> None:
        self._item = item
        self._state: State | None = None

    @property
    def state(self) -> State:
        """The object's state."""
        if self._state is None:
            self._state = codec.state_of(self._item)
        return self._state

    @property
    def partition(self) -> str:
        """What tells the object from others."""
        return self._item.key.partition

    @property
    def entity(self) -> Entity:
        """The object."""
        return codec.entity_of(self._item, self.state)

    def sort_in(self, index_name: str) -> str:
        """Return the sort key by which the object was found in an index."""
        return self._item.places[index_name].sort

    def lies_by(self, index_name: str) -> str:
        """Return the text of the values by which the object was found in an index."""
        return self.sort_in(index_name).removesuffix(keys.id_of(self._item.key))


def once(matches: Iterable[Match]) -> Iterator[Match]:
    """Yield each object once: one that is written while an index is read may move on, and be met again."""
    met: set[str] = set()
    for match in matches:
        if match.partition not in met:
            met.add(match.partition)
            yield match


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
    """The objects of one class that match a filter (all without one) and lie in a part of an index.

    Without a part: in all of the class's listing, which is in the order of the ids.
    """

    def __init__(
        self,
        engine: Engine,
        class_: Class,
        filter_: Filter | None,
        budget: Budget,
        part: Part | None = None,
    ) -> None:
        self._engine = engine
        self._part = part or Part(keys.LISTING, keys.listing(class_.name))
        self._test: Test | None = None if filter_ is None else matcher(filter_, class_)
        self._budget = budget

    @property
    def filters(self) -> bool:
        """Whether what it reads may not match."""
        return self._test is not None

    def matches(
        self, bounds: Bounds | None = None, *, backward: bool = False, limit: int | None = None
    ) -> Iterator[Match]:
        """Yield the matches in the order of the index; `limit`: how many are asked for at most."""
        test = self._test
        # How many items must be read to find some that match, nobody knows.
        items = self._items(bounds, backward=backward, limit=limit if test is None else None)
        matches = map(Match, items)
        return matches if test is None else (match for match in matches if test(match.state))

    def count(self) -> int:
        """Return how many match."""
        return sum(1 for _ in once(self.matches()))

    def _items(self, bounds: Bounds | None, *, backward: bool, limit: int | None) -> Iterator[Item]:
        index_name, partition, all_ranges = self._part
        ranges = all_ranges if bounds is None else (bounds,)
        for range_ in reversed(ranges) if backward else ranges:
            pages = self._engine.range(index_name, partition, range_, backward=backward, limit=limit)
            yield from chain.from_iterable(map(self._budget.spend, pages))
