"""Finds the objects of a class that may have existed at an instant, in the order of their IDs.

They are in the listing of the class, or in that of its deleted objects: this module merges both. An ID begins
with the time at which it was made, so those between the instant and the present belong to younger objects.
All other IDs, such as those of the future, say nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from heapq import merge
from itertools import islice

from stratabase.core.domain.objects.commit_refusals import DeletedNotListed
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.page import IdRange
from stratabase.core.store.engine.port import Bounds, Item
from stratabase.core.store.engine.read_limiter import ReadLimiter
from stratabase.core.store.engine.sharded_range import RangeReader, ShardedRange
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.deleted_listing import DeletedListing
from stratabase.core.store.read.context import StoreContext

TakeIds = Callable[[int], list[str]]
"""Returns the next IDs. There are at most as many as it is asked for, and fewer only at the end."""
_FEW = 100
"""The maximum number of deleted objects to keep in memory, in the order of their IDs."""
_MAX_BATCH = 500
"""The maximum number of IDs in a batch."""


def ids_at(  # noqa: PLR0913 - which ids, and in which order
    store: StoreContext,
    class_name: str,
    instant: Instant,
    id_range: IdRange,
    limiter: ReadLimiter,
    *,
    younger: tuple[str, str],
) -> Iterator[Sequence[str]]:
    """Yield the IDs of the objects of a versioned class that may have existed at an instant, in batches.

    The limit of the range is the size of the first batch. Further ones are larger. `younger`: the start and
    the end of the IDs to leave out. Raises DeletedNotListed, ReadBudgetExceeded.
    """
    schema = store.write_schema()
    listing, deleted = schema.listing(class_name), schema.deleted_listing(class_name)
    if deleted is None or not deleted.ready:
        raise DeletedNotListed(class_name)
    ended_later = _EndedLater(store, deleted, instant, limiter)
    size, backward = min(id_range.limit or _MAX_BATCH, _MAX_BATCH), id_range.backward
    for bounds in _bounds_of(id_range, *younger):
        existing = _range_of(
            store, listing.index_name, listing.partitions, bounds, limiter, backward=backward
        )
        merged = _MergedIds(
            [_take_from(existing), ended_later.take_from(bounds, backward=backward)], backward=backward
        )
        while ids := merged.take(size):
            yield ids
            size = min(2 * size, _MAX_BATCH)


def _bounds_of(id_range: IdRange, first: str, end: str) -> Iterator[Bounds]:
    """Yield the bounds to read one after the other: a range without the IDs from `first` to `end`."""
    start, backward = id_range.start, id_range.backward
    whole = Bounds(high=start, high_included=False) if backward else Bounds(start, low_included=False)
    if first >= end:
        yield whole
        return
    before = whole if whole.high is not None and whole.high <= first else _ending(whole, first)
    after = (
        whole if whole.low is not None and whole.low >= end else whole._replace(low=end, low_included=True)
    )
    for bounds in (after, before) if backward else (before, after):
        if bounds.low is None or bounds.high is None or bounds.low < bounds.high:
            yield bounds


def _ending(bounds: Bounds, end: str) -> Bounds:
    return bounds._replace(high=end, high_included=False)


def _range_of(  # noqa: PLR0913 - what to read of which index
    store: StoreContext,
    index: str,
    partitions: Sequence[str],
    bounds: Bounds,
    limiter: ReadLimiter,
    *,
    backward: bool,
) -> RangeReader:
    """Return the reader of a range of an index, of which only the IDs are used."""
    return ShardedRange(
        store.engine,
        store.parallel_map,
        index,
        partitions,
        bounds,
        backward=backward,
        spend=limiter.spend,
        whole=False,
    ).reader()


def _take_from(reader: RangeReader) -> TakeIds:
    return lambda size: _ids_of(reader.take(size))


def _ids_of(items: Sequence[Item]) -> list[str]:
    return [keys.id_in(item.partition) for item in items]


class _EndedLater:
    """The deleted objects of a class that may have ended after an instant.

    If they are few, the index by time tells which they are. Otherwise, they are among all deleted objects.
    """

    def __init__(
        self, store: StoreContext, listing: DeletedListing, instant: Instant, limiter: ReadLimiter
    ) -> None:
        self._store = store
        self._listing = listing
        self._instant = instant
        self._limiter = limiter

    @cached_property
    def _few(self) -> Sequence[str] | None:
        """The IDs in their order, None if they are not few."""
        later = Bounds(keys.deletion_sort(max(self._instant, 0) + 1, ""))
        ids = _ids_of(self._range(keys.DELETED_BY_TIME, later, backward=True).take(_FEW + 1))
        return None if len(ids) > _FEW else sorted(ids)

    def take_from(self, bounds: Bounds, *, backward: bool) -> TakeIds:
        """Return what takes the next of their IDs within bounds. It reads nothing before it is called."""
        found: list[TakeIds] = []

        def take(size: int) -> list[str]:
            if not found:
                found.append(self._within(bounds, backward=backward))
            return found[0](size)

        return take

    def _within(self, bounds: Bounds, *, backward: bool) -> TakeIds:
        if self._few is None:
            return _take_from(self._range(keys.LISTING, bounds, backward=backward))
        ids = filter(bounds.admits, reversed(self._few) if backward else self._few)
        return lambda size: [*islice(ids, size)]

    def _range(self, index: str, bounds: Bounds, *, backward: bool) -> RangeReader:
        partitions = self._listing.partitions
        return _range_of(self._store, index, partitions, bounds, self._limiter, backward=backward)


class _MergedIds:
    """IDs from several places, each once, in their order.

    An object moves from one listing to the other when it is deleted. The listing of existing objects is read
    first, so that a deletion in between doesn't hide the object.
    """

    def __init__(self, places: Sequence[TakeIds], *, backward: bool) -> None:
        self._backward = backward
        self._places = places
        self._unread: list[list[str]] = [[] for _ in places]
        """For each place, the IDs that were taken and not returned yet."""

    def take(self, size: int) -> Sequence[str]:
        """Return the next IDs. There are at most `size`, and fewer only at the end of all places."""
        for take, unread in zip(self._places, self._unread, strict=True):
            if len(unread) < size:
                unread.extend(take(size - len(unread)))
        found = list(islice(dict.fromkeys(merge(*self._unread, reverse=self._backward)), size))
        returned = {*found}
        self._unread = [[id_ for id_ in ids if id_ not in returned] for ids in self._unread]
        return found
