"""Counts are snapshots. Long ones run in another thread. Numbers are kept while nothing is written."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from stratabase import waiting
from stratabase.store.engine.port import Batch, Bounds, Delete, IndexKey, Item, Key, Patch, Put
from stratabase.store.sqlite import counts
from stratabase.store.sqlite.engine import SqliteEngine
from stratabase.store.sqlite.queries import RangeQuery
from tests.soak import count as soak_count


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[RangeQuery]:
    """The ranges that SQLite has counted so far. Counts of one row and more are kept."""
    made: list[RangeQuery] = []
    row_count = RangeQuery.row_count

    def record(query: RangeQuery, connection: sqlite3.Connection, limit: int | None = None) -> int:
        made.append(query)
        return row_count(query, connection, limit)

    monkeypatch.setattr(RangeQuery, "row_count", record)
    monkeypatch.setattr(counts, "_MIN_KEPT", 1)
    return made


@pytest.fixture
def other(path: Path, engine: SqliteEngine) -> Iterator[SqliteEngine]:
    """An engine on the same file, like that of another process."""
    other = SqliteEngine(path)
    yield other
    other.close()


def place(number: int) -> Item:
    """Return an item with a place in an index."""
    return Item(Key(f"k{number}", "x"), places={"index1": IndexKey("all", f"{number:03}")})


def put(engine: SqliteEngine, number: int) -> None:
    """Put items with places in an index."""
    engine.commit(Batch("put", tuple(Put(place(n)) for n in range(number))))


def count(engine: SqliteEngine, *ranges: Bounds) -> int:
    """Return the number of items in ranges of this index, or in all of it."""
    (counted,) = engine.count("index1", "all", ranges or [Bounds()])
    return counted.items


@pytest.mark.parametrize(("items", "offloaded"), [(9, 0), (10, 1), (30, 1)])
def test_a_long_count_does_not_block_other_requests(
    engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch, items: int, offloaded: int
) -> None:
    calls = []

    def offload(work: Callable[..., Any], *arguments: Any) -> Any:
        calls.append(work)
        return work(*arguments)

    monkeypatch.setattr(counts, "_MAX_INLINE_COUNT", 10)
    monkeypatch.setattr(waiting, "offload", offload)
    put(engine, items)
    for ranges in ([Bounds()], [Bounds(high="002"), Bounds("003")]):
        calls.clear()
        assert count(engine, *ranges) == items
        assert len(calls) == offloaded


@pytest.mark.parametrize("long", [False, True])
def test_an_item_that_moves_from_one_range_to_another_meanwhile_counts_once(
    engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch, long: bool
) -> None:
    put(engine, 3)
    row_count = RangeQuery.row_count
    moves = iter(range(100))

    def count_and_move(query: RangeQuery, connection: sqlite3.Connection, limit: int | None = None) -> int:
        number = row_count(query, connection, limit)
        there, back = IndexKey("all", "009"), IndexKey("all", "001")
        move = next(moves)
        to = back if move % 2 else there
        engine.commit(Batch(f"move{move}", (Patch(Key("k1", "x"), places={"index1": to}),)))
        return number

    monkeypatch.setattr(RangeQuery, "row_count", count_and_move)
    if long:
        monkeypatch.setattr(counts, "_MAX_INLINE_COUNT", 1)
    assert count(engine, Bounds(high="005"), Bounds("006")) == 3


def test_a_number_is_counted_once_while_nothing_is_written(
    engine: SqliteEngine, counted: list[RangeQuery]
) -> None:
    put(engine, 5)
    assert [count(engine, Bounds("002")) for _ in range(3)] == [3, 3, 3]
    assert len(counted) == 1
    assert [count(engine, Bounds("003")), count(engine, Bounds("002"))] == [2, 3]
    assert len(counted) == 2


def test_a_long_count_is_kept_too(
    engine: SqliteEngine, counted: list[RangeQuery], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "_MAX_INLINE_COUNT", 2)
    put(engine, 5)
    assert [count(engine) for _ in range(3)] == [5, 5, 5]
    assert len(counted) == 2, "the attempt to count it where the request runs, and the count"
    engine.commit(Batch("change", (Delete(Key("k1", "x")),)))
    assert [count(engine), count(engine)] == [4, 4]
    assert len(counted) == 3, "no attempt, because the latest count was long"


@pytest.mark.parametrize("change", [Put(place(7)), Delete(Key("k1", "x"))])
def test_a_commit_of_this_or_another_process_is_counted(
    engine: SqliteEngine, other: SqliteEngine, counted: list[RangeQuery], change: Put | Delete
) -> None:
    for each in (engine, other):
        put(engine, 5)
        assert [count(engine), count(engine)] == [5, 5]
        each.commit(Batch(f"change {id(each)}", (change,)))
        expected = 6 if isinstance(change, Put) else 4
        assert [count(engine), count(engine)] == [expected, expected]
        engine.commit(Batch("restore", (Delete(Key("k7", "x")),)))
    assert len(counted) == 4


@pytest.mark.parametrize("request_between", [False, True])
def test_a_number_that_was_counted_before_a_commit_is_not_kept(
    engine: SqliteEngine, other: SqliteEngine, monkeypatch: pytest.MonkeyPatch, request_between: bool
) -> None:
    """The commit, and another request of the same thread, come while the count runs elsewhere."""
    monkeypatch.setattr(counts, "_MAX_INLINE_COUNT", 4)
    monkeypatch.setattr(counts, "_MIN_KEPT", 1)
    put(engine, 5)

    def offload(work: Callable[..., int], *arguments: Any) -> int:
        number = work(*arguments)
        monkeypatch.setattr(waiting, "offload", waiting.Blocking().offload)
        other.commit(Batch("put", (Put(place(7)),)))
        if request_between:
            assert count(engine, Bounds("003")) == 3
        return number

    monkeypatch.setattr(waiting, "offload", offload)
    assert count(engine) == 5
    assert count(engine) == 6


def test_only_the_latest_numbers_are_kept(
    engine: SqliteEngine, counted: list[RangeQuery], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "_MAX_KEPT", 2)
    put(engine, 9)
    for low in ("001", "002", "001", "003", "001", "002"):
        count(engine, Bounds(low))
    assert [query.low.values for query in counted] == [("001",), ("002",), ("003",), ("002",)]


def test_few_rows_and_many_ranges_are_counted_anew(
    engine: SqliteEngine, counted: list[RangeQuery], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "_MIN_KEPT", 4)
    monkeypatch.setattr(counts, "_MAX_RANGES", 1)
    put(engine, 6)
    for ranges, expected in (((Bounds("003"),), 3), ((Bounds(high="002"), Bounds("003")), 6)):
        counted.clear()
        assert [count(engine, *ranges), count(engine, *ranges)] == [expected, expected]
        assert len(counted) == 2 * len(ranges)


@pytest.mark.parametrize("seed", range(soak_count(3, 100)))
def test_counts_beside_writes_are_exact(
    engine: SqliteEngine, other: SqliteEngine, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(counts, "_MAX_INLINE_COUNT", 8)
    monkeypatch.setattr(counts, "_MIN_KEPT", 1)
    monkeypatch.setattr(counts, "_MAX_KEPT", 3)
    chance, present = Random(seed), dict[int, int]()
    for step in range(200):
        number = chance.randrange(20)
        if chance.random() < 0.2:
            writer = chance.choice((engine, other))
            if chance.random() < 0.3:
                present.pop(number, None)
                writer.commit(Batch(f"{step}", (Delete(place(number).key),)))
            else:
                present[number] = to = chance.randrange(20)
                item = Item(place(number).key, places={"index1": IndexKey("all", f"{to:03}")})
                writer.commit(Batch(f"{step}", (Put(item),)))
        low, high = chance.choice([(0, 20), (5, 20), (0, 9), (5, 9)])
        expected = sum(low <= at < high for at in present.values())
        reader = chance.choice((engine, other))
        assert count(reader, Bounds(f"{low:03}", f"{high:03}", high_included=False)) == expected
