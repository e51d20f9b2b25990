"""An object that a page may show, as an index or a key has given it."""

from collections.abc import Iterable, Iterator
from itertools import islice

from stratabase import waiting
from stratabase.domain.objects.entity import Entity, State
from stratabase.domain.query.derived import Derive, split_filter
from stratabase.domain.query.filter import Filter, test_cost
from stratabase.domain.query.matching import Test, matcher
from stratabase.model.model import Class
from stratabase.store.engine.port import Item
from stratabase.store.engine.read_limiter import ReadLimiter
from stratabase.store.layout import codec, keys


class Row:
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

    def with_entity(self, entity: Entity) -> "Row":
        """Return this, with more values in its state than it was found with."""
        self._entity, self._state = entity, entity.state
        return self

    def sort_key(self, index_name: str) -> str:
        """Return the sort key by which the object was found in an index."""
        return self._item.places[index_name].sort

    def index_text(self, index_name: str) -> str:
        """Return the text of the values by which the object was found in an index."""
        return self.sort_key(index_name).removesuffix(keys.id_of(self._item.key))


def distinct_rows(matches: Iterable[Row]) -> Iterator[Row]:
    """Yield each object once: one that is written while an index is read may move on, and be met again."""
    met: set[str] = set()
    for match in matches:
        if match.partition not in met:
            met.add(match.partition)
            yield match


BATCH_SIZE = 100
"""For how many objects derived values are computed at once: as many as engines get with a request."""

_IN_A_ROW = 10_000
"""Comparisons that are made before others may go on, and it is seen whether there is time for more."""

_LITTLE = 10
"""Comparisons with an object that take less time than to read it."""


class RowFilter:
    """A filter (all match without one). With `derive`, matches have the values that it gives to objects."""

    def __init__(
        self,
        class_: Class,
        filter_: Filter | None,
        limiter: ReadLimiter,
        derive: Derive | None = None,
        *,
        tells_version_start: bool = True,
    ) -> None:
        """`tells_version_start`: whether the states of matches must, where their class is versioned."""
        self._dated = class_ if tells_version_start else None
        kept, derived = split_filter(filter_, class_)
        self._derive = derive
        self._kept: Test | None = None if kept is None else matcher(kept, class_)
        self._derived: Test | None = None if derived is None else matcher(derived, class_)
        self._limiter = limiter
        self._labour = 0 if filter_ is None else test_cost(filter_)

    def __bool__(self) -> bool:
        """Whether it lets through less than it gets, or later."""
        return self._kept is not None or self._derive is not None

    def __call__(self, items: Iterator[Item]) -> Iterator[Row]:
        """Yield the matches among items, in their order. Raises TooMuchRead."""
        test = self._kept
        matches: Iterator[Row] = (Row(item, self._dated) for item in items)
        if self._labour > _LITTLE:
            matches = self._in_time(matches, max(1, _IN_A_ROW // self._labour))
        found = matches if test is None else (match for match in matches if test(match.state))
        return found if self._derive is None else self._completed(found, self._derive)

    def _in_time(self, matches: Iterator[Row], in_a_row: int) -> Iterator[Row]:
        for number, match in enumerate(matches, start=1):
            if number % in_a_row == 0:
                waiting.give_way()
                self._limiter.check()
            yield match

    def _completed(self, found: Iterator[Row], derive: Derive) -> Iterator[Row]:
        """Yield those that match by their derived values too, which are computed for many at a time."""
        test = self._derived
        while some := list(islice(found, BATCH_SIZE)):
            entities = derive([match.entity for match in some])
            for match, entity in zip(some, entities, strict=True):
                if test is None or test(entity.state):
                    yield match.with_entity(entity)
