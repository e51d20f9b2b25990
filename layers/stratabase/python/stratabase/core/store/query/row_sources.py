"""The sources of rows: ranges of an index, ids that are read by key, or items that were read before."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import ceil, sqrt
from operator import itemgetter
from typing import NamedTuple, Protocol

from stratabase.core import waiting
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.query.derived import Derive, Related, filtered_attributes
from stratabase.core.domain.query.filter import Filter
from stratabase.core.domain.query.page import Query
from stratabase.core.model.model import Class
from stratabase.core.store.engine.parallel import ParallelMap, sequential_map
from stratabase.core.store.engine.port import UNBOUNDED, Bounds, Engine, Item
from stratabase.core.store.engine.read_limiter import ReadLimiter
from stratabase.core.store.engine.sharded_range import ShardedRange, count_shards
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.codec import StateDecoder
from stratabase.core.store.layout.object_items import live_head
from stratabase.core.store.query.rows import BATCH_SIZE, Row, RowFilter, distinct_rows
from stratabase.core.store.read.context import StoreContext


class HitRate:
    """The share of the items that matched when queries of one shape were last read. Threads may share it."""

    __slots__ = ("share",)

    def __init__(self) -> None:
        self.share: float | None = None
        """Above 0, and at most 1. None if nothing was read yet."""


class PlanSource(NamedTuple):
    """The inputs of a plan's execution."""

    engine: Engine
    limiter: ReadLimiter
    derive: Derive | None = None
    """Computes the derived attributes that the query uses; None if it uses none."""
    related: Related | None = None
    """Finds objects of other classes, as the caller sees them; None if this is not possible."""
    store: StoreContext | None = None
    """Follows roles; None if this is not possible."""
    decoder: StateDecoder | None = None
    """Decodes the states; None if the query decides that."""
    hit_rate: HitRate | None = None
    """That of queries of the same shape, None if it is not kept."""

    @property
    def parallel_map(self) -> ParallelMap:
        """Runs several reads, in parallel if the store does that."""
        return sequential_map if self.store is None else self.store.parallel_map

    def filter(self, class_: Class, query: Query, filter_: Filter | None) -> RowFilter:
        """Return the filter for the rows of a query. `filter_`: the part of its filter to test."""
        return RowFilter(class_, filter_, self.limiter, self.decoder_of(class_, query), self.derive)

    def decoder_of(self, class_: Class, query: Query) -> StateDecoder:
        """Return the decoder of states for a query."""
        return self.decoder or _state_decoder(class_, query, computes=self.derive is not None)


