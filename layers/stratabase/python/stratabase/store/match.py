"""An object that a page may show, as an index or a key has given it."""

from collections.abc import Iterable, Iterator

from stratabase.domain.objects.entity import Entity, State
from stratabase.model.class_ import Class
from stratabase.store import codec, keys
from stratabase.store.engine import Item


class Match:
    """An item whose object matches; its state is read once, when it is needed."""

    __slots__ = ("_dated", "_entity", "_item", "_state")

    def __init__(self, item: Item, dated: Class | None) -> None:
        """`dated`: its class, if the state shall tell when it began (where that is versioned)."""
        self._item = item
        self._dated = dated
        self._state: State | None = None
        self._entity: Entity | None = None

    @property
    def state(self) -> State:
        """The object's state."""
        if self._state is None:
            self._state = codec.state_of(self._item, self._dated)
        return self._state

    @property
    def partition(self) -> str:
        """What tells the object from others."""
        return self._item.key.partition

    @property
    def entity(self) -> Entity:
        """The object."""
        return self._entity or codec.entity_of(self._item, self._dated, self._state)

    def become(self, entity: Entity) -> "Match":
        """Return this, with more values in its state than it was found with."""
        self._entity, self._state = entity, entity.state
        return self

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
