"""The table of items: its columns and indexes, and the conversion between items and rows."""

from collections.abc import Mapping, Sequence
from itertools import repeat
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from stratabase.core.store.engine.port import INDEX_NAMES, IndexKey, Item, Key, Value

TableRow = tuple[Any, ...]
"""The values of COLUMNS."""

PLACE_COLUMNS = {name: (f"p{number}", f"s{number}") for number, name in enumerate(INDEX_NAMES, 1)}
"""By secondary index: the columns with an item's position in it, as (partition, sort)."""

OWN_COLUMNS = ("partition", "sort", "attributes", "state")
"""The columns with an item without its places. Reading all columns would cost twice as much."""

COLUMNS = (*OWN_COLUMNS, *(name for pair in PLACE_COLUMNS.values() for name in pair))

_PLACE_POSITIONS = tuple((name, COLUMNS.index(columns[0])) for name, columns in PLACE_COLUMNS.items())

INDEX_COLUMNS = {name: (*OWN_COLUMNS, sort) for name, (_, sort) in PLACE_COLUMNS.items()}
"""By secondary index: the columns that a range reads."""

# A rowid table appends new rows at its end, whatever their keys. The partial indexes contain only the items
# that have a position in them.
CREATE_STATEMENTS = (
    "CREATE TABLE items (id INTEGER PRIMARY KEY, partition TEXT NOT NULL, sort TEXT NOT NULL, "
    "attributes TEXT NOT NULL, state TEXT, "
    + ", ".join(f"{p} TEXT, {s} TEXT" for p, s in PLACE_COLUMNS.values())
    + ", UNIQUE (partition, sort)) STRICT",
    *(
        f"CREATE INDEX {name} ON items ({p}, {s}, partition, sort) WHERE {p} IS NOT NULL"
        for name, (p, s) in PLACE_COLUMNS.items()
    ),
)
"""The statements that create the table in an empty file."""


def item_of(row: TableRow) -> Item:
    """Return the item of a row with the values of COLUMNS."""
    places = {name: IndexKey(row[at], row[at + 1]) for name, at in _PLACE_POSITIONS if row[at] is not None}
    return Item(Key(row[0], row[1]), orjson.loads(row[2]), row[3], places)


class ItemWithoutPlaces(Item):
    """The item of a row with the values of OWN_COLUMNS. Its parts are converted when they are used."""

    __slots__ = ("_attributes", "_row", "partition")

    partition: str
    state: str | None

    def __init__(self, row: TableRow) -> None:
        self._row = row
        self._attributes: Mapping[str, Value] | None = None
        self.partition = row[0]
        self.state = row[3]

    @property
    def key(self) -> Key:
        """The primary key."""
        return Key(self._row[0], self._row[1])

    @property
    def attributes(self) -> Mapping[str, Value]:
        """The values that conditions can test, which are converted once."""
        attributes = self._attributes
        if attributes is None:
            attributes = self._attributes = orjson.loads(self._row[2])
        return attributes

    @property
    def places(self) -> Mapping[str, IndexKey]:
        """Always empty."""
        return _NO_PLACES


_NO_PLACES: Mapping[str, IndexKey] = MappingProxyType({})


class _IndexItem(ItemWithoutPlaces):
    """The item of a row with the values of INDEX_COLUMNS. It only has its place in this index."""

    __slots__ = ("_index",)

    def __init__(self, row: TableRow, index: tuple[str, str]) -> None:
        """`index`: the name of the index, and the partition of the item in it."""
        self._row = row
        self._attributes = None
        self._index = index
        self.partition = row[0]
        self.state = row[3]

    @property
    def places(self) -> Mapping[str, IndexKey]:
        name, partition = self._index
        return {name: IndexKey(partition, self._row[4])}

    def sort_in(self, index: str) -> str:
        assert index == self._index[0]
        sort: str = self._row[4]
        return sort


STATE_COLUMNS = {name: ("partition", "state", sort) for name, (_, sort) in PLACE_COLUMNS.items()}
"""By secondary index: the columns that a range reads whose caller does not need whole items."""


class _StateItem(NamedTuple):
    """The item of a row with the values of STATE_COLUMNS: what an item has that is not whole."""

    partition: str
    state: str | None
    sort: str

    def sort_in(self, index: str) -> str:
        del index
        return self.sort


def state_items(rows: Sequence[TableRow]) -> list[Item]:
    """Return the items of rows with the values of STATE_COLUMNS, which have nothing else."""
    # Every row that is read for a page passes here. Objects would take three times as long.
    items: list[Any] = list(map(tuple.__new__, repeat(_StateItem), rows))
    return items


def index_items(rows: Sequence[TableRow], index: str, index_partition: str) -> list[Item]:
    """Return the items of rows with the values of INDEX_COLUMNS. They only have their place in this index."""
    place = (index, index_partition)
    return [_IndexItem(row, place) for row in rows]


def check_places(item: Item) -> Mapping[str, IndexKey]:
    """Return the places of an item. ValueError if one is in an index that does not exist."""
    places = item.places
    if not places.keys() <= PLACE_COLUMNS.keys():
        raise ValueError(f"The indexes are {', '.join(INDEX_NAMES)}, but an item has places in {[*places]}.")
    return places


def attributes_json(attributes: Mapping[str, Value]) -> str:
    """Return attributes as JSON text."""
    return orjson.dumps(dict(attributes)).decode() if attributes else "{}"
