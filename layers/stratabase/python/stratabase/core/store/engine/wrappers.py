"""Engines that pass their calls on to another engine, and change or report some of them.

`DelegatingEngine` is the base of all wrappers of engines. `OffloadingEngine` is for engines that wait for a
network. `MeteredEngine` reports the consumption of each call, if the current request is being measured: it
wraps any engine, and computes the capacity units that DynamoDB would charge (capacity.py).

`open_engine` in `core/app/platform` wraps the engine of an app: `MeteredEngine` is the outermost, then
`MarkedEngine` (`store/marked_engine`), and then what the platform returns.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import chain, islice
from time import perf_counter
from typing import TypeVar

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.query.read_budget import Consumption, Note
from stratabase.core.store.engine import capacity
from stratabase.core.store.engine.parallel import add_round_trips, count_round_trips
from stratabase.core.store.engine.port import (
    NO_EXPECTATION,
    UNBOUNDED,
    Batch,
    Beginnings,
    Bounds,
    Counted,
    Engine,
    Item,
    Key,
    Patch,
)

T = TypeVar("T")


class DelegatingEngine:
    """An engine that delegates every call to another one.

    Subclasses override single calls, or what all calls have in common: what precedes them, how they are run,
    and how the results of several pages are read.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def removes_expired(self) -> bool:
        """Whether the engine itself removes items some time after their TIME_TO_LIVE."""
        return self._engine.removes_expired

    @property
    def is_embedded(self) -> bool:
        """Whether the engine runs in this process, so that a call takes microseconds and costs nothing."""
        return self._engine.is_embedded

    @property
    def prefers_few_calls(self) -> bool:
        """Whether one call that reads some items too many is better than two."""
        return self._engine.prefers_few_calls

    def _before_read(self) -> None:
        """Do something before each read. By default, nothing."""

    def _before_write(self) -> None:
        """Do something before each write. By default, nothing."""

    def _run(self, call: Callable[..., T], *arguments: object) -> T:
        """Return the result of a call of the other engine."""
        return call(*arguments)

    def _pages(self, pages: Iterator[T]) -> Iterator[T]:
        """Yield the pages of a range, scan or count of the other engine."""
        return pages

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        """Return the items in the order of `keys`, None for a missing item. Reads are strongly consistent."""
        self._before_read()
        return self._run(partial(self._engine.get, places=places), keys)

    def range(  # noqa: PLR0913 - the signature of the port
        self,
        index: str,
        partition: str,
        bounds: Bounds = UNBOUNDED,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
        whole: bool = True,
    ) -> Iterator[Sequence[Item]]:
        """Yield the items of one partition of an index in the order of their sort keys, page by page."""
        self._before_read()
        return self._pages(
            self._engine.range(
                index, partition, bounds, backward=backward, limit=limit, exact=exact, whole=whole
            )
        )

    def count(
        self,
        index: str,
        partition: str,
        ranges: Sequence[Bounds] = (UNBOUNDED,),
        *,
        distinct: bool = False,
    ) -> Iterator[Counted]:
        """Yield the numbers of items in ranges of one partition of an index, to be added up."""
        self._before_read()
        return self._pages(self._engine.count(index, partition, ranges, distinct=distinct))

    def count_beginnings(
        self, index: str, partition: str, ranges: Sequence[Bounds], beginnings: Beginnings
    ) -> Mapping[str, int] | None:
        """Return how many items ranges of one partition of an index have, by the beginnings of their keys."""
        self._before_read()
        return self._run(self._engine.count_beginnings, index, partition, ranges, beginnings)

    def scan(self, after: Key | None = None) -> Iterator[Sequence[Item]]:
        """Yield all items of the store, page by page."""
        self._before_read()
        return self._pages(self._engine.scan(after))

    def data_version(self) -> object | None:
        """Return a value that is another one after each commit of any process. None if there is none."""
        return self._engine.data_version()

    def commit(self, batch: Batch) -> None:
        """Execute all actions of a batch or none. Raises ExpectationFailed, Unavailable."""
        self._before_write()
        self._run(self._engine.commit, batch)

    def increment(self, key: Key, attribute: str, by: int) -> int:
        """Add a number to an attribute of an item, and return the sum."""
        self._before_write()
        return self._run(self._engine.increment, key, attribute, by)

    def close(self) -> None:
        """Finish running calls, and close files and connections."""
        self._engine.close()


