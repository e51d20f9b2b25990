"""The SELECT statements: items by keys, many at a time, and ranges page by page or counted.

There are only few different SQL texts, so that SQLite's cache of prepared statements has them.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

import orjson

from stratabase.core.store.engine.port import ITEMS, Beginnings, Bounds, Item, Key
from stratabase.core.store.sqlite.table import (
    COLUMNS,
    INDEX_COLUMNS,
    OWN_COLUMNS,
    PLACE_COLUMNS,
    STATE_COLUMNS,
    ItemWithoutPlaces,
    TableRow,
    index_items,
    item_of,
    state_items,
)

MAX_KEYS_PER_STATEMENT = 256
"""The maximum number of keys that one statement reads."""

_SMALL_LIMIT = 64
"""The maximum number of rows that are read together, whatever their size is."""
_FIRST_ROWS = 16
"""The number of rows of a larger page that are read first. Then twice as many are read, up to the limit."""
_MAX_PAGE_SIZE = 1024 * 1024
"""The size of the states of a page after which the page ends, in characters. Reading so many takes about a
millisecond, and other requests may proceed after a page."""

_TRIED = 32
"""After how many beginnings to decide, by these alone, whether counting or reading the next is faster."""
_MANY = 10
"""The average number of items of a beginning that makes counting faster than reading."""
_READ_AT_ONCE = 4_096
"""The number of keys to read at a time."""
_MAX_READ = 1_000_000
"""The number of keys to read at most, which takes less than a second."""
_LAST = chr(0x10FFFF)
"""No key has this character after a beginning."""

_ATTRIBUTE_COLUMNS = OWN_COLUMNS[:3]


class _ItemColumns(NamedTuple):
    """Columns, and the function that makes an item of a row of them."""

    names: tuple[str, ...]
    item_of: Callable[[TableRow], Item]


_COMPLETE = _ItemColumns(COLUMNS, item_of)
_WITHOUT_PLACES = _ItemColumns(OWN_COLUMNS, ItemWithoutPlaces)


def select_items(
    connection: sqlite3.Connection, keys: Sequence[Key], *, places: bool = True
) -> list[Item | None]:
    """Return the items in the order of `keys`, None for a missing item, as one snapshot.

    `places`: whether the items have their places.
    """
    columns = _COMPLETE if places else _WITHOUT_PLACES
    if len(keys) == 1:
        rows = _rows_by_key(connection, keys, columns.names)
        return [columns.item_of(rows[0]) if rows else None]
    found = select_by_key(connection, keys, columns)
    return [found.get(key) for key in keys]


_SELECT_AFTER = (
    f"SELECT {', '.join(COLUMNS)} FROM items WHERE (partition, sort) > (?, ?) "  # noqa: S608 - only constant names
    "ORDER BY partition, sort LIMIT ?"
)


def select_after(connection: sqlite3.Connection, key: Key | None, limit: int) -> list[Item]:
    """Return the first items after a key, in the order of keys. None: from the first item on."""
    # No key contains an empty text.
    rows = connection.execute(_SELECT_AFTER, (*(key or ("", "")), limit)).fetchall()
    return list(map(item_of, rows))


def select_by_key(
    connection: sqlite3.Connection, keys: Sequence[Key], columns: _ItemColumns = _COMPLETE
) -> Mapping[tuple[str, ...], Item]:
    """Return the existing items with these keys by key, as one snapshot."""
    if len(keys) <= MAX_KEYS_PER_STATEMENT:
        return _select_many(connection, keys, columns)
    connection.execute("BEGIN")
    with connection:
        parts = [
            _select_many(connection, keys[at : at + MAX_KEYS_PER_STATEMENT], columns)
            for at in range(0, len(keys), MAX_KEYS_PER_STATEMENT)
        ]
    return {key: item for part in parts for key, item in part.items()}


def select_attributes(connection: sqlite3.Connection, keys: Sequence[Key]) -> Mapping[Key, Item]:
    """Return the existing items with these keys, with their attributes only. `keys`: without duplicates."""
    rows = _rows_by_key(connection, keys, _ATTRIBUTE_COLUMNS)
    return {(key := Key(partition, sort)): Item(key, orjson.loads(text)) for partition, sort, text in rows}


def _select_many(
    connection: sqlite3.Connection, keys: Sequence[Key], columns: _ItemColumns
) -> dict[tuple[str, ...], Item]:
    return {row[:2]: columns.item_of(row) for row in _rows_by_key(connection, keys, columns.names)}


def _rows_by_key(
    connection: sqlite3.Connection, keys: Sequence[Key], columns: tuple[str, ...]
) -> list[TableRow]:
    if not keys:
        return []
    # Pad the keys, so that there are few statements: to a power of two, or a multiple of 8. No item has a key
    # of nulls.
    size = 1 << (len(keys) - 1).bit_length() if len(keys) <= 8 else -(-len(keys) // 8) * 8
    parameters = [*chain.from_iterable(keys), *[None] * (2 * (size - len(keys)))]
    return connection.execute(_select_statement(size, columns), parameters).fetchall()


@cache
def _select_statement(size: int, columns: tuple[str, ...]) -> str:
    if size == 1:
        return f"SELECT {', '.join(columns)} FROM items WHERE partition = ? AND sort = ?"  # noqa: S608 - only constant names
    # SQLite does not reorder a CROSS JOIN. So it looks up each key, and does not scan the table.
    wanted = ", ".join(["(?, ?)"] * size)
    return (
        f"SELECT {', '.join(columns)} FROM (VALUES {wanted}) AS wanted "  # noqa: S608 - only constant names
        "CROSS JOIN items ON partition = wanted.column1 AND sort = wanted.column2"
    )


class _Index(NamedTuple):
    """The columns of an index."""

    partition: str
    order: tuple[str, ...]
    """The columns that sort a partition. They identify an item in it."""


_INDEXES = {
    ITEMS: _Index("partition", ("sort",)),
    **{name: _Index(p, (s, "partition", "sort")) for name, (p, s) in PLACE_COLUMNS.items()},
}

_COLUMNS = {
    True: {ITEMS: COLUMNS, **INDEX_COLUMNS},
    False: {ITEMS: OWN_COLUMNS, **STATE_COLUMNS},
}
"""By whether the caller needs whole items, and by index: the columns that a range reads."""


class RangeEnd(NamedTuple):
    """One end of a range."""

    values: tuple[str, ...] = ()
    """Values of the first columns of the index's order; none if the end is open."""
    included: bool = True


