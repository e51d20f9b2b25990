"""SQLite answers every query from an index in its order, without scans and sorts."""

from itertools import product

import pytest

from stratabase.core.store.engine.port import INDEX_NAMES, ITEMS, Bounds, IndexKey, Item, Key
from stratabase.core.store.sqlite import queries
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.store.sqlite.queries import range_query
from stratabase.core.store.sqlite.table import COLUMNS
from tests.contract.engine.engine_calls import put
from tests.rows import each_row

ENDS = (None, "a")


def plan(engine: SqliteEngine, statement: str) -> list[str]:
    """Return the steps of SQLite's plan for a statement."""
    asked = f"EXPLAIN QUERY PLAN {statement}", ("1",) * statement.count("?")
    return [
        str(row[-1]) for row in engine._readers.read(lambda connection: connection.execute(*asked).fetchall())
    ]


@each_row("index", [ITEMS, *INDEX_NAMES])
def test_a_page_of_a_range_is_one_index_search(engine: SqliteEngine, index: str) -> None:
    used = {ITEMS: "sqlite_autoindex_items_1"}.get(index, index)
    for low, high, (included, backward, later) in product(ENDS, ENDS, product((True, False), repeat=3)):
        asked = range_query(index, "p", Bounds(low, high, included, included), backward=backward)
        asked = asked.after(("x",) * len(COLUMNS)) if later else asked
        (step,) = plan(engine, asked.statement())
        assert step.startswith(f"SEARCH items USING INDEX {used} ("), step
        # Two ends: the search begins at one and stops at the other.
        started = bool(high or (later and backward)) + bool(low or (later and not backward))
        assert step.count(" AND ") == started, step


@each_row("index", [ITEMS, *INDEX_NAMES])
def test_a_count_reads_the_index_alone(engine: SqliteEngine, index: str) -> None:
    used = {ITEMS: "sqlite_autoindex_items_1"}.get(index, index)
    for low, high, included, has_limit in product(ENDS, ENDS, (True, False), (True, False)):
        asked = range_query(index, "p", Bounds(low, high, included, included), backward=False)
        steps = plan(engine, asked.count_statement(has_limit=has_limit))
        (step,) = [step for step in steps if "items" in step]
        assert step.startswith(f"SEARCH items USING COVERING INDEX {used} ("), step
        assert step.count(" AND ") == bool(low) + bool(high), step


def test_one_key_is_one_index_search(engine: SqliteEngine) -> None:
    (step,) = plan(engine, queries._select_statement(1, COLUMNS))
    assert step == "SEARCH items USING INDEX sqlite_autoindex_items_1 (partition=? AND sort=?)"


@each_row("size", [2, queries.MAX_KEYS_PER_STATEMENT])
def test_many_keys_are_looked_up_one_by_one(engine: SqliteEngine, size: int) -> None:
    last = plan(engine, queries._select_statement(size, COLUMNS))[-1]
    assert last == "SEARCH items USING INDEX sqlite_autoindex_items_1 (partition=? AND sort=?)"


@pytest.mark.parametrize("limit", [None, 200, 1000])
@pytest.mark.parametrize("whole", [True, False])
def test_a_page_of_large_items_has_few_of_them(
    engine: SqliteEngine, limit: int | None, *, whole: bool
) -> None:
    """Other requests proceed between two pages, and a request that reads too much ends after a page."""
    state = '"' + "x" * 50_000 + '"'
    keys = [Key(f"p#{number:03}", "s") for number in range(200)]
    places = {"index1": IndexKey("c", "x")}
    put(engine, [Item(key, {}, state, places) for key in keys])

    pages = list(engine.range("index1", "c", limit=limit, whole=whole))

    assert [item.partition for page in pages for item in page] == [key.partition for key in keys]
    assert max(map(len, pages)) <= 64
    assert len(pages) >= 4
