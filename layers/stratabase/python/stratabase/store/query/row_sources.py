"""The objects of a class that lie in one index, as ranges of it give them, page by page."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, Protocol

from stratabase import waiting
from stratabase.domain.objects.entity import Reference
from stratabase.model.model import Class
from stratabase.store.engine.port import UNBOUNDED, Bounds, Engine, Item
from stratabase.store.engine.read_limiter import ReadLimiter
from stratabase.store.layout import keys
from stratabase.store.layout.heads import live_head
from stratabase.store.query.rows import BATCH_SIZE, Row, RowFilter, distinct_rows


class IndexRanges(NamedTuple):
    """Some ranges of one partition of an index, in its order."""

    index_name: str
    partition: str
    ranges: tuple[Bounds, ...] = (UNBOUNDED,)


class RowSource(Protocol):
    """Some objects of a class, in the order of something."""

    def rows(
        self, bounds: Bounds | None = None, *, backward: bool = False, limit: int | None = None
    ) -> Iterator[Row]:
        """Yield the matches in order, within bounds; `limit`: how many are asked for at most."""

    def count(self) -> int:
        """Return how many match."""


class IndexRows:
    """The objects of one class that a sieve lets through and that lie in a part of an index.

    Without a part: in all of the class's listing, which is in the order of the ids.
    """

    def __init__(
        self,
        engine: Engine,
        class_: Class,
        sieve: RowFilter,
        limiter: ReadLimiter,
        part: IndexRanges | None = None,
    ) -> None:
        self._engine = engine
        self._class = class_
        self._part = part or IndexRanges(keys.LISTING, keys.listing(class_.name))
        self._sieve = sieve
        self._limiter = limiter

    @property
    def filters(self) -> bool:
        """Whether what it reads may not match."""
        return bool(self._sieve)

    def rows(
        self, bounds: Bounds | None = None, *, backward: bool = False, limit: int | None = None
    ) -> Iterator[Row]:
        """Yield the matches in the order of the index; `limit`: how many are asked for at most."""
        # How many items must be read to find some that match, nobody knows.
        limit = None if self._sieve else limit
        return self._sieve(self._items(bounds, backward=backward, limit=limit))

    def count(self) -> int:
        """Return how many match."""
        return sum(1 for _ in distinct_rows(self.rows()))

    def _items(self, bounds: Bounds | None, *, backward: bool, limit: int | None) -> Iterator[Item]:
        index_name, partition, all_ranges = self._part
        ranges = all_ranges if bounds is None else (bounds,)
        for range_ in reversed(ranges) if backward else ranges:
            pages = self._engine.range(index_name, partition, range_, backward=backward, limit=limit)
            yield from chain.from_iterable(map(self._limiter.spend, pages))


class RowsByKey:
    """Those of the named objects that there are, and that a sieve lets through."""

    def __init__(
        self, engine: Engine, class_: Class, ids: Iterable[str], sieve: RowFilter, limiter: ReadLimiter
    ) -> None:
        self._engine = engine
        self._class = class_
        self._ids = sorted(ids)
        self._sieve = sieve
        self._limiter = limiter

    def rows(
        self, bounds: Bounds | None = None, *, backward: bool = False, limit: int | None = None
    ) -> Iterator[Row]:
        """Yield the matches in the order of their ids; `limit`: how many are asked for at most."""
        within = bounds or UNBOUNDED
        ids = [id_ for id_ in self._ids if _admits(within, id_)]
        at_first = BATCH_SIZE if limit is None or self._sieve else min(limit, BATCH_SIZE)
        return self._sieve(self._items(ids[::-1] if backward else ids, at_first))

    def count(self) -> int:
        """Return how many match."""
        return sum(1 for _ in self.rows())

    def _items(self, ids: Sequence[str], at_first: int) -> Iterator[Item]:
        yield from self._got(ids[:at_first])
        for at in range(at_first, len(ids), BATCH_SIZE):
            waiting.give_way()
            yield from self._got(ids[at : at + BATCH_SIZE])

    def _got(self, ids: Sequence[str]) -> Iterator[Item]:
        found = self._engine.get([keys.head(Reference(self._class.name, id_)) for id_ in ids])
        return (item for item in map(live_head, self._limiter.spend(found)) if item is not None)


def _admits(bounds: Bounds, text: str) -> bool:
    low, high, low_included, high_included = bounds
    above = low is None or text > low or (low_included and text == low)
    return above and (high is None or text < high or (high_included and text == high))