class FirstRows(NamedTuple):
    """The first rows of a range."""

    rows: Sequence[TableRow]
    are_all: bool
    """Whether the range certainly has no more."""


class RangeQuery(NamedTuple):
    """A query for a range of one partition of an index."""

    index_name: str
    partition: str
    low: RangeEnd = RangeEnd()
    high: RangeEnd = RangeEnd()
    backward: bool = False
    whole: bool = True
    """Whether to read whole items."""

    def rows(self, connection: sqlite3.Connection, limit: int) -> FirstRows:
        """Return the first rows of the range: at most `limit`, and fewer if their states are large."""
        cursor = connection.execute(
            self.statement(), (self.partition, *self.low.values, *self.high.values, limit)
        )
        if limit <= _SMALL_LIMIT:
            rows = cursor.fetchall()
            return FirstRows(rows, len(rows) < limit)
        rows, size, state = [], 0, self._columns.index("state")
        at_once = _FIRST_ROWS
        while size < _MAX_PAGE_SIZE:
            rows += (piece := cursor.fetchmany(at_once))
            size += sum([len(row[state] or "") for row in piece])
            if len(piece) < at_once:  # the end
                break
            at_once = min(2 * at_once, _SMALL_LIMIT)
        # An open cursor would keep later queries at the same snapshot.
        cursor.close()
        return FirstRows(rows, size < _MAX_PAGE_SIZE and len(rows) < limit)

    def items(self, rows: Sequence[TableRow]) -> list[Item]:
        """Return the items of rows of the range."""
        if self.index_name == ITEMS:
            return list(map(item_of if self.whole else ItemWithoutPlaces, rows))
        if not self.whole:
            return state_items(rows)
        return index_items(rows, self.index_name, self.partition)

    def statement(self) -> str:
        """Return the SQL that reads the range."""
        return _statement(self.index_name, self._low, self._high, self.backward, self.whole)

    def sort_keys(self, connection: sqlite3.Connection, limit: int = -1) -> sqlite3.Cursor:
        """Return the first sort keys of the range, which the index alone has. `limit`: none if negative."""
        parameters = (self.partition, *self.low.values, *self.high.values, limit)
        return connection.execute(_keys_statement(self.index_name, self._low, self._high), parameters)

    def row_count(self, connection: sqlite3.Connection, limit: int | None = None) -> int:
        """Return the number of rows of the range, at most `limit` if there is one."""
        limits = () if limit is None else (limit,)
        parameters = (self.partition, *self.low.values, *self.high.values, *limits)
        statement = self.count_statement(has_limit=limit is not None)
        ((number,),) = connection.execute(statement, parameters).fetchall()
        return int(number)

    def count_statement(self, *, has_limit: bool) -> str:
        """Return the SQL that counts the range. `has_limit`: up to a number, its last parameter."""
        return _count_statement(self.index_name, self._low, self._high, has_limit)

    @property
    def _columns(self) -> tuple[str, ...]:
        return _COLUMNS[self.whole][self.index_name]

    @property
    def _low(self) -> tuple[int, bool]:
        return len(self.low.values), self.low.included

    @property
    def _high(self) -> tuple[int, bool]:
        return len(self.high.values), self.high.included

    def after(self, row: TableRow) -> "RangeQuery":
        """Return the query for the rest of the range after a row."""
        # Without its sort key, a row follows in the index by its partition, of which there is one item.
        columns, order = self._columns, _INDEXES[self.index_name].order
        end = RangeEnd(tuple(row[columns.index(name)] for name in order if name in columns), included=False)
        return self._replace(high=end) if self.backward else self._replace(low=end)


