"""Reads the deleted objects of a class in the order of their deletion.

The index gives the keys of tombstones. The tombstones are read by key, because the index does not carry what
they say. They name the last versions, which are read in a second batch.
"""

from collections.abc import Iterator, Sequence

from stratabase.core.domain.objects.change import DeletedObject, DeletionPlace, Tombstone
from stratabase.core.domain.objects.commit_refusals import DeletedNotListed
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.store.engine.port import UNBOUNDED, Bounds, Item
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
    listing = store.write_schema().deleted_listing(class_name)
    if listing is None or not listing.ready:
        raise DeletedNotListed(class_name)
    found = ShardedRange(
        store.engine,
        store.parallel_map,
        keys.DELETED_BY_TIME,
        listing.partitions,
        _bounds(start, inclusive=inclusive, oldest_first=oldest_first),
        backward=not oldest_first,
        spend=limiter.spend,
        whole=False,
    ).reader()
    size = min(size, _MAX_BATCH)
    while page := found.take(size):
        yield _read(store, class_name, page, limiter)
        if len(page) < size:
            return
        size = min(2 * size, _MAX_BATCH)


def _bounds(start: DeletionPlace | None, *, inclusive: bool, oldest_first: bool) -> Bounds:
    if start is None:
        return UNBOUNDED
    sort = keys.deletion_sort(*start)
    if oldest_first:
        return Bounds(sort, low_included=inclusive)
    return Bounds(high=sort, high_included=inclusive)


def _read(
    store: StoreContext, class_name: str, page: Sequence[Item], limiter: ReadLimiter
) -> list[DeletedObject]:
    """Return the deleted objects at positions of the index, without those that are deleted no more."""
    references = [Reference(class_name, keys.id_in(item.partition)) for item in page]
    heads = store.get([keys.head(each) for each in references], limiter)
    pairs = zip(page, map(read_tombstone, heads), strict=True)
    # The index may lag: an object may have been restored, and deleted again since.
    gone = [
        each for item, each in pairs if each is not None and item.sort_in(keys.DELETED_BY_TIME) == _sort(each)
    ]
    versions = store.get([keys.version(each.reference, each.previous_start) for each in gone], limiter)
    class_ = store.model.classes[class_name]
    return [
        DeletedObject(each, read_version(item, class_))
        for each, item in zip(gone, versions, strict=True)
        if item is not None
    ]


def _sort(gone: Tombstone) -> str:
    return keys.deletion_sort(gone.last_end, gone.reference.id)
