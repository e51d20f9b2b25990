"""An engine that reports what each call consumes, while the request that makes the call is being measured.

It wraps any engine. What is not counted, such as capacity, is computed as DynamoDB would charge it
(capacity.py).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter
from types import ModuleType

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.query.consumption import Consumption, Note
from stratabase.store.engine.parallel import add_round_trips, count_round_trips
from stratabase.store.engine.port import UNBOUNDED, Batch, Bounds, Engine, Item, Key

_note: ContextVar[Note | None] = ContextVar("note", default=None)


@contextmanager
def record_consumption(note: Note) -> Iterator[None]:
    """Report to `note` each call of an engine that the current request makes inside the `with` block."""
    token = _note.set(note)
    try:
        with count_round_trips():
            yield
    finally:
        _note.reset(token)


class MeteredEngine:
    """Passes every call on to an engine, and reports it.

    `current_note` returns the function that takes the report of a call, or None when nobody wants one.
    """

    def __init__(self, engine: Engine, current_note: Callable[[], Note | None] = _note.get) -> None:
        self._engine = engine
        self._current_note = current_note

    def get(self, keys: Sequence[Key]) -> list[Item | None]:
        """Return the items in the order of `keys`, None where there is none; what was committed is seen."""
        note = self._current_note()
        if note is None:
            return self._engine.get(keys)
        began = perf_counter()
        found = self._engine.get(keys)
        took = _milliseconds_since(began)
        capacity = _capacity()
        size, units = sum(map(capacity.item_bytes, found)), capacity.read_units(found)
        requests = capacity.get_requests(len(keys))
        before = add_round_trips(requests)
        note(Consumption("get", None, requests, len(keys), size, units, 0, took, before))
        return found

    def range(  # noqa: PLR0913 - as the port has it
        self,
        index: str,
        partition: str,
        bounds: Bounds = UNBOUNDED,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
    ) -> Iterator[Sequence[Item]]:
        """Yield the items of one partition of an index in the order of their sort keys, page by page."""
        pages = self._engine.range(index, partition, bounds, backward=backward, limit=limit, exact=exact)
        note = self._current_note()
        return pages if note is None else _report_pages(index, pages, note, exact=exact)

    def commit(self, batch: Batch) -> None:
        """Do all actions or none. Raises ExpectationFailed, Unavailable."""
        note = self._current_note()
        if note is None:
            self._engine.commit(batch)
            return
        # The price of a write depends on the items before and after it. Reading them is not reported.
        before = self._items_of(batch)
        began = perf_counter()
        try:
            self._engine.commit(batch)
        except Exception:
            # What is refused costs as much as what is written, but for the indexes.
            note(_commit_consumption(batch, before, before, _milliseconds_since(began)))
            raise
        took = _milliseconds_since(began)
        note(_commit_consumption(batch, before, self._items_of(batch), took))

    def close(self) -> None:
        """Finish what is under way and let go of files and connections."""
        self._engine.close()

    def _items_of(self, batch: Batch) -> Sequence[Item | None]:
        """Return the items of a batch, in the order of its actions. Measuring never makes a write fail."""
        try:
            return self._engine.get([action.key for action in batch.actions])
        except Unavailable:
            return [None] * len(batch.actions)


def _report_pages(
    index: str, pages: Iterator[Sequence[Item]], note: Note, *, exact: bool
) -> Iterator[Sequence[Item]]:
    """Yield the pages of a range and report each; an empty range is reported as one empty page."""
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
    capacity = _capacity()
    size, units = capacity.range_bytes(index, items), capacity.range_units(index, items, exact=exact)
    return Consumption("range", index, 1, len(items), size, units, 0, took, add_round_trips(1))


def _commit_consumption(
    batch: Batch, before: Sequence[Item | None], after: Sequence[Item | None], took: float
) -> Consumption:
    capacity = _capacity()
    size, units = sum(map(capacity.item_bytes, after)), capacity.write_units(batch, before, after)
    return Consumption("commit", None, 1, len(batch.actions), size, 0, units, took, add_round_trips(1))


def _milliseconds_since(began: float) -> float:
    return (perf_counter() - began) * 1000


def _capacity() -> ModuleType:
    from stratabase.store.dynamodb import capacity  # noqa: PLC0415 - few requests are measured, none at a start

    return capacity
