"""A row: an object that a page may show, as an index or a key gave it; and the filter that rows pass."""

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

BATCH_SIZE = 100
"""For how many objects derived values are computed at once: as many as engines get with a request."""

_COMPARISONS_IN_A_ROW = 10_000
"""Comparisons that are made before others may go on, and it is checked whether there is time for more."""

_FEW_COMPARISONS = 10
"""Comparisons with an object that take less time than reading it."""


class Row:
    """An item that stands for an object. The state in it is decoded once, and only when it is needed."""

    __slots__ = ("_entity", "_item", "_state", "_versioned_class")

    def __init__(self, item: Item, versioned_class: Class | None) -> None:
        """`versioned_class`: the object's class, if its state shall say when it began; otherwise None."""
        self._item = item
        self._versioned_class = versioned_class
        self._state: State | None = None
        self._entity: Entity | None = None

    @property
    def state(self) -> State:
        """The object's state."""
        if self._state is None:
            self._state = codec.state_of(self._item, self._versioned_class)
        return self._state

    @property
    def partition(self) -> str:
        """The partition of the item, which no other object has."""
        return self._item.key.partition

    @property
    def entity(self) -> Entity:
        """The object."""
        return self._entity or codec.entity_of(self._item, self._versioned_class, self._state)

    def with_entity(self, entity: Entity) -> "Row":
        """Return this row, from now on with an entity that has derived values in its state too."""
        self._entity, self._state = entity, entity.state
        return self

    def sort_key(self, index_name: str) -> str:
        """Return the sort key by which the object was found in an index."""
        return self._item.places[index_name].sort

    def index_text(self, index_name: str) -> str:
        """Return the text of the values by which the object was found in an index, without the id."""
        return self.sort_key(index_name).removesuffix(keys.id_of(self._item.key))


def distinct_rows(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield each object once: one that is written while an index is read may move on, and be met again."""
    seen: set[str] = set()
    for row in rows:
        if row.partition not in seen:
            seen.add(row.partition)
            yield row


class RowFilter:
    """Makes rows of items, and lets those through that match a filter; all of them without one.

    With `derive`, rows get the values that it computes, and the filter may be about these too.
    """

    def __init__(
        self,
        class_: Class,
        filter_: Filter | None,
        limiter: ReadLimiter,
        derive: Derive | None = None,
        *,
        tells_version_start: bool = True,
    ) -> None:
        """`tells_version_start`: whether the states of rows must, where their class is versioned."""
        self._versioned_class = class_ if tells_version_start else None
        stored, derived = split_filter(filter_, class_)
        self._derive = derive
        self._matches_stored: Test | None = None if stored is None else matcher(stored, class_)
        self._matches_derived: Test | None = None if derived is None else matcher(derived, class_)
        self._limiter = limiter
        self._comparisons = 0 if filter_ is None else test_cost(filter_)

    def __bool__(self) -> bool:
        """Whether it lets through less than it gets, or later."""
        return self._matches_stored is not None or self._derive is not None

    def __call__(self, items: Iterator[Item]) -> Iterator[Row]:
        """Yield the matching rows of items, in their order. Raises ReadBudgetExceeded."""
        matches = self._matches_stored
        rows: Iterator[Row] = (Row(item, self._versioned_class) for item in items)
        if self._comparisons > _FEW_COMPARISONS:
            rows = self._give_way_between(rows, max(1, _COMPARISONS_IN_A_ROW // self._comparisons))
        found = rows if matches is None else (row for row in rows if matches(row.state))
        return found if self._derive is None else self._with_derived_values(found, self._derive)

    def _give_way_between(self, rows: Iterator[Row], rows_in_a_row: int) -> Iterator[Row]:
        for number, row in enumerate(rows, start=1):
            if number % rows_in_a_row == 0:
                waiting.give_way()
                self._limiter.check()
            yield row

    def _with_derived_values(self, found: Iterator[Row], derive: Derive) -> Iterator[Row]:
        """Yield the rows that match by their derived values too, which are computed for many at a time."""
        matches = self._matches_derived
        while batch := list(islice(found, BATCH_SIZE)):
            entities = derive([row.entity for row in batch])
            for row, entity in zip(batch, entities, strict=True):
                if matches is None or matches(entity.state):
                    yield row.with_entity(entity)
