"""Counts: the number of items that ranges have, without overlaps and without gaps."""

from dataclasses import replace
from random import Random

import pytest

from stratabase.core.store.engine.port import (
    INDEX_NAMES,
    ITEMS,
    UNBOUNDED,
    Bounds,
    DeleteItem,
    Engine,
    IndexKey,
    Item,
    Key,
    Patch,
)
from tests.contract.engine.engine_calls import commit, count_items, put, settle
from tests.contract.engine.engines import EngineImplementation
from tests.contract.engine.range_cases import BOUNDS, SORTS, within
from tests.rows import each_row

DISTINCT = pytest.mark.parametrize("distinct", [False, True])


def in_index(sort: str, index: str = "index1") -> Item:
    """Return an item with a place in an index."""
    return Item(Key(f"k{sort}", "x"), {}, "{}", {index: IndexKey("all", sort)})


@DISTINCT
def test_a_count_respects_every_combination_of_bounds(engine: Engine, distinct: bool) -> None:
    put(engine, [Item(Key("p", sort)) for sort in SORTS])
    for bounds in BOUNDS:
        expected = sum(within(sort, bounds) for sort in SORTS)
        assert count_items(engine, ITEMS, "p", bounds, distinct=distinct) == expected, bounds


@DISTINCT
def test_a_count_of_an_index_respects_every_combination_of_bounds(engine: Engine, distinct: bool) -> None:
    put(engine, map(in_index, SORTS))
    for bounds in BOUNDS:
        expected = sum(within(sort, bounds) for sort in SORTS)
        assert count_items(engine, "index1", "all", bounds, distinct=distinct) == expected, bounds


@DISTINCT
@each_row("index", [ITEMS, "index3"])
def test_an_empty_range_has_no_items(engine: Engine, index: str, distinct: bool) -> None:
    put(engine, [Item(Key("all", "b")), in_index("b", "index3")])
    for nothing in (Bounds("b", "a"), Bounds(high=""), Bounds("b", "b", low_included=False)):
        assert count_items(engine, index, "all", nothing, distinct=distinct) == 0
    assert count_items(engine, index, "nothing", UNBOUNDED, distinct=distinct) == 0
    assert count_items(engine, index, "all", distinct=distinct) == 0


@DISTINCT
def test_several_ranges_add_up(engine: Engine, distinct: bool) -> None:
    put(engine, map(in_index, SORTS))
    ranges = (Bounds("a", "b", high_included=False), Bounds("ba", "c"), Bounds("x"))
    assert count_items(engine, "index1", "all", *ranges, distinct=distinct) == 3


@DISTINCT
def test_items_at_one_position_all_count(engine: Engine, distinct: bool) -> None:
    put(engine, [replace(in_index("a"), key=Key(f"k{number}", "x")) for number in range(3)])
    assert count_items(engine, "index1", "all", Bounds("a", "a"), distinct=distinct) == 3


def test_a_count_stays_in_its_index_and_partition(engine: Engine) -> None:
    put(engine, [in_index("a"), in_index("b", "index2"), Item(Key("all", "c"))])
    moved = replace(in_index("d"), places={"index1": IndexKey("others", "d")})
    put(engine, [moved])
    assert count_items(engine, "index1", "all", UNBOUNDED) == 1
    assert count_items(engine, ITEMS, "all", UNBOUNDED) == 1


def test_a_moved_item_counts_where_it_is_and_a_deleted_one_nowhere(engine: Engine) -> None:
    put(engine, map(in_index, SORTS))
    commit(engine, Patch(Key("ka", "x"), places={"index1": IndexKey("all", "z")}), DeleteItem(Key("kb", "x")))
    assert count_items(engine, "index1", "all", Bounds(high="c")) == 2
    assert count_items(engine, "index1", "all", Bounds(low="c", low_included=False)) == 2


def test_a_count_of_an_unknown_index_is_an_error(engine: Engine) -> None:
    with pytest.raises(ValueError, match="index9"):
        engine.count("index9", "p")


@DISTINCT
@each_row("index", [ITEMS, INDEX_NAMES[0]])
def test_bounds_can_be_of_any_length_and_have_any_characters(
    engine: Engine, index: str, distinct: bool
) -> None:
    """DynamoDB takes no bounds that are longer than a key, so it must count something else instead."""
    chance = Random(1)
    characters = ["\0", "\x01", "a", "\x7f", "é", "\ud7ff", "\ue000", "\uffff", "😀", "\U0010ffff"]
    sorts = {
        *characters,
        "a" * 1024,
        "a" * 1023,
        "é" * 512,
        "\U0010ffff" * 256,
        "b" + "\U0010ffff" * 255 + "é",
    }
    sorts |= {"".join(chance.choices(characters, k=3)) for _ in range(20)}
    put(
        engine,
        [Item(Key("all", sort), {}, None, {INDEX_NAMES[0]: IndexKey("all", sort)}) for sort in sorts],
    )
    ends = [*sorts, "a" * 1025, "a" * 3000, "é" * 600, "c", "c\0"]
    for _ in range(60):
        bounds = Bounds(
            chance.choice([None, *ends]),
            chance.choice([None, *ends]),
            chance.random() < 0.5,
            chance.random() < 0.5,
        )
        expected = sum(within(sort, bounds) for sort in sorts)
        assert count_items(engine, index, "all", bounds, distinct=distinct) == expected, bounds


@DISTINCT
@pytest.mark.soak
def test_a_long_range_is_counted_completely(
    engine: Engine, kind: EngineImplementation, distinct: bool
) -> None:
    put(engine, [Item(Key("p", f"{number:05}"), {}, "s" * 1000) for number in range(kind.many)])
    assert count_items(engine, ITEMS, "p", UNBOUNDED, distinct=distinct) == kind.many
    within = Bounds("00003", "00100", low_included=False)
    assert count_items(engine, ITEMS, "p", within, Bounds("00101"), distinct=distinct) == kind.many - 4


def test_a_count_that_is_abandoned_blocks_no_other_call(engine: Engine) -> None:
    put(engine, map(in_index, SORTS))
    next(settle(engine).count("index1", "all"))
    put(engine, [in_index("e")])
    assert count_items(engine, "index1", "all", UNBOUNDED) == len(SORTS) + 1
