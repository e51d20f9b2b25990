"""Items are counted by the beginnings of their keys without reading each key, if many share a beginning."""

import sqlite3
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import pytest

from stratabase.core.store.engine.port import UNBOUNDED, Beginnings, Bounds, IndexKey, Item, Key
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.store.sqlite.queries import count_beginnings, range_query
from tests.contract.engine.engine_calls import put

NUMBER = 10_000
"""The number of items."""
LITTLE = NUMBER // 50
"""A number of keys, statements or instructions that is small in comparison."""
whole_and_bounded = pytest.mark.parametrize("bounds", [UNBOUNDED, Bounds("00000", "99999")])


def value_of(key: str) -> str:
    """Return the beginning of a sort key with the value of its item."""
    return key[: key.index("!") + 1]


class Work(NamedTuple):
    """What it takes to count items."""

    keys: int
    """The sort keys that are read."""
    statements: int
    instructions: int
    """Those of SQLite."""


def fill(engine: SqliteEngine, values: Iterable[int]) -> None:
    """Put an item for each value, with which its sort key begins."""
    sorts = [f"{value:05}!{number}" for number, value in enumerate(values)]
    put(engine, [Item(Key(f"k{sort}", "x"), {}, "{}", {"index1": IndexKey("all", sort)}) for sort in sorts])


def work(engine: SqliteEngine, bounds: Bounds, values: int) -> Work:
    """Count items by their values, of which there are so many, and return what it took."""
    return engine._readers.read(partial(_work, bounds=bounds, values=values))


def _work(connection: sqlite3.Connection, bounds: Bounds, values: int) -> Work:
    keys, statements, instructions = list[str](), list[str](), 0

    def note_key(key: str) -> str:
        keys.append(key)
        return value_of(key)

    def count_instruction() -> None:
        nonlocal instructions
        instructions += 1

    connection.set_trace_callback(statements.append)
    connection.set_progress_handler(count_instruction, 1)
    query = range_query("index1", "all", bounds, backward=False)
    found = count_beginnings(connection, [query], Beginnings(note_key, NUMBER))
    connection.set_progress_handler(None, 1)
    connection.set_trace_callback(None)
    assert found is not None
    assert (len(found), sum(found.values())) == (values, NUMBER)
    return Work(len(keys), len(statements), instructions)


@whole_and_bounded
def test_one_key_is_read_for_each_of_few_values(engine: SqliteEngine, bounds: Bounds) -> None:
    fill(engine, (number % 12 for number in range(NUMBER)))
    done = work(engine, bounds, 12)
    assert done.keys == 12
    assert done.statements <= 3 * 12
    # To step to the next entry of an index, to count it, and to compare it with the end of the range.
    assert done.instructions <= 4 * NUMBER + LITTLE


@whole_and_bounded
def test_each_key_is_read_once_if_all_values_are_different(engine: SqliteEngine, bounds: Bounds) -> None:
    fill(engine, range(NUMBER))
    done = work(engine, bounds, NUMBER)
    assert done.keys <= NUMBER + 1
    assert done.statements <= LITTLE


@whole_and_bounded
def test_a_value_that_most_items_have_leaves_the_others_to_one_pass(
    engine: SqliteEngine, bounds: Bounds
) -> None:
    """Nulls are such a value."""
    fill(engine, [0] * (NUMBER - 900) + [*range(1, 901)])
    done = work(engine, bounds, 901)
    assert done.keys <= 902
    assert done.statements <= LITTLE


def test_the_counts_of_several_ranges_are_one_snapshot(engine: SqliteEngine) -> None:
    fill(engine, [1, 2, 3])
    written = list[str]()

    def write(key: str) -> str:
        if not written:
            written.append("00005!9")
            put(engine, [Item(Key("new", "x"), {}, "{}", {"index1": IndexKey("all", written[0])})])
        return value_of(key)

    ranges = (Bounds("00000", "00002"), Bounds("00002", None))
    found = engine.count_beginnings("index1", "all", ranges, Beginnings(write, 9))
    assert found == {"00001!": 1, "00002!": 1, "00003!": 1}
    again = engine.count_beginnings("index1", "all", ranges, Beginnings(write, 9))
    assert again == {**found, "00005!": 1}
