"""Reads or counts a range that is spread over several partitions of an index. Reads it in order.

Each shard is read in chunks, several shards side by side. A page of the range takes the first items of all
chunks. It needs more of a shard only if that shard might have an item before the end of the page.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil, sqrt
from typing import Protocol

from stratabase.core.store.engine.parallel import ParallelMap
from stratabase.core.store.engine.port import UNBOUNDED, Bounds, Counted, Engine, Item
from stratabase.values.frozen import frozen

_FIRST_PAGE = 64
"""The number of items in the first page of a range without a limit. Each page is twice as long as before."""
_MAX_PAGE = 1024
"""The maximum number of items in a page."""

Spend = Callable[[Sequence[Item]], Sequence[Item]]
"""Is called with all items that were read, also with those that no page contains. Returns them."""


def _keep(items: Sequence[Item]) -> Sequence[Item]:
    return items


@frozen
class ShardedRange:
    """A range of an index over all partitions of its shards. Sort keys must be unique."""

    engine: Engine
    parallel_map: ParallelMap
    """Reads several shards, possibly in parallel."""
    index: str
    partitions: Sequence[str]
    bounds: Bounds = UNBOUNDED
    backward: bool = False
    spend: Spend = _keep
    whole: bool = True
    """Whether to read whole items."""

    def pages(self, limit: int | None = None) -> Iterator[Sequence[Item]]:
        """Yield the items in the order of their sort keys, page by page. `limit`: of all pages together."""
        if len(self.partitions) == 1:
            (partition,) = self.partitions
            found = self.read(partition, self.bounds, limit)
            yield from map(self.spend, found)
            return
        unread, size = _Unread(self), _FIRST_PAGE if limit is None else limit
        while size and (page := unread.take(size)):
            yield page
            size = min(2 * size, _MAX_PAGE) if limit is None and len(page) == size else 0

    def read(self, partition: str, bounds: Bounds, limit: int | None) -> Iterator[Sequence[Item]]:
        """Yield the items of one shard within bounds, page by page."""
        return self.engine.range(
            self.index, partition, bounds, backward=self.backward, limit=limit, whole=self.whole
        )

    def reader(self) -> "RangeReader":
        """Return a reader of the range, whose caller says how many items to read at a time."""
        return _OnePartition(self) if len(self.partitions) == 1 else _Unread(self)

    def beyond(self, sort_key: str) -> Bounds:
        """Return the rest of the range after a sort key."""
        if self.backward:
            return self.bounds._replace(high=sort_key, high_included=False)
        return self.bounds._replace(low=sort_key, low_included=False)


class RangeReader(Protocol):
    """Reads a range from its beginning."""

    def take(self, size: int) -> Sequence[Item]:
        """Return the next items. There are at most `size`, and fewer only at the end of the range."""


class _OnePartition:
    """The rest of a range of one partition."""

    def __init__(self, range_: ShardedRange) -> None:
        self._range = range_
        self._last: Item | None = None
        """The last item that was read."""
        self._is_at_end = False

    def take(self, size: int) -> Sequence[Item]:
        """Return the next items. There are at most `size`, and fewer only at the end of the range."""
        range_, last, items = self._range, self._last, list[Item]()
        if self._is_at_end:
            return items
        (partition,) = range_.partitions
        remaining = range_.bounds if last is None else range_.beyond(last.sort_in(range_.index))
        for page in range_.read(partition, remaining, size):
            items += range_.spend(page)
        self._is_at_end = len(items) < size
        self._last = items[-1] if items else last
        return items


@dataclass(slots=True)
class _Shard:
    """What is still to be read of one shard."""

    partition: str
    remaining: Bounds | None
    """None if everything was read."""
    last: str | None = None
    """The last sort key that was read."""


class _Unread:
    """The items of a range that no page contained yet."""

    def __init__(self, range_: ShardedRange) -> None:
        self._range = range_
        self._shards = [_Shard(partition, range_.bounds) for partition in range_.partitions]
        self._known: list[Item] = []
        """The items that were read and that no page contained, in order."""

    def take(self, size: int) -> Sequence[Item]:
        """Return the first items. There are at most `size`, and fewer only at the end of the range."""
        while behind := self._behind(size):
            self._read(behind, _chunk(size, len(self._shards)))
        page, self._known = self._known[:size], self._known[size:]
        return page

    def _behind(self, size: int) -> list[_Shard]:
        """Return the shards that may have further items among the first `size`."""
        unread = [shard for shard in self._shards if shard.remaining is not None]
        if len(self._known) < size:
            return unread
        range_, end = self._range, self._known[size - 1].sort_in(self._range.index)
        return [
            shard
            for shard in unread
            if shard.last is None or (shard.last > end if range_.backward else shard.last < end)
        ]

    def _read(self, shards: Sequence[_Shard], chunk: int) -> None:
        """Read the next items of some shards side by side."""
        range_ = self._range

        def read(shard: _Shard) -> list[Item]:
            assert shard.remaining is not None
            return list(chain.from_iterable(range_.read(shard.partition, shard.remaining, chunk)))

        for shard, items in zip(shards, range_.parallel_map(read, shards), strict=True):
            shard.remaining = None
            if len(items) == chunk:
                shard.last = items[-1].sort_in(range_.index)
                shard.remaining = range_.beyond(shard.last)
            self._known.extend(range_.spend(items))
        # The items of each shard are in order, which makes sorting as fast as merging.
        self._known.sort(key=lambda item: item.sort_in(range_.index), reverse=range_.backward)


def _chunk(size: int, shards: int) -> int:
    """Return how many items to read of each shard for a page.

    Of a page of n items, a shard has n / shards on average, and seldom two standard deviations more.
    To read more would cost read units in all shards; to read less, another round trip for many pages.
    """
    share = size / shards
    return ceil(share + 2 * sqrt(share))


def count_shards(  # noqa: PLR0913, PLR0917 - where to count, and how
    engine: Engine,
    parallel_map: ParallelMap,
    index: str,
    partitions: Sequence[str],
    ranges: Sequence[Bounds],
    spend: Callable[[Counted], None],
    *,
    distinct: bool,
) -> int:
    """Return the number of items in ranges of all shards of an index. Count the shards side by side.

    `spend`: is called with each part of the count. `distinct`: count an item once that moves in its shard.
    """

    def count(partition: str) -> int:
        total = 0
        for counted in engine.count(index, partition, ranges, distinct=distinct):
            spend(counted)
            total += counted.items
        return total

    return sum(parallel_map(count, partitions))
