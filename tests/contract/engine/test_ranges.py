"""Ranges of items: in order, within bounds, in both directions, page by page."""

from itertools import pairwise

import pytest

from stratabase.core.store.engine.port import (
    ITEMS,
    UNBOUNDED,
    Bounds,
    DeleteItem,
    Engine,
    IndexKey,
    Item,
    Key,
    Put,
)
from tests.contract.engine.engine_calls import commit, keys, put, settle
from tests.contract.engine.engines import EngineImplementation
from tests.contract.engine.range_cases import BOUNDS, SORTS, within
from tests.rows import each_row


def test_a_range_respects_every_combination_of_bounds_in_both_directions(engine: Engine) -> None:
    put(engine, [Item(Key("p", sort)) for sort in SORTS])
    for bounds in BOUNDS:
        expected = [Key("p", sort) for sort in SORTS if within(sort, bounds)]
        assert keys(engine, ITEMS, "p", bounds) == expected, bounds
        assert keys(engine, ITEMS, "p", bounds, backward=True) == expected[::-1], bounds


@each_row("limit", [0, 1, 3, 5, 6])
def test_a_limit_returns_the_first_items_in_its_direction(engine: Engine, limit: int) -> None:
    put(engine, [Item(Key("p", sort)) for sort in SORTS])
    assert keys(engine, ITEMS, "p", limit=limit) == [Key("p", sort) for sort in SORTS][:limit]
    assert keys(engine, ITEMS, "p", backward=True, limit=limit) == [Key("p", s) for s in SORTS[::-1]][:limit]


def test_a_range_stays_in_its_partition(engine: Engine) -> None:
    put(engine, [Item(Key(partition, "x")) for partition in ("o", "p", "pp", "q")])
    assert keys(engine, ITEMS, "p") == [Key("p", "x")]


def test_an_empty_range_returns_nothing(engine: Engine) -> None:
    assert keys(engine, ITEMS, "nothing") == []


def test_a_range_returns_complete_items(engine: Engine) -> None:
    item = Item(Key("p", "s"), {"n": 1, "ids": ["a"]}, '{"a":1}')
    commit(engine, Put(item))
    assert [found for page in engine.range(ITEMS, "p") for found in page] == [item]


@pytest.mark.parametrize("backward", [False, True])
def test_parts_of_items_have_their_state_and_their_place(engine: Engine, backward: bool) -> None:
    """They fill more than one page of an engine, and some share a position."""
    numbers = [f"{number:03}" for number in range(300)]
    put(
        engine,
        [
            Item(Key(f"p#{number}", "s"), {"n": 1}, f'"{number}"', {"index1": IndexKey("c", number[:2])})
            for number in numbers
        ],
    )
    settle(engine)
    pages = engine.range("index1", "c", Bounds("01"), backward=backward, whole=False)
    found = [(each.partition, each.state, each.sort_in("index1")) for page in pages for each in page]
    expected = [(f"p#{number}", f'"{number}"', number[:2]) for number in numbers[10:]]
    assert found == (expected[::-1] if backward else expected)


@pytest.mark.parametrize("backward", [False, True])
def test_items_without_their_places_have_the_rest(engine: Engine, backward: bool) -> None:
    items = [
        Item(Key("p", f"{number:03}"), {"n": number}, f'"{number}"', {"index1": IndexKey("c", "x")})
        for number in range(300)
    ]
    put(engine, items)
    pages = engine.range(ITEMS, "p", Bounds("010"), backward=backward, whole=False)
    found = [(each.key, each.attributes, each.state) for page in pages for each in page]
    expected = [(each.key, each.attributes, each.state) for each in items[10:]]
    assert found == (expected[::-1] if backward else expected)


def test_a_deleted_item_is_in_no_range(engine: Engine) -> None:
    put(engine, [Item(Key("p", sort)) for sort in SORTS])
    commit(engine, DeleteItem(Key("p", "b")))
    assert keys(engine, ITEMS, "p") == [Key("p", sort) for sort in SORTS if sort != "b"]


def test_an_unknown_index_is_an_error(engine: Engine) -> None:
    with pytest.raises(ValueError, match="index9"):
        engine.range("index9", "p")


@pytest.mark.soak
@pytest.mark.parametrize("backward", [False, True])
def test_a_long_range_returns_every_item_once_and_in_order(
    engine: Engine, kind: EngineImplementation, backward: bool
) -> None:
    expected = [Key("p", f"{number:05}") for number in range(kind.many)]
    put(engine, [Item(key) for key in reversed(expected)])
    if backward:
        expected.reverse()
    assert keys(engine, ITEMS, "p", backward=backward) == expected
    assert keys(engine, ITEMS, "p", backward=backward, limit=kind.many - 1) == expected[:-1]


@pytest.mark.soak
def test_bounds_hold_on_every_page(engine: Engine, kind: EngineImplementation) -> None:
    put(engine, [Item(Key("p", f"{number:05}")) for number in range(kind.many)])
    low, high = 3, kind.many - 3
    bounds = Bounds(f"{low:05}", f"{high:05}", low_included=False, high_included=False)
    expected = [Key("p", f"{number:05}") for number in range(low + 1, high)]
    assert keys(engine, ITEMS, "p", bounds) == expected
    assert keys(engine, ITEMS, "p", bounds, backward=True) == expected[::-1]


@pytest.mark.soak
def test_an_abandoned_range_blocks_no_other_call(engine: Engine, kind: EngineImplementation) -> None:
    put(engine, [Item(Key("p", f"{number:05}")) for number in range(kind.many)])
    left = iter(engine.range(ITEMS, "p"))
    next(left)
    commit(engine, Put(Item(Key("p", "00000"), {"new": True})))
    (item,) = engine.get([Key("p", "00000")])
    assert item
    assert item.attributes == {"new": True}


@pytest.mark.soak
def test_later_pages_of_a_range_are_current_when_they_are_read(
    engine: Engine, kind: EngineImplementation
) -> None:
    """An item that exists throughout is read exactly once, whatever is inserted and deleted between pages."""
    put(engine, [Item(Key("p", f"{number:05}")) for number in range(kind.many)])
    seen: list[str] = []
    for number, page in enumerate(engine.range(ITEMS, "p", UNBOUNDED)):
        seen += [item.key.sort for item in page]
        commit(engine, Put(Item(Key("p", f"00000+{number}"))), Put(Item(Key("p", f"~{number}"))))
        commit(engine, DeleteItem(page[-1].key))
    throughout = [f"{number:05}" for number in range(kind.many)]
    assert [sort for sort in seen if sort in set(throughout)] == throughout
    assert all(one < other for one, other in pairwise(seen))


def test_an_eventually_consistent_range_finally_shows_every_commit(engine: Engine) -> None:
    put(engine, [Item(Key("p", sort)) for sort in SORTS])
    commit(engine, DeleteItem(Key("p", "b")), Put(Item(Key("p", "c"), {"new": True})))
    for backward, limit in ((False, None), (True, 2)):
        found = settle(engine).range(
            ITEMS, "p", Bounds("a", "c"), backward=backward, limit=limit, exact=False
        )
        items = [item for page in found for item in page]
        sorts = ["c", "ba"] if backward else ["a", "ba", "c"]
        assert [item.key.sort for item in items] == sorts
        assert [item.attributes for item in items if item.key.sort == "c"] == [{"new": True}]
