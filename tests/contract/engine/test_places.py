"""Secondary indexes: an item appears exactly at its places, in order."""

from itertools import pairwise

import pytest

from stratabase.core.store.engine.port import (
    INDEX_NAMES,
    Bounds,
    Check,
    DeleteItem,
    Engine,
    IndexKey,
    Item,
    Key,
    Patch,
    Put,
)
from tests.contract.engine.engine_calls import commit, keys, put, refused_expectations
from tests.contract.engine.engines import EngineImplementation
from tests.contract.engine.range_cases import BOUNDS, SORTS, within
from tests.rows import each_row

ONE = Key("one", "x")


@each_row("index", INDEX_NAMES)
def test_every_index_has_its_own_order(engine: Engine, index: str) -> None:
    others = {name: IndexKey("all", "same") for name in INDEX_NAMES if name != index}
    put(
        engine,
        [Item(Key(f"k{n}", "x"), places={**others, index: IndexKey("all", f"{9 - n}")}) for n in range(5)],
    )
    assert keys(engine, index, "all") == [Key(f"k{n}", "x") for n in (4, 3, 2, 1, 0)]
    assert keys(engine, index, "all", backward=True, limit=2) == [Key("k0", "x"), Key("k1", "x")]


def test_an_index_respects_every_combination_of_bounds_in_both_directions(engine: Engine) -> None:
    put(engine, [Item(Key(f"k{sort}", "x"), places={"index2": IndexKey("all", sort)}) for sort in SORTS])
    for bounds in BOUNDS:
        expected = [Key(f"k{sort}", "x") for sort in SORTS if within(sort, bounds)]
        assert keys(engine, "index2", "all", bounds) == expected, bounds
        assert keys(engine, "index2", "all", bounds, backward=True) == expected[::-1], bounds


def test_an_index_contains_only_items_with_a_place_in_it(engine: Engine) -> None:
    put(engine, [Item(ONE), Item(Key("two", "x"), places={"index1": IndexKey("all", "2")})])
    assert keys(engine, "index1", "all") == [Key("two", "x")]
    assert keys(engine, "index2", "all") == []


def test_an_index_returns_key_and_state(engine: Engine) -> None:
    commit(engine, Put(Item(ONE, {"n": 1}, '{"a":1}', {"index1": IndexKey("all", "1")})))
    assert keys(engine, "index1", "all") == [ONE]
    (page,) = engine.range("index1", "all")
    assert page[0].state == '{"a":1}'


def test_an_item_moves_in_an_index(engine: Engine) -> None:
    commit(engine, Put(Item(ONE, places={"index1": IndexKey("all", "1")})))
    commit(engine, Patch(ONE, places={"index1": IndexKey("all", "2")}))
    assert keys(engine, "index1", "all", Bounds(high="1")) == []
    assert keys(engine, "index1", "all", Bounds(low="2")) == [ONE]


def test_an_item_moves_to_another_partition_of_an_index(engine: Engine) -> None:
    commit(engine, Put(Item(ONE, places={"index1": IndexKey("all", "1")})))
    commit(engine, Put(Item(ONE, places={"index1": IndexKey("others", "1")})))
    assert keys(engine, "index1", "all") == []
    assert keys(engine, "index1", "others") == [ONE]


def test_an_item_leaves_an_index(engine: Engine) -> None:
    places = {"index1": IndexKey("all", "1"), "index2": IndexKey("all", "1")}
    commit(engine, Put(Item(ONE, places=places)))
    commit(engine, Patch(ONE, places={"index1": None}))
    assert keys(engine, "index1", "all") == []
    assert keys(engine, "index2", "all") == [ONE]


def test_a_deleted_item_leaves_every_index(engine: Engine) -> None:
    commit(engine, Put(Item(ONE, places={name: IndexKey("all", "1") for name in INDEX_NAMES})))
    commit(engine, DeleteItem(ONE))
    assert [keys(engine, name, "all") for name in INDEX_NAMES] == [[]] * len(INDEX_NAMES)


def test_a_patch_of_attributes_keeps_index_places(engine: Engine) -> None:
    commit(engine, Put(Item(ONE, places={"index1": IndexKey("all", "1")})))
    commit(engine, Patch(ONE, set={"lockOwner": "ada"}, state="{}"))
    assert keys(engine, "index1", "all") == [ONE]


def test_a_refused_batch_keeps_index_places(engine: Engine) -> None:
    commit(engine, Put(Item(ONE, places={"index1": IndexKey("all", "1")})))
    refused_expectations(
        engine, Patch(ONE, places={"index1": IndexKey("others", "1")}), Patch(Key("two", "x"))
    )
    assert keys(engine, "index1", "all") == [ONE]
    assert keys(engine, "index1", "others") == []


def test_a_check_keeps_index_places(engine: Engine) -> None:
    item = Item(ONE, places={"index1": IndexKey("all", "1")})
    commit(engine, Put(item))
    commit(engine, Check(ONE, Patch(ONE).expect))
    assert keys(engine, "index1", "all") == [ONE]


@pytest.mark.soak
@pytest.mark.parametrize("backward", [False, True])
def test_items_with_equal_places_are_each_returned_once(
    engine: Engine, kind: EngineImplementation, backward: bool
) -> None:
    """Many at one place, more than a page has; others before and after them."""
    shared = [Key(f"k{n % 3}", f"{n:05}") for n in range(kind.many)]
    put(engine, [Item(key, places={"index1": IndexKey("all", "m")}) for key in shared])
    put(engine, [Item(Key("k", end), places={"index1": IndexKey("all", end)}) for end in ("a", "z")])
    ends = [Key("k", "z"), Key("k", "a")] if backward else [Key("k", "a"), Key("k", "z")]
    found = keys(engine, "index1", "all", backward=backward)
    assert [found[0], found[-1]] == ends
    assert sorted(found[1:-1]) == sorted(shared)


def test_bounds_include_or_exclude_all_items_with_equal_places(engine: Engine) -> None:
    for sort in ("a", "m", "z"):
        put(
            engine, [Item(Key(sort, f"{n:03}"), places={"index1": IndexKey("all", sort)}) for n in range(150)]
        )
    for backward in (False, True):
        only = keys(engine, "index1", "all", Bounds("m", "m"), backward=backward)
        assert sorted(only) == [Key("m", f"{n:03}") for n in range(150)]
        rest = keys(engine, "index1", "all", Bounds(low="m", low_included=False), backward=backward)
        assert sorted(rest) == [Key("z", f"{n:03}") for n in range(150)]


@pytest.mark.soak
@pytest.mark.parametrize("backward", [False, True])
def test_a_long_index_range_returns_every_item_once_and_in_order(
    engine: Engine, kind: EngineImplementation, backward: bool
) -> None:
    many = kind.many
    put(
        engine,
        [
            Item(Key("p", f"{n:05}"), places={"index1": IndexKey("all", f"{many - n:05}")})
            for n in range(many)
        ],
    )
    found = keys(engine, "index1", "all", backward=backward)
    assert len(found) == many
    assert all((one > other) != backward for one, other in pairwise(found))
