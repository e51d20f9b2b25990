"""The calls of an engine, each made and told of with what it consumed."""

from collections.abc import Iterator, Sequence
from math import ceil
from time import perf_counter

from stratabase.domain.consumption import Consumption, Note
from stratabase.domain.refusal import Unavailable
from stratabase.store import capacity, trips
from stratabase.store.dynamodb.reading import MOST_KEYS
from stratabase.store.engine import Batch, Engine, Item, Key


def get(engine: Engine, keys: Sequence[Key], note: Note) -> list[Item | None]:
    """Return the items in the order of `keys`, None where there is none."""
    began = perf_counter()
    found = engine.get(keys)
    took = _milliseconds_since(began)
    size, units = sum(map(capacity.bytes_of, found)), capacity.read_units(found)
    made = ceil(len(keys) / MOST_KEYS)
    note(Consumption("get", None, made, len(keys), size, units, 0, took, trips.made(made)))
    return found


def range_(
    index: str, pages: Iterator[Sequence[Item]], note: Note, *, exact: bool = True
) -> Iterator[Sequence[Item]]:
    """Yield the pages of a range; where nothing is found, it was asked for all the same."""
    asked = False
    while True:
        began = perf_counter()
        items = next(pages, None)
        if items is None and asked:
            return
        note(_ranged(index, items or (), _milliseconds_since(began), exact=exact))
        if items is None:
            return
        asked = True
        yield items


def commit(engine: Engine, batch: Batch, note: Note) -> None:
    """Do all actions or none. The items are read before and after, which is not told."""
    before = _seen(engine, batch)
    began = perf_counter()
    try:
        engine.commit(batch)
    except Exception:
        # What is refused costs as much as what is written, but for the indexes.
        note(_committed(batch, before, before, _milliseconds_since(began)))
        raise
    took = _milliseconds_since(began)
    note(_committed(batch, before, _seen(engine, batch), took))


def _seen(engine: Engine, batch: Batch) -> Sequence[Item | None]:
    """Return the items of a batch; nothing that only measures may make a write fail."""
    try:
        return engine.get([action.key for action in batch.actions])
    except Unavailable:
        return [None] * len(batch.actions)


def _ranged(index: str, items: Sequence[Item], took: float, *, exact: bool) -> Consumption:
    size, units = capacity.range_bytes(index, items), capacity.range_units(index, items, exact=exact)
    return Consumption("range", index, 1, len(items), size, units, 0, took, trips.made(1))


def _committed(
    batch: Batch, before: Sequence[Item | None], after: Sequence[Item | None], took: float
) -> Consumption:
    size, units = sum(map(capacity.bytes_of, after)), capacity.write_units(batch, before, after)
    return Consumption("commit", None, 1, len(batch.actions), size, 0, units, took, trips.made(1))


def _milliseconds_since(began: float) -> float:
    return (perf_counter() - began) * 1000
