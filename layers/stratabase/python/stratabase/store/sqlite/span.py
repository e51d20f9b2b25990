"""A range of an index: the statement that reads a page of it, and what is left after that page."""

import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from stratabase.store.engine import ITEMS, Bounds, Item
from stratabase.store.sqlite.table import COLUMNS, PLACE_COLUMNS, SHOWN, Row, item_of, listed_items


class _Index(NamedTuple):
    """The column of an index's partition, and those of its order, which together tell its items apart."""

    partition: str
    order: tuple[str, ...]


_INDEXES = {
    ITEMS: _Index("partition", ("sort",)),
    **{name: _Index(p, (s, "partition", "sort")) for name, (p, s) in PLACE_COLUMNS.items()},
}

_COLUMNS = {ITEMS: COLUMNS, **SHOWN}
_AT = {name: tuple(map(_COLUMNS[name].index, index.order)) for name, index in _INDEXES.items()}


class End(NamedTuple):
    """Where a span ends: values of the first columns of its index's order; nowhere without any."""

    values: tuple[str, ...] = ()
    included: bool = True


class Span(NamedTuple):
    """A range of one partition of an index, to be read in one direction."""

    index_name: str
    partition: str
    low: End = End()
    high: End = End()
    backward: bool = False

    def rows(self, connection: sqlite3.Connection, most: int) -> Sequence[Row]:
        """Return its first rows."""
        return connection.execute(
            self.statement(), (self.partition, *self.low.values, *self.high.values, most)
        ).fetchall()

    def items(self, rows: Sequence[Row]) -> list[Item]:
        """Return the items that lie in some of its rows."""
        if self.index_name == ITEMS:
            return list(map(item_of, rows))
        return listed_items(rows, self.index_name, self.partition)

    def statement(self) -> str:
        """Return what reads it; there are only so many, so that they stay prepared."""
        low, high = (len(self.low.values), self.low.included), (len(self.high.values), self.high.included)
        return _statement(self.index_name, low, high, self.backward)

    def after(self, row: Row) -> "Span":
        """Return what is left of it after a row."""
        end = End(tuple(row[at] for at in _AT[self.index_name]), included=False)
        return self._replace(high=end) if self.backward else self._replace(low=end)


def span(index: str, partition: str, bounds: Bounds, *, backward: bool) -> Span:
    """Return the range of an index that has these bounds."""
    if index not in _INDEXES:
        raise ValueError(f"There is no index {index!r}; there are {', '.join(_INDEXES)}.")
    low, high = _end(bounds.low, bounds.low_included), _end(bounds.high, bounds.high_included)
    return Span(index, partition, low, high, backward)


def _end(bound: str | None, included: bool) -> End:  # noqa: FBT001 - as the bounds have it
    return End() if bound is None else End((bound,), included)


@cache
def _statement(index: str, low: tuple[int, bool], high: tuple[int, bool], backward: bool) -> str:  # noqa: FBT001
    partition, order = _INDEXES[index]
    conditions = [f"{partition} = ?", *_condition(order, low, ">"), *_condition(order, high, "<")]
    direction = " DESC" if backward else ""
    return (
        f"SELECT {', '.join(_COLUMNS[index])} FROM items WHERE {' AND '.join(conditions)} "  # noqa: S608 - own names
        f"ORDER BY {', '.join(column + direction for column in order)} LIMIT ?"
    )


def _condition(order: Sequence[str], end: tuple[int, bool], operator: str) -> list[str]:
    length, included = end
    if not length:
        return []
    return [f"({', '.join(order[:length])}) {operator}{'=' if included else ''} ({', '.join('?' * length)})"]