def range_query(
    index: str, partition: str, bounds: Bounds, *, backward: bool, whole: bool = True
) -> RangeQuery:
    """Return the query for a range of an index. Raises ValueError if there is no such index."""
    if index not in _INDEXES:
        raise ValueError(f"There is no index {index!r}; there are {', '.join(_INDEXES)}.")
    low, high = _end(bounds.low, bounds.low_included), _end(bounds.high, bounds.high_included)
    return RangeQuery(index, partition, low, high, backward, whole)


def count_rows(
    connection: sqlite3.Connection, queries: Sequence[RangeQuery], limit: int | None = None
) -> int:
    """Return the number of rows of several ranges, as one snapshot: at most `limit`, if there is one."""
    if len(queries) == 1:
        return queries[0].row_count(connection, limit)
    connection.execute("BEGIN")
    total = 0
    with connection:
        for query in queries:
            total += query.row_count(connection, None if limit is None else limit - total)
            if total == limit:
                break
    return total


def count_beginnings(
    connection: sqlite3.Connection, queries: Sequence[RangeQuery], beginnings: Beginnings
) -> Mapping[str, int] | None:
    """Return the numbers of items in several ranges by beginning, as one snapshot.

    None if there are too many beginnings or items.
    """
    found = Counter[str]()
    left = _MAX_READ
    connection.execute("BEGIN")
    with connection:
        for query in queries:
            rest: RangeQuery | None = _count_many(connection, query, beginnings, found)
            if rest is None:
                continue
            for keys in _read(connection, rest):
                left -= len(keys)
                found.update(map(beginnings.of, keys))
                if len(found) > beginnings.most or left < 0:
                    return None
    return found if len(found) <= beginnings.most else None