def _state_decoder(class_: Class, query: Query, *, computes: bool) -> StateDecoder:
    """Return the decoder of states for a query. What is computed for an object may use all of its values."""
    tested: frozenset[str] | None = None
    if not computes:
        filtered = () if query.filter is None else filtered_attributes(query.filter)
        ordered = (term.attribute for term in query.order.terms)
        tested = frozenset((*filtered, *ordered, *(query.fields.totals or ())))
    return StateDecoder(
        class_,
        version_start=query.needs_version_start,
        start=query.fields.revision,
        tested=tested,
        shown=query.fields.attributes,
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

    @property
    def is_stable(self) -> bool:
        """Whether it yields no object twice, whatever is written meanwhile."""

    def rows(
        self, bounds: Bounds | None = None, *, backward: bool = False, wanted: int | None = None
    ) -> Iterator[Row]:
        """Yield the matches within bounds, in order. The caller takes about `wanted` rows, or else all."""

    def count(self) -> int:
        """Return the number of matches."""


_FIRST_CHUNK = 64
"""The minimum number of items in the first chunk, if some of them may not match."""
_MAX_CHUNK = 1024
"""The maximum number of items in a chunk."""
_ITEMS_PER_TURN = 256
"""Items to read before other requests may proceed."""
_SPARE = 2.0
"""How many standard deviations more items to read than the wanted rows need on average."""
_SPARE_OF_EMBEDDED = 0.5
"""The same for an embedded engine. There, a second read costs less than to read many more items each time."""


class _ChunkSizes:
    """Decides how many items to read next: as many as the wanted rows probably need, or a few more."""

    def __init__(self, wanted: int, hit_rate: HitRate | None, spare: float, *, has_filter: bool) -> None:
        """`hit_rate`: that of earlier queries, which decides how many items to read first.

        `spare`: how many standard deviations more items to read than needed on average.
        """
        self._wanted = wanted
        self._spare = spare
        self._read = self._found = 0
        self._hit_rate = (hit_rate or HitRate()) if has_filter else None
        self._last = min(max(wanted, self._first() if has_filter else 1), _MAX_CHUNK)

    def _first(self) -> int:
        share = None if self._hit_rate is None else self._hit_rate.share
        # This query may have other values, and match more, so the first chunk has at most twice as many.
        likely = 0 if share is None else min(_items_for(self._wanted, share, self._spare), 2 * self._wanted)
        return max(likely, _FIRST_CHUNK)

    def next(self) -> int:
        """Return the size of the next chunk."""
        if self._read:
            most = min(2 * self._read, _MAX_CHUNK)
            missing = self._wanted - self._found
            self._last = (
                min(_items_for(missing, self._share(), self._spare), most)
                if missing > 0
                else min(2 * self._last, most)
            )
        return self._last

    def note(self, read: int, found: int) -> None:
        """Add a chunk: the number of its items, and of the rows among them."""
        self._read += read
        self._found += found
        if self._hit_rate is not None and self._read:
            self._hit_rate.share = self._share()

    def _share(self) -> float:
        # A row that was almost found keeps the share above 0.
        return min(1.0, (self._found + 0.5) / self._read)


def _items_for(rows: int, share: float, spare: float) -> int:
    """Return in how many items so many rows probably are, if a share of the items match.

    `spare`: the standard deviations to add to their average number.
    """
    return ceil(rows / share + spare * sqrt(rows * (1 - share)) / share)


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
        self._index_ranges = index_ranges or IndexRanges(keys.LISTING, (keys.listing_partition(class_.name),))
        self._filter = row_filter
        self.is_stable = self._index_ranges.are_stable

    def rows(
        self, bounds: Bounds | None = None, *, backward: bool = False, wanted: int | None = None
    ) -> Iterator[Row]:
        """Yield the matches in the order of the index. The caller takes about `wanted` rows, or else all."""
        if wanted is None:
            return self._filter(self._pages(bounds, backward=backward))
        found = chain.from_iterable(self._chunks(bounds, wanted, backward=backward))
        return self._filter.complete(found)

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

    def _chunks(self, bounds: Bounds | None, wanted: int, *, backward: bool) -> Iterator[Sequence[Row]]:
        """Yield the rows chunk by chunk. Each chunk is read when the caller has used those before it."""
        source, this_turn = self._source, 0
        spare = _SPARE if source.engine.prefers_few_calls else _SPARE_OF_EMBEDDED
        sizes = _ChunkSizes(wanted, source.hit_rate, spare, has_filter=bool(self._filter))
        for range_ in self._ranges(bounds, backward=backward):
            reader = range_.reader()
            while True:
                if this_turn >= _ITEMS_PER_TURN:
                    waiting.give_way()
                    this_turn = 0
                size = sizes.next()
                items = reader.take(size)
                rows = self._filter.stored_matches(items)
                sizes.note(len(items), len(rows))
                this_turn += len(items)
                yield rows
                if len(items) < size:
                    break

    def _pages(self, bounds: Bounds | None, *, backward: bool) -> Iterator[Sequence[Item]]:
        """Yield all items, in the pages of the engine."""
        return chain.from_iterable(range_.pages() for range_ in self._ranges(bounds, backward=backward))

    def _ranges(self, bounds: Bounds | None, *, backward: bool) -> Iterator[ShardedRange]:
        source, (index_name, partitions, all_ranges, _) = self._source, self._index_ranges
        ranges = all_ranges if bounds is None else (bounds,)
        for range_ in reversed(ranges) if backward else ranges:
            yield ShardedRange(
                source.engine,
                source.parallel_map,
                index_name,
                partitions,
                range_,
                backward,
                source.limiter.spend,
                self._filter.needs_whole_items,
            )


class RowsByKey:
    """The objects of a class with given ids that match a filter, in the order of ids.

    They are read by key, which is strongly consistent, unlike an index.
    """

    is_stable = True

    def __init__(
        self, engine: Engine, class_: Class, ids: Iterable[str], row_filter: RowFilter, limiter: ReadLimiter
    ) -> None:
        self._engine = engine
        self._class = class_
        self._ids = sorted(ids)
        self._filter = row_filter
        self._limiter = limiter

    def rows(
        self, bounds: Bounds | None = None, *, backward: bool = False, wanted: int | None = None
    ) -> Iterator[Row]:
        """Yield the matches in the order of ids. The caller takes about `wanted` rows, or else all."""
        within = bounds or UNBOUNDED
        ids = [id_ for id_ in self._ids if within.admits(id_)]
        first = BATCH_SIZE if wanted is None or self._filter else min(wanted, BATCH_SIZE)
        return self._filter(self._pages(ids[::-1] if backward else ids, first))

    def count(self) -> int:
        """Return the number of matches."""
        return sum(1 for _ in self.rows())

    def _pages(self, ids: Sequence[str], first: int) -> Iterator[Sequence[Item]]:
        """Yield the heads of existing objects: read the first `first` at once, then batch by batch."""
        yield self._get(ids[:first])
        for at in range(first, len(ids), BATCH_SIZE):
            waiting.give_way()
            yield self._get(ids[at : at + BATCH_SIZE])

    def _get(self, ids: Sequence[str]) -> Sequence[Item]:
        wanted = [keys.head(Reference(self._class.name, id_)) for id_ in ids]
        found = self._engine.get(wanted, places=False)
        return [item for item in map(live_head, self._limiter.spend(found)) if item is not None]


class RowsInMemory:
    """Objects of a class that were read by key before and match a filter, in the order of ids."""

    is_stable = True

    def __init__(self, items: Iterable[Item], row_filter: RowFilter) -> None:
        self._by_id = sorted(((keys.id_of(item.key), item) for item in items), key=itemgetter(0))
        self._filter = row_filter

    def rows(
        self, bounds: Bounds | None = None, *, backward: bool = False, wanted: int | None = None
    ) -> Iterator[Row]:
        """Yield the matches in the order of ids. The caller takes about `wanted` rows, or else all."""
        del wanted
        within = bounds or UNBOUNDED
        items = [item for id_, item in self._by_id if within.admits(id_)]
        return self._filter([items[::-1] if backward else items])

    def count(self) -> int:
        """Return the number of matches."""
        return sum(1 for _ in self.rows())
