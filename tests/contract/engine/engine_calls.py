"""Short functions that write to an engine, read from it, and run callers concurrently."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier
from typing import Any, TypeVar

from stratabase.core.store.engine.port import (
    MAX_ACTIONS,
    UNBOUNDED,
    Action,
    Batch,
    Bounds,
    Engine,
    ExpectationFailed,
    Failure,
    Item,
    Key,
    Put,
)

T = TypeVar("T")

_numbers = count(1)

HERE = Key("there", "is")
"""A key for tests that need no more than one."""


def commit(engine: Engine, *actions: Action) -> None:
    """Commit actions as a new batch."""
    engine.commit(Batch(f"commit{next(_numbers)}", actions))


def put(engine: Engine, items: Iterable[Item]) -> None:
    """Put any number of items, in as many batches as needed."""
    waiting = [Put(item) for item in items]
    for at in range(0, len(waiting), MAX_ACTIONS):
        commit(engine, *waiting[at : at + MAX_ACTIONS])


def refused_expectations(engine: Engine, *actions: Action) -> tuple[Failure, ...]:
    """Commit actions that must be refused, and return the failed expectations."""
    try:
        commit(engine, *actions)
    except ExpectationFailed as refusal:
        return refusal.failures
    raise AssertionError(f"{actions} was not refused")


def find_item(engine: Engine, key: Key = HERE) -> Item | None:
    """Return the item with a key, or None."""
    (item,) = engine.get([key])
    return item


def get_item(engine: Engine, key: Key = HERE) -> Item:
    """Return the item with a key, which must exist."""
    item = find_item(engine, key)
    assert item is not None, f"there is nothing under {key}"
    return item


def settle(engine: Engine) -> Engine:
    """Return the engine after its secondary indexes show all commits."""
    settle: Callable[[], Any] = getattr(engine, "settle", lambda: None)
    settle()
    return engine


def keys(
    engine: Engine,
    index: str,
    partition: str,
    bounds: Bounds = UNBOUNDED,
    *,
    backward: bool = False,
    limit: int | None = None,
) -> list[Key]:
    """Return the keys of all items in a range."""
    pages = settle(engine).range(index, partition, bounds, backward=backward, limit=limit)
    return [item.key for page in pages for item in page]


def count_items(engine: Engine, index: str, partition: str, *ranges: Bounds, distinct: bool = False) -> int:
    """Return the number of items in some ranges."""
    pages = settle(engine).count(index, partition, ranges, distinct=distinct)
    return sum(counted.items for counted in pages)


def run_concurrently(*work: Callable[[], T]) -> Sequence[T]:
    """Run each function in its own thread, all at once, and return their results in order."""
    start = Barrier(len(work))

    def begin(each: Callable[[], T]) -> T:
        start.wait()
        return each()

    with ThreadPoolExecutor(len(work)) as pool:
        return list(pool.map(begin, work))
