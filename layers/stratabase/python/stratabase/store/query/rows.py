"""A row, which is an object that was read for a page and is decoded lazily, and the filter of rows."""

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
"""The number of objects that are read by key, or whose derived values are computed, at a time."""

_COMPARISONS_PER_TURN = 10_000
"""Comparisons to make before other requests may proceed and the time limit is checked."""

_FEW_COMPARISONS = 10
"""The number of comparisons per object below which comparing takes less time than reading the object."""


class Row:
    """An item of an object, whose state is decoded at most once, when it is first needed."""

    __slots__ = ("_class", "_entity", "_item", "_state", "_version_start")

    def __init__(self, item: Item, class_: Class, *, version_start: bool) -> None:
        """`version_start`: whether the state of a versioned object must contain `_versionStart`."""
        self._item = item
        self._class = class_
        self._version_start = version_start
        self._state: State | None = None
        self._entity: Entity | None = None

    @property
    def state(self) -> State:
        """The state of the object."""
        if self._state is None:
            self._state = codec.state_of(self._item, self._class, version_start=self._version_start)
        return self._state

    @property
    def partition(self) -> str:
        """The partition of the item, which is unique to the object."""
        return self._item.key.partition

    @property
    def entity(self) -> Entity:
        """The object."""
        return self._entity or codec.entity_of(
            self._item, self._class, self._state, version_start=self._version_start
        )

    def with_entity(self, entity: Entity) -> "Row":
        """Set the entity of this row to one with derived values in its state; return the row."""
        self._entity, self._state = entity, entity.state
        return self

    def sort_key(self, index_name: str) -> str:
        """Return the sort key of the object in an index."""
        return self._item.places[index_name].sort

    def index_text(self, index_name: str) -> str:
        """Return the values of the object in the sort key of an index, without the id."""
        return self.sort_key(index_name).removesuffix(keys.id_of(self._item.key))


def distinct_rows(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield each object once. If it is written during a scan of an index, the scan may find it twice."""
    seen: set[str] = set()
    for row in rows:
        if row.partition not in seen:
            seen.add(row.partition)
            yield row


class RowFilter:
    """A function that converts items to rows, and yields the rows that match a filter.

    With `derive`, it computes the derived attributes of rows, which the filter may also use.
    """

    def __init__(
        self,
        class_: Class,
        filter_: Filter | None,
        limiter: ReadLimiter,
        derive: Derive | None = None,
        *,
        needs_version_start: bool = True,
    ) -> None:
        """`needs_version_start`: whether the states of versioned objects must contain `_versionStart`."""
        self._class = class_
        self._version_start = needs_version_start
        stored, derived = split_filter(filter_, class_)
        self._derive = derive
        self._matches_stored: Test | None = None if stored is None else matcher(stored, class_)
        self._matches_derived: Test | None = None if derived is None else matcher(derived, class_)
        self._limiter = limiter
        self._comparisons = 0 if filter_ is None else test_cost(filter_)

    def __bool__(self) -> bool:
        """Whether it may yield fewer rows than it reads, or reads ahead."""
        return self._matches_stored is not None or self._derive is not None

    def __call__(self, items: Iterator[Item]) -> Iterator[Row]:
        """Yield the rows of items that match, in the order of the items. Raises ReadBudgetExceeded."""
        matches = self._matches_stored
        rows: Iterator[Row] = (Row(item, self._class, version_start=self._version_start) for item in items)
        if self._comparisons > _FEW_COMPARISONS:
            rows = self._give_way_between(rows, max(1, _COMPARISONS_PER_TURN // self._comparisons))
        found = rows if matches is None else (row for row in rows if matches(row.state))
        return found if self._derive is None else self._with_derived_values(found, self._derive)

    def _give_way_between(self, rows: Iterator[Row], rows_per_turn: int) -> Iterator[Row]:
        for number, row in enumerate(rows, start=1):
            if number % rows_per_turn == 0:
                waiting.give_way()
                self._limiter.check()
            yield row

    def _with_derived_values(self, found: Iterator[Row], derive: Derive) -> Iterator[Row]:
        """Derive values batch by batch, and yield the rows that match the filter of derived attributes."""
        matches = self._matches_derived
        while batch := list(islice(found, BATCH_SIZE)):
            entities = derive([row.entity for row in batch])
            for row, entity in zip(batch, entities, strict=True):
                if matches is None or matches(entity.state):
                    yield row.with_entity(entity)
