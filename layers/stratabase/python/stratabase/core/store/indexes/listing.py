"""Reads the stored objects of a class from its listing, for work that takes longer than a request."""

from collections.abc import Generator, Iterator, Sequence

from stratabase.core.store.engine.parallel import sequential_map
from stratabase.core.store.engine.port import UNBOUNDED, Bounds, Engine, Item
from stratabase.core.store.engine.sharded_range import ShardedRange
from stratabase.core.store.indexes.registry import stored_registry
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.access_path import AccessPath


def listed_objects(engine: Engine, class_name: str, bounds: Bounds = UNBOUNDED) -> Iterator[Sequence[Item]]:
    """Yield the objects of a class in the order of their ids, page by page, as its listing has them.

    `class_name`: the stored name. `bounds`: of the ids. Meanwhile, the number of shards may change: a page
    that was read from a listing which is no longer maintained is read again from the present one.
    """
    remaining: Bounds | None = bounds
    while remaining is not None:
        listing = stored_registry(engine).listing(class_name)
        pages = ShardedRange(
            engine, sequential_map, listing.index_name, listing.partitions, remaining
        ).pages()
        remaining = yield from _while_maintained(engine, class_name, listing, remaining, pages)


def count_listed(engine: Engine, class_name: str, limit: int) -> int:
    """Return the number of objects in the listing of a class, at most `limit`.

    `class_name`: the stored name.
    """
    listing = stored_registry(engine).listing(class_name)
    pages = (
        page
        for partition in listing.partitions
        for page in engine.range(listing.index_name, partition, limit=limit, whole=False)
    )
    number = 0
    for page in pages:
        number += len(page)
        if number >= limit:
            break
    return min(number, limit)


def listing_index(engine: Engine, class_name: str) -> str:
    """Return the name of the generic index that has the listing of a class, by the class's stored name."""
    return stored_registry(engine).listing(class_name).index_name


def _while_maintained(
    engine: Engine,
    class_name: str,
    listing: AccessPath,
    bounds: Bounds,
    pages: Iterator[Sequence[Item]],
) -> Generator[Sequence[Item], None, Bounds | None]:
    """Yield pages; return the bounds of what is to be read from another listing, None if nothing is."""
    while True:
        page = next(pages, ())
        # The page is complete if the listing is still maintained after it was read.
        maintained = {path.partition for path in stored_registry(engine).paths(class_name)}
        if listing.partition not in maintained:
            return bounds
        if not page:
            return None
        yield page
        bounds = bounds._replace(low=keys.id_of(page[-1].key), low_included=False)


def count_objects(engine: Engine, stored_name: str) -> int:
    """Return the number of stored objects of a class, by its stored name."""
    return sum(map(len, listed_objects(engine, stored_name)))
