"""The objects of a class as its listing gives them: in the order of their ids, page by page."""

from collections.abc import Iterator
from itertools import chain

from stratabase.domain.entity import Entity, State
from stratabase.domain.filter import Filter
from stratabase.domain.matching import Test, matcher
from stratabase.model.class_ import Class
from stratabase.store import codec, keys
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
    def entity(self) -> Entity:
        """The object."""
        return codec.entity_of(self._item, self.state)


class Listing:
    """The objects of one class that match a filter (all without one)."""

    def __init__(self, engine: Engine, class_: Class, filter_: Filter | None) -> None:
        self._engine = engine
        self._partition = keys.listing(class_.name)
        self._test: Test | None = None if filter_ is None else matcher(filter_, class_)

    def matches(
        self, bounds: Bounds = EVERYTHING, *, backward: bool = False, limit: int | None = None
    ) -> Iterator[Match]:
        """Yield the matches in the order of their ids; `limit`: how many are asked for at most."""
        test = self._test
        # How many items must be read to find some that match, nobody knows.
        matches = map(Match, self._items(bounds, backward, limit if test is None else None))
        return matches if test is None else (match for match in matches if test(match.state))

    def count(self) -> int:
        """Return how many match."""
        return sum(1 for _ in self.matches())

    def _items(self, bounds: Bounds, backward: bool, limit: int | None) -> Iterator[Item]:  # noqa: FBT001
        pages = self._engine.range(keys.LISTING, self._partition, bounds, backward=backward, limit=limit)
        return chain.from_iterable(pages)
