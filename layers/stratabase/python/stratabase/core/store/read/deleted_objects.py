"""Reads the deleted objects of a class in the order of their deletion or of their ids.

An index gives the keys of tombstones. The tombstones are read by key, because the index does not carry what
they say. They name the last versions, which are read in a second batch.
"""

from collections.abc import Iterator, Sequence

from stratabase.core.domain.objects.change import DeletedObject, DeletionPlace, Tombstone
from stratabase.core.domain.objects.commit_refusals import DeletedNotListed
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.store.engine.port import Bounds
from stratabase.core.store.engine.read_limiter import ReadLimiter
from stratabase.core.store.engine.sharded_range import ShardedRange
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.object_items import read_tombstone, read_version
from stratabase.core.store.read.context import StoreContext

_MAX_BATCH = 200
"""The maximum number of deleted objects to read together."""


def deleted_objects(  # noqa: PLR0913 - where to start, and in which order
    store: StoreContext,
    class_name: str,
    start: DeletionPlace | None,
    limiter: ReadLimiter,
    *,
    inclusive: bool,
    oldest_first: bool,
    size: int,
) -> Iterator[Sequence[DeletedObject]]:
    """Yield the deleted objects of a class in batches, in the order of deletion or the opposite one.

    `start`: where to start, None for the beginning. `inclusive`: with what lies there. `size`: of the first
    batch. Raises DeletedNotListed, ReadBudgetExceeded.
    """
    sort = None if start is None else keys.deletion_sort(*start)
    bounds = _beyond(sort, None, inclusive=inclusive, backward=not oldest_first)
    class_ = store.model.classes[class_name]
    for gone in _tombstones(
        store, class_name, keys.DELETED_BY_TIME, bounds, limiter, backward=not oldest_first, size=size
    ):
        versions = store.get([keys.version(each.reference, each.previous_start) for each in gone], limiter)
        yield [
            DeletedObject(each, read_version(item, class_))
            for each, item in zip(gone, versions, strict=True)
            if item is not None
        ]


def tombstones_by_id(  # noqa: PLR0913 - which ids, and in which order
    store: StoreContext,
    class_name: str,
    after: str | None,
    until: str | None,
    limiter: ReadLimiter,
    *,
    backward: bool,
    size: int,
) -> Iterator[Sequence[Tombstone]]:
    """Yield the tombstones of a class in batches, in the order of their ids or the opposite one.

    `after`, `until`: where to start, without the object there, and where to end, with the object there; None
    for the ends. `size`: of the first batch. Raises DeletedNotListed, ReadBudgetExceeded.
    """
    bounds = _beyond(after, until, inclusive=False, backward=backward)
    yield from _tombstones(store, class_name, keys.LISTING, bounds, limiter, backward=backward, size=size)


def _beyond(start: str | None, end: str | None, *, inclusive: bool, backward: bool) -> Bounds:
    """Return the sort keys from a start on in the direction of reading, up to an end."""
    if backward:
        return Bounds(low=end, high=start, high_included=inclusive)
    return Bounds(low=start, high=end, low_included=inclusive)


def _tombstones(  # noqa: PLR0913 - what to read of which index
    store: StoreContext,
    class_name: str,
    index: str,
    bounds: Bounds,
    limiter: ReadLimiter,
    *,
    backward: bool,
    size: int,
) -> Iterator[list[Tombstone]]:
    """Yield the tombstones at the positions of an index in batches, without what is not deleted any more."""
    listing = store.write_schema().deleted_listing(class_name)
    if listing is None or not listing.ready:
        raise DeletedNotListed(class_name)
    found = ShardedRange(
        store.engine,
        store.parallel_map,
        index,
        listing.partitions,
        bounds,
        backward=backward,
        spend=limiter.spend,
        whole=False,
    ).reader()
    size = min(size, _MAX_BATCH)
    while page := found.take(size):
        references = [Reference(class_name, keys.id_in(item.partition)) for item in page]
        heads = store.get([keys.head(each) for each in references], limiter)
        # The index may lag: an object may have been restored, and deleted again since. Then another position
        # of the index by time is right.
        yield [
            gone
            for item, gone in zip(page, map(read_tombstone, heads), strict=True)
            if gone is not None and listing.places(gone)[index].sort == item.sort_in(index)
        ]
        if len(page) < size:
            return
        size = min(2 * size, _MAX_BATCH)
