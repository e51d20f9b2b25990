"""Counts are snapshots, and long ones run in a thread of their own."""

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from stratabase.core import waiting
from stratabase.core.store.engine.port import Batch, Bounds, IndexKey, Item, Key, Patch, Put
from stratabase.core.store.sqlite import engine as engine_module
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.store.sqlite.queries import RangeQuery


def put(engine: SqliteEngine, number: int) -> None:
    """Put items with places in an index."""
    puts = [
        Put(Item(Key(f"k{n}", "x"), places={"index1": IndexKey("all", f"{n:03}")})) for n in range(number)
    ]
    engine.commit(Batch("put", tuple(puts)))


@pytest.mark.parametrize(("items", "offloaded"), [(9, 0), (10, 1), (30, 1)])
def test_a_long_count_does_not_block_other_requests(
    engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch, items: int, offloaded: int
) -> None:
    calls = []

    def offload(work: Callable[..., Any], *arguments: Any) -> Any:
        calls.append(work)
        return work(*arguments)

    monkeypatch.setattr(engine_module, "_MAX_INLINE_COUNT", 10)
    monkeypatch.setattr(waiting, "offload", offload)
    put(engine, items)
    for ranges in ([Bounds()], [Bounds(high="002"), Bounds("003")]):
        calls.clear()
        assert [counted.items for counted in engine.count("index1", "all", ranges)] == [items]
        assert len(calls) == offloaded


def test_an_item_that_moves_from_one_range_to_another_meanwhile_counts_once(
    engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(engine, 3)
    count = RangeQuery.row_count

    def count_and_move(query: RangeQuery, connection: sqlite3.Connection, limit: int | None = None) -> int:
        number = count(query, connection, limit)
        engine.commit(
            Batch(f"move{limit}", (Patch(Key("k1", "x"), places={"index1": IndexKey("all", "009")}),))
        )
        return number

    monkeypatch.setattr(RangeQuery, "row_count", count_and_move)
    (counted,) = engine.count("index1", "all", [Bounds(high="005"), Bounds("006")])
    assert counted.items == 3