def _count_many(
    connection: sqlite3.Connection, query: RangeQuery, beginnings: Beginnings, found: Counter[str]
) -> RangeQuery | None:
    """Count the items of one beginning after the other. Return the rest of the range, None if there is none.

    Stop where few items share a beginning, or at too many beginnings.
    """
    rest, tried, items = query, 0, 0
    while first := rest.sort_keys(connection, 1).fetchone():
        beginning = beginnings.of(first[0])
        end = min([beginning + _LAST, *query.high.values])
        is_last = end in query.high.values
        within = query.high if is_last else RangeEnd((end,))
        number = rest._replace(high=within).row_count(connection)
        found[beginning] += number
        if is_last:
            return None
        rest = rest._replace(low=RangeEnd((end,), included=False))
        tried, items = tried + 1, items + number
        if len(found) > beginnings.most:
            return rest
        if tried == _TRIED:
            if items < _MANY * tried:
                return rest
            tried, items = 0, 0  # the next ones may be different: most items may have the same value
    return None


def _read(connection: sqlite3.Connection, query: RangeQuery) -> Iterator[list[str]]:
    """Yield the sort keys of a range, some at a time."""
    cursor = query.sort_keys(connection)
    try:
        while rows := cursor.fetchmany(_READ_AT_ONCE):
            yield [key for (key,) in rows]
    finally:
        cursor.close()


def select_data_version(connection: sqlite3.Connection) -> tuple[sqlite3.Connection, int]:
    """Return a connection, and a number that changes with each commit of any other one, in any process.

    The numbers of different connections have nothing to do with each other.
    """
    ((number,),) = connection.execute("PRAGMA data_version").fetchall()
    return connection, number


def _end(bound: str | None, included: bool) -> RangeEnd:  # noqa: FBT001 - like the field of Bounds
    return RangeEnd() if bound is None else RangeEnd((bound,), included)


@cache
def _statement(
    index: str,
    low: tuple[int, bool],
    high: tuple[int, bool],
    backward: bool,  # noqa: FBT001
    whole: bool,  # noqa: FBT001
) -> str:
    direction = " DESC" if backward else ""
    return (
        f"SELECT {', '.join(_COLUMNS[whole][index])} FROM items WHERE {_conditions(index, low, high)} "  # noqa: S608 - only constant names
        f"ORDER BY {', '.join(column + direction for column in _INDEXES[index].order)} LIMIT ?"
    )


@cache
def _keys_statement(index: str, low: tuple[int, bool], high: tuple[int, bool]) -> str:
    sort, *others = _INDEXES[index].order
    return (
        f"SELECT {sort} FROM items WHERE {_conditions(index, low, high)} "  # noqa: S608 - only constant names
        f"ORDER BY {', '.join((sort, *others))} LIMIT ?"
    )


@cache
def _count_statement(index: str, low: tuple[int, bool], high: tuple[int, bool], has_limit: bool) -> str:  # noqa: FBT001
    # The index alone answers this, so SQLite reads no row of the table. For each entry, it executes three
    # instructions without a limit, and eight with one.
    entries = f"FROM items WHERE {_conditions(index, low, high)}"
    counted = f"FROM (SELECT 1 {entries} LIMIT ?)" if has_limit else entries
    return f"SELECT count(*) {counted}"


def _conditions(index: str, low: tuple[int, bool], high: tuple[int, bool]) -> str:
    partition, order = _INDEXES[index]
    return " AND ".join([f"{partition} = ?", *_condition(order, low, ">"), *_condition(order, high, "<")])


def _condition(order: Sequence[str], end: tuple[int, bool], operator: str) -> list[str]:
    length, included = end
    if not length:
        return []
    return [f"({', '.join(order[:length])}) {operator}{'=' if included else ''} ({', '.join('?' * length)})"]