_note: ContextVar[Note | None] = ContextVar("note", default=None)


def current_note() -> Note | None:
    """Return the function that takes the reports of the current request, None if it is not measured."""
    return _note.get()


@contextmanager
def record_consumption(note: Note) -> Iterator[None]:
    """Report each engine call of the current request inside the `with` block to `note`."""
    token = _note.set(note)
    try:
        with count_round_trips():
            yield
    finally:
        _note.reset(token)


MAX_MEASURED_ITEMS = 1000
"""The number of items by which the cost of a count is estimated."""


class MeteredEngine(DelegatingEngine):
    """An engine that delegates every call to another engine, and reports it.

    `current_note`: returns the function that takes the report of a call, None if the request is not measured.
    """

    def __init__(self, engine: Engine, current_note: Callable[[], Note | None] = _note.get) -> None:
        super().__init__(engine)
        self._current_note = current_note

    @property
    def prefers_few_calls(self) -> bool:
        """Whether one call is better than two. A request that is measured reads as from a remote engine."""
        return self._engine.prefers_few_calls or self._current_note() is not None

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        """Return the items in the order of `keys`, None for a missing item. Reads are strongly consistent."""
        note = self._current_note()
        if note is None:
            return self._engine.get(keys, places=places)
        began = perf_counter()
        found = self._engine.get(keys)  # the whole items, for their sizes
        took = _milliseconds_since(began)
        size, units = sum(map(capacity.item_bytes, found)), capacity.read_units(found)
        requests = capacity.get_requests(len(keys))
        before = add_round_trips(requests)
        note(Consumption("get", None, requests, len(keys), size, units, 0, took, before))
        return found

    def range(  # noqa: PLR0913 - the signature of the port
        self,
        index: str,
        partition: str,
        bounds: Bounds = UNBOUNDED,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
        whole: bool = True,
    ) -> Iterator[Sequence[Item]]:
        """Yield the items of one partition of an index in the order of their sort keys, page by page."""
        note = self._current_note()
        whole = whole or note is not None  # for the sizes of the items
        pages = self._engine.range(
            index, partition, bounds, backward=backward, limit=limit, exact=exact, whole=whole
        )
        return pages if note is None else _report_pages(index, pages, note, exact=exact)

    def count(
        self,
        index: str,
        partition: str,
        ranges: Sequence[Bounds] = (UNBOUNDED,),
        *,
        distinct: bool = False,
    ) -> Iterator[Counted]:
        """Yield the numbers of items in ranges of one partition of an index, to be added up."""
        pages = self._engine.count(index, partition, ranges, distinct=distinct)
        note = self._current_note()
        if note is None:
            return pages
        return self._report_count(pages, note, index, partition, ranges)

    def count_beginnings(
        self, index: str, partition: str, ranges: Sequence[Bounds], beginnings: Beginnings
    ) -> Mapping[str, int] | None:
        """Return what the other engine does; None if the request is measured, as from a remote engine."""
        return (
            self._engine.count_beginnings(index, partition, ranges, beginnings)
            if self._current_note() is None
            else None
        )

    def data_version(self) -> object | None:
        """Return a value that is another one after each commit. None if the request is measured.

        So a measured request uses no results of earlier ones.
        """
        return self._engine.data_version() if self._current_note() is None else None

    def commit(self, batch: Batch) -> None:
        """Execute all actions of a batch or none. Raises ExpectationFailed, Unavailable."""
        note = self._current_note()
        if note is None:
            self._engine.commit(batch)
            return
        # The cost of a write depends on the items before and after it. Reading these is not reported.
        before = self._items_of(batch)
        began = perf_counter()
        try:
            self._engine.commit(batch)
        except Exception:
            # A refused write costs as much as a successful one, without the indexes.
            note(_commit_consumption(batch, before, before, _milliseconds_since(began)))
            raise
        took = _milliseconds_since(began)
        note(_commit_consumption(batch, before, self._items_of(batch), took))

    def increment(self, key: Key, attribute: str, by: int) -> int:
        """Add a number to an attribute of an item, and return the sum. It is reported as a commit."""
        note = self._current_note()
        if note is None:
            return self._engine.increment(key, attribute, by)
        write = Batch("", (Patch(key, NO_EXPECTATION, {attribute: by}),))
        before = self._items_of(write)
        began = perf_counter()
        total = self._engine.increment(key, attribute, by)
        took = _milliseconds_since(began)
        note(_commit_consumption(write, before, self._items_of(write), took))
        return total

    def _items_of(self, batch: Batch) -> Sequence[Item | None]:
        """Return the items of a batch in the order of its actions. Measuring never makes a write fail."""
        try:
            return self._engine.get([action.key for action in batch.actions])
        except Unavailable:
            return [None] * len(batch.actions)

    def _report_count(
        self, pages: Iterator[Counted], note: Note, index: str, partition: str, ranges: Sequence[Bounds]
    ) -> Iterator[Counted]:
        """Yield the pages of a count, and report the count at its end.

        Its cost depends on the sizes of the items. Some of them are read for that, which is not reported.
        """
        began, items = perf_counter(), 0
        try:
            for page in pages:
                items += page.items
                yield page
        finally:
            took = _milliseconds_since(began)
            first = self._first_of(index, partition, ranges, min(items, MAX_MEASURED_ITEMS))
            note(_count_consumption(index, items, first, took))

    def _first_of(self, index: str, partition: str, ranges: Sequence[Bounds], number: int) -> Sequence[Item]:
        """Return the first items of some ranges. Measuring never makes a count fail."""
        pages = chain.from_iterable(self._engine.range(index, partition, bounds) for bounds in ranges)
        try:
            return list(islice(chain.from_iterable(pages), number))
        except Unavailable:
            return ()


