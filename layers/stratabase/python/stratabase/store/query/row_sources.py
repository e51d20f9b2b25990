"""The sources of rows: ranges of an index, ids that are read by key, or items that were read before."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import NamedTuple, Protocol

from stratabase import waiting
from stratabase.domain.objects.entity import Reference
from stratabase.domain.query.derived import Derive, Related
from stratabase.domain.query.filter import Filter
from stratabase.model.model import Class
from stratabase.store.engine.parallel import ParallelMap, sequential_map
from stratabase.store.engine.port import UNBOUNDED, Bounds, Engine, Item
from stratabase.store.engine.read_limiter import ReadLimiter
from stratabase.store.engine.sharded_range import ShardedRange, count_shards
from stratabase.store.layout import keys
from stratabase.store.layout.heads import live_head
from stratabase.store.query.rows import BATCH_SIZE, Row, RowFilter, distinct_rows
from stratabase.store.read.context import StoreContext


class PlanSource(NamedTuple):
    """The inputs of a plan's execution."""

    engine: Engine
    limiter: ReadLimiter
    derive: Derive | None = None
    """Computes the derived attributes that the query uses; None if it uses none."""
    needs_version_start: bool = True
    """Whether the states of rows must contain `_versionStart`, which takes time to format."""
    related: Related | None = None
    """Finds objects of other classes, as the caller sees them; None if this is not possible."""
    store: StoreContext | None = None
    """Follows roles; None if this is not possible."""

    @property
    def parallel_map(self) -> ParallelMap:
        """Runs several reads, in parallel if the store does that."""
        return sequential_map if self.store is None else self.store.parallel_map

    def filter(self, class_: Class, filter_: Filter | None) -> RowFilter:
        """Return the filter for the rows of a class."""
        return RowFilter(
            class_, filter_, self.limiter, self.derive, needs_version_start=self.needs_version_start
        )


class IndexRanges(NamedTuple):
    """Ranges of an index of a class, in the order of the index."""

    index_name: str
    partitions: tuple[str, ...]
    """The partitions of its shards."""
    ranges: tuple[Bounds, ...] = (UNBOUNDED,)
    are_stable: bool = True
    """Whether an object that is in the ranges has one position there, and keeps it whatever is written."""


class RowSource(Protocol):
    """A source of the objects of a class that match a filter, in an order of its own."""

    def rows(
        self, bounds: Bounds | None = None, *, backward: bool = False, limit: int | None = None
    ) -> Iterator[Row]:
        """Yield the matches within bounds, in order. The caller takes at most `limit` rows."""

    def count(self) -> int:
        """Return the number of matches."""


class IndexRows:
    """The objects of a class in ranges of an index that match a filter, in the order of the index.

    Without ranges, these are all objects of the class, from its first listing, in the order of ids.
    """

    def __init__(
        self,
        source: PlanSource,
        class_: Class,
        row_filter: RowFilter,
        index_ranges: IndexRanges | None = None,
    ) -> None:
        self._source = source
        listing = (keys.listing_partition(class_.name),)
        self._index_ranges = index_ranges or IndexRanges(keys.LISTING, listing)
        self._filter = row_filter

    @property
    def has_filter(self) -> bool:
        """Whether it may read more rows than it yields."""
        return bool(self._filter)

    def rows(
        self, bounds: Bounds | None = None, *, backward: bool = False, limit: int | None = None
    ) -> Iterator[Row]:
        """Yield the matches in the order of the index. The caller takes at most `limit` rows."""
        # With a filter, the number of items to read is unknown.
        limit = None if self._filter else limit
        return self._filter(self._items(bounds, backward=backward, limit=limit))

    def count(self) -> int:
        """Return the number of matches."""
        if self._filter:
            return sum(1 for _ in distinct_rows(self.rows()))
        source, (index_name, partitions, ranges, are_stable) = self._source, self._index_ranges
        return count_shards(
            source.engine,
            source.parallel_map,
            index_name,
            partitions,
            ranges,
            source.limiter.spend_count,
            distinct=not are_stable,
        )

    def _items(self, bounds: Bounds | None, *, backward: bool, limit: int | None) -> Iterator[Item]:
        source, (index_name, partitions, all_ranges, _) = self._source, self._index_ranges
        ranges = all_ranges if bounds is None else (bounds,)
        for range_ in reversed(ranges) if backward else ranges:
            whole = ShardedRange(
                source.engine,
                source.parallel_map,
                index_name,
                partitions,
                range_,
                backward,
                source.limiter.spend,
            )
            yield from chain.from_iterable(whole.pages(limit))


class RowsByKey:
    """The objects of a class with given ids that match a filter, in the order of ids.

    They are read by key, which is strongly consistent, unlike an index.
    """

    def __init__(
        self, engine: Engine, class_: Class, ids: Iterable[str], row_filter: RowFilter, limiter: ReadLimiter
    ) -> None:
        self._engine = engine
        self._class = class_
        self._ids = sorted(ids)
        self._filter = row_filter
        self._limiter = limiter

    def rows(
        self, bounds: Bounds | None = None, *, backward: bool = False, limit: int | None = None
    ) -> Iterator[Row]:
        """Yield the matches in the order of ids. The caller takes at most `limit` rows."""
        within = bounds or UNBOUNDED
        ids = [id_ for id_ in self._ids if within.admits(id_)]
        first = BATCH_SIZE if limit is None or self._filter else min(limit, BATCH_SIZE)
        return self._filter(self._items(ids[::-1] if backward else ids, first))

    def count(self) -> int:
        """Return the number of matches."""
        return sum(1 for _ in self.rows())

    def _items(self, ids: Sequence[str], first: int) -> Iterator[Item]:
        """Yield the heads of existing objects: read the first `first` at once, then batch by batch."""
        yield from self._get(ids[:first])
        for at in range(first, len(ids), BATCH_SIZE):
            waiting.give_way()
            yield from self._get(ids[at : at + BATCH_SIZE])

    def _get(self, ids: Sequence[str]) -> Iterator[Item]:
        found = self._engine.get([keys.head(Reference(self._class.name, id_)) for id_ in ids])
        return (item for item in map(live_head, self._limiter.spend(found)) if item is not None)


class RowsInMemory:
    """Objects of a class that were read by key before and match a filter, in the order of ids."""

    def __init__(self, items: Iterable[Item], row_filter: RowFilter) -> None:
        self._by_id = sorted(((keys.id_of(item.key), item) for item in items), key=itemgetter(0))
        self._filter = row_filter

    def rows(
        self, bounds: Bounds | None = None, *, backward: bool = False, limit: int | None = None
    ) -> Iterator[Row]:
        """Yield the matches in the order of ids. The caller takes at most `limit` rows."""
        del limit
        within = bounds or UNBOUNDED
        items = [item for id_, item in self._by_id if within.admits(id_)]
        return self._filter(iter(items[::-1] if backward else items))

    def count(self) -> int:
        """Return the number of matches."""
        return sum(1 for _ in self.rows())
