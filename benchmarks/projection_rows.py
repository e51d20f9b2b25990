"""What DynamoDB's indexes cost with different projections, from the items of real objects.

`python -m benchmarks projection` compares three projections of index2 to index8, which serve `@index`. The
listing has the state in all of them, because each page of a class without an order reads it.

- state and commit ids: as early versions of the service made the table.
- state: the present table.
- keys only: a page reads the positions, and then the heads by key, 100 in a batch.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import NamedTuple

from benchmarks.table import Figure, print_table
from stratabase.core.domain.objects.change import Change, Creation, Modification
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.model.reading import read_model
from stratabase.core.store.engine.capacity import READ_UNIT_BYTES, WRITE_UNIT_BYTES, item_bytes
from stratabase.core.store.engine.port import IndexKey, Item
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.codec import COMMIT_IDS, MAX_COMMIT_IDS, VERSION_START_ATTRIBUTE
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine

MODEL = """
extend schema @application(name: "Bench") @profile(name: "Administrator", administrator: true)
type Order @index(attributes: ["placed_on"]) @index(attributes: ["status", "placed_on"])
  @index(attributes: ["customer"]) { placed_on: Datetime status: String customer: String notes: Text }
"""
SIZES = (200, 800, 3000, 10_000)
"""Characters in the longest attribute."""
PAGE = 50
SKIPPED = 4
"""Objects that a filter without an index skips for each one that it finds."""
WRITE_PRICE, READ_PRICE = 0.625, 0.125
"""Dollars for a million units on demand (us-east-1, November 2024)."""


class Projection(NamedTuple):
    """The attributes of objects that an index contains."""

    name: str
    attributes: frozenset[str]
    has_state: bool

    def entry(self, item: Item, place: IndexKey) -> Item:
        """Return what an index contains of a head at a position."""
        attributes = {name: value for name, value in item.attributes.items() if name in self.attributes}
        state = item.state if self.has_state else None
        return replace(item, attributes=attributes, state=state, places={"": place})


_WITH_COMMIT_IDS = Projection("state, commit ids", frozenset({COMMIT_IDS, VERSION_START_ATTRIBUTE}), True)
_STATE = Projection("state", frozenset({VERSION_START_ATTRIBUTE}), True)
_KEYS_ONLY = Projection("keys only", frozenset(), False)


class Table(NamedTuple):
    """A layout of the table: what its listing contains, and what its other indexes contain."""

    listing: Projection
    others: Projection

    def entry_bytes(self, item: Item) -> Mapping[str, int]:
        """Return the size of an object in each index that it is in."""
        return {
            name: item_bytes((self.listing if name == keys.LISTING else self.others).entry(item, place))
            for name, place in item.places.items()
        }

    def storage(self, item: Item) -> int:
        """Return the bytes that an object takes, in the table and its indexes. DynamoDB adds 100 for each."""
        return item_bytes(item) + sum(size + 100 for size in self.entry_bytes(item).values())

    def create_units(self, item: Item) -> int:
        """Return the write units of a new object."""
        return _write_units(item_bytes(item)) + sum(map(_write_units, self.entry_bytes(item).values()))

    def update_units(self, item: Item, moved: int) -> int:
        """Return the write units of an update that moves the object in some of its indexes.

        A move deletes one entry and writes another. Elsewhere, an entry is written if it has the state.
        """
        sizes = self.entry_bytes(item)
        others = [_write_units(size) for name, size in sizes.items() if name != keys.LISTING]
        stays = sum(others[moved:]) if self.others.has_state else 0
        listing = _write_units(sizes[keys.LISTING])
        return _write_units(item_bytes(item)) + listing + 2 * sum(others[:moved]) + stays

    def page_units(self, item: Item, rows: int) -> float:
        """Return the read units of a page in the order of an index for which `rows` objects are read."""
        entries = ceil(rows * self.entry_bytes(item)["index2"] / READ_UNIT_BYTES) / 2
        # The heads are read eventually consistent, which costs half.
        heads = 0 if self.others.has_state else rows * ceil(item_bytes(item) / READ_UNIT_BYTES) / 2
        return entries + heads

    def page_round_trips(self, rows: int) -> int:
        """Return the round trips of such a page: the entries, then the heads in batches of 100."""
        return 1 if self.others.has_state else 1 + ceil(rows / 100)


TABLES: Mapping[str, Table] = {
    _WITH_COMMIT_IDS.name: Table(_WITH_COMMIT_IDS, _WITH_COMMIT_IDS),
    _STATE.name: Table(_STATE, _STATE),
    _KEYS_ONLY.name: Table(_STATE, _KEYS_ONLY),
}


def main(folder: Path) -> None:
    """Print the figures for objects of each size."""
    for size in SIZES:
        item = written_item(folder / f"{size}.db", size)
        title = f"An object of {item_bytes(item):,} bytes with 3 indexes and the listing"
        print_table(title, list(figures(item)))


def written_item(file: Path, size: int) -> Item:
    """Return the head of an object that was updated so often that it has all commit ids."""
    engine, new_id = SqliteEngine(file), TimeOrderedIds().new
    entities = Repository(engine, read_model(MODEL, "benchmark"))
    reference = Reference("Order", new_id())
    state = {
        "_id": reference.id,
        "placed_on": "2026-11-23T09:00:00.000Z",
        "status": "OPEN",
        "customer": "c" * 26,
    }
    entities.commit(Change(new_id(), 1, (Creation(Entity(reference, {**state, "notes": "n" * size})),)))
    for turn in range(MAX_COMMIT_IDS):
        (before,) = entities.read([reference])
        assert before is not None
        after = Entity(reference, {**before.state, "status": f"S{turn}"}, before.commit_ids)
        entities.commit(Change(new_id(), 2 + turn, (Modification(before, after),)))
    (item,) = engine.get([keys.head(reference)])
    assert item is not None
    assert len(item.places) == 4
    engine.close()
    return item


def figures(item: Item) -> Iterator[Figure]:
    """Yield the figures of an object for each projection."""
    rows: Sequence[tuple[str, Callable[[Table], float], str]] = (
        ("storage", lambda table: table.storage(item), "bytes"),
        ("create", lambda table: table.create_units(item), "units"),
        ("update, no index moves", lambda table: table.update_units(item, 0), "units"),
        ("update, one index moves", lambda table: table.update_units(item, 1), "units"),
        ("page of 50: round trips", lambda table: table.page_round_trips(PAGE), ""),
        ("page of 50", lambda table: table.page_units(item, PAGE), "units"),
        ("filtered page: round trips", lambda table: table.page_round_trips(PAGE * (1 + SKIPPED)), ""),
        ("filtered page", lambda table: table.page_units(item, PAGE * (1 + SKIPPED)), "units"),
    )
    for name, figure, unit in rows:
        for table_name, table in TABLES.items():
            yield Figure(f"{name}, {table_name}", figure(table), unit)
    yield Figure(
        "updates for each page from which keys only is cheaper", updates_to_outweigh_a_page(item), ""
    )


def updates_to_outweigh_a_page(item: Item) -> float:
    """Return how many updates must come for each page of 50, so that keys only costs less than the state."""
    state, keys_only = TABLES[_STATE.name], TABLES[_KEYS_ONLY.name]
    more_for_a_page = (keys_only.page_units(item, PAGE) - state.page_units(item, PAGE)) * READ_PRICE
    less_for_an_update = (state.update_units(item, 0) - keys_only.update_units(item, 0)) * WRITE_PRICE
    return more_for_a_page / less_for_an_update


def _write_units(size: int) -> int:
    return max(1, ceil(size / WRITE_UNIT_BYTES))
