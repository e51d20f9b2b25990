"""Reads all objects of a class in batches, for backfills."""

from collections.abc import Iterator
from itertools import chain

from stratabase.store.engine.port import Engine, Item, Key
from stratabase.store.layout import keys
from stratabase.store.layout.heads import live_head

READ_BATCH = 100
"""The number of objects that are read together."""


def count_objects(engine: Engine, stored_name: str) -> int:
    """Return the number of stored objects of a class, by its stored name."""
    return sum(map(len, engine.range(keys.LISTING, keys.listing_partition(stored_name))))


def read_heads(engine: Engine, stored_name: str) -> Iterator[list[Item]]:
    """Yield the heads of a class in batches, read by key, because the listing may lag."""
    batch: list[Key] = []
    for item in chain.from_iterable(engine.range(keys.LISTING, keys.listing_partition(stored_name))):
        batch.append(item.key)
        if len(batch) == READ_BATCH:
            yield live_heads(engine, batch)
            batch = []
    if batch:
        yield live_heads(engine, batch)


def live_heads(engine: Engine, wanted: list[Key]) -> list[Item]:
    """Return the heads with these keys, without those of objects that do not exist."""
    return [head for head in map(live_head, engine.get(wanted)) if head is not None]