def _report_pages(
    index: str, pages: Iterator[Sequence[Item]], note: Note, *, exact: bool
) -> Iterator[Sequence[Item]]:
    """Yield the pages of a range, and report each. An empty range is reported as one empty page."""
    is_first = True
    while True:
        began = perf_counter()
        items = next(pages, None)
        took = _milliseconds_since(began)
        if items is not None or is_first:
            note(_page_consumption(index, items or (), took, exact=exact))
        if items is None:
            return
        is_first = False
        yield items


def _page_consumption(index: str, items: Sequence[Item], took: float, *, exact: bool) -> Consumption:
    size, units = capacity.range_bytes(index, items), capacity.range_units(index, items, exact=exact)
    return Consumption("range", index, 1, len(items), size, units, 0, took, add_round_trips(1))


def _count_consumption(index: str, items: int, first: Sequence[Item], took: float) -> Consumption:
    """Return what a count consumed. `first`: some of the items, by which the size of all is estimated."""
    size = capacity.range_bytes(index, first) * items // max(1, len(first))
    pages, units = capacity.count_cost(index, size)
    return Consumption("count", index, pages, items, size, units, 0, took, add_round_trips(pages))


def _commit_consumption(
    batch: Batch, before: Sequence[Item | None], after: Sequence[Item | None], took: float
) -> Consumption:
    size, units = sum(map(capacity.item_bytes, after)), capacity.write_units(batch, before, after)
    return Consumption("commit", None, 1, len(batch.actions), size, 0, units, took, add_round_trips(1))


def _milliseconds_since(began: float) -> float:
    return (perf_counter() - began) * 1000


class OffloadingEngine(DelegatingEngine):
    """An engine that delegates every call to another one, where the call does not block other requests.

    It runs the calls of an engine that waits for a network outside the event loop of the local server.
    """

    def _run(self, call: Callable[..., T], *arguments: object) -> T:
        return waiting.offload(call, *arguments)

    def _pages(self, pages: Iterator[T]) -> Iterator[T]:
        while (page := waiting.offload(next, pages, None)) is not None:
            yield page
