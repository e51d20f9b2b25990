"""Items: put, patched, deleted and read by key."""

from dataclasses import replace

import pytest

from stratabase.core.store.engine.port import (
    NO_EXPECTATION,
    NOT_EXISTS,
    Check,
    DeleteItem,
    Engine,
    Expectation,
    IndexKey,
    Item,
    Key,
    Patch,
    Put,
    Value,
)
from tests.contract.engine.engine_calls import HERE, commit, find_item, get_item, refused_expectations
from tests.rows import each_row

FULL = Item(
    HERE,
    {"owner": "ada", "until": 17, "open": True, "nothing": None, "ids": ["a", "b"]},
    '{"name":"Ada"}',
    {"index1": IndexKey("Employee", "ada"), "index8": IndexKey("Employee", "17")},
)


def test_a_put_item_is_readable_immediately_and_completely(engine: Engine) -> None:
    commit(engine, Put(FULL))
    assert get_item(engine) == FULL


def test_an_item_may_have_only_a_key(engine: Engine) -> None:
    commit(engine, Put(Item(HERE)))
    assert get_item(engine) == Item(HERE)


def test_a_put_replaces_the_whole_item(engine: Engine) -> None:
    commit(engine, Put(FULL))
    commit(engine, Put(Item(HERE, {"owner": "bob"})))
    assert get_item(engine) == Item(HERE, {"owner": "bob"})


def test_get_returns_items_in_key_order_with_repetitions_and_none_if_missing(engine: Engine) -> None:
    one, two, missing = Key("p", "1"), Key("p", "2"), Key("p", "3")
    commit(engine, Put(Item(one)), Put(Item(two)))
    assert engine.get([two, missing, one, two]) == [Item(two), None, Item(one), Item(two)]


def test_get_of_no_keys_returns_no_items(engine: Engine) -> None:
    assert engine.get([]) == []


@each_row("count", [1, 3])
def test_items_may_lack_only_their_places_if_the_caller_does_not_need_them(
    engine: Engine, count: int
) -> None:
    keys = [HERE, *(Key("p", str(number)) for number in range(1, count))]
    commit(engine, *(Put(replace(FULL, key=key)) for key in keys))
    for key, item in zip(keys, engine.get(keys, places=False), strict=True):
        assert item is not None
        assert Item(item.key, item.attributes, item.state, FULL.places) == replace(FULL, key=key)
        assert item.places in ({}, FULL.places)
    assert engine.get([Key("p", "missing")], places=False) == [None]


@each_row("count", [1, 2, 3, 99, 100, 101, 257, 600])
def test_get_reads_any_number_of_keys(engine: Engine, count: int) -> None:
    keys = [Key("p", str(number)) for number in range(count)]
    written = [Item(key, {"number": number}) for number, key in enumerate(keys) if number % 3]
    for at in range(0, len(written), 100):
        commit(engine, *map(Put, written[at : at + 100]))
    assert [item for item in engine.get(keys) if item] == written


def test_partition_and_sort_keys_are_distinguished(engine: Engine) -> None:
    commit(engine, Put(Item(Key("ab", "c"), {"n": 1})), Put(Item(Key("a", "bc"), {"n": 2})))
    assert get_item(engine, Key("ab", "c")).attributes == {"n": 1}
    assert get_item(engine, Key("a", "bc")).attributes == {"n": 2}


def test_a_deleted_item_is_gone(engine: Engine) -> None:
    commit(engine, Put(FULL))
    commit(engine, DeleteItem(HERE))
    assert find_item(engine) is None


def test_deleting_a_missing_item_succeeds(engine: Engine) -> None:
    commit(engine, DeleteItem(HERE))
    assert find_item(engine) is None


def test_a_check_changes_nothing(engine: Engine) -> None:
    commit(engine, Put(FULL))
    commit(engine, Check(HERE, NO_EXPECTATION))
    assert get_item(engine) == FULL


def test_a_patch_changes_only_what_it_names(engine: Engine) -> None:
    commit(engine, Put(FULL))
    patch = Patch(
        HERE, set={"owner": "bob", "new": "x"}, add={"until": 5}, remove=frozenset({"ids", "never"})
    )
    commit(engine, patch)
    attributes: dict[str, Value] = {"owner": "bob", "new": "x", "until": 22, "open": True, "nothing": None}
    assert get_item(engine) == Item(HERE, attributes, FULL.state, FULL.places)


def test_a_patch_may_replace_only_the_state(engine: Engine) -> None:
    commit(engine, Put(FULL))
    commit(engine, Patch(HERE, state='{"name":"Bob"}'))
    assert get_item(engine) == Item(HERE, FULL.attributes, '{"name":"Bob"}', FULL.places)


def test_a_patch_moves_adds_and_removes_index_places(engine: Engine) -> None:
    commit(engine, Put(FULL))
    commit(
        engine,
        Patch(
            HERE, places={"index1": IndexKey("Employee", "bob"), "index2": IndexKey("x", "y"), "index8": None}
        ),
    )
    places = {"index1": IndexKey("Employee", "bob"), "index2": IndexKey("x", "y")}
    assert get_item(engine) == Item(HERE, FULL.attributes, FULL.state, places)


def test_add_starts_at_zero_and_may_subtract(engine: Engine) -> None:
    commit(engine, Put(Item(HERE)))
    commit(engine, Patch(HERE, add={"count": 3}))
    commit(engine, Patch(HERE, add={"count": -5}))
    assert get_item(engine).attributes == {"count": -2}


def test_a_patch_needs_an_item_unless_it_says_otherwise(engine: Engine) -> None:
    patch = Patch(HERE, add={"count": 1})
    assert [(failure.action, failure.found) for failure in refused_expectations(engine, patch)] == [
        (patch, None)
    ]
    assert find_item(engine) is None


@pytest.mark.parametrize("expect", [NO_EXPECTATION, NOT_EXISTS])
def test_a_patch_without_expectations_creates_the_item(engine: Engine, expect: Expectation) -> None:
    patch = Patch(
        HERE, expect, {"owner": "ada"}, {"count": 2}, frozenset({"x"}), "{}", {"index1": IndexKey("a", "b")}
    )
    commit(engine, patch)
    assert get_item(engine) == Item(HERE, {"owner": "ada", "count": 2}, "{}", {"index1": IndexKey("a", "b")})


@each_row("held", ["7", True, None, ["7"]])
def test_adding_to_a_non_number_is_an_error_and_writes_nothing(engine: Engine, held: Value) -> None:
    before = Item(HERE, {"count": held})
    commit(engine, Put(before))
    with pytest.raises(ValueError, match="count"):
        commit(engine, Put(Item(Key("p", "1"))), Patch(HERE, add={"count": 1}))
    assert engine.get([HERE, Key("p", "1")]) == [before, None]


@each_row(
    "named",
    [
        {"set": {"a": 1}, "add": {"a": 1}},
        {"set": {"a": 1}, "remove": frozenset("a")},
        {"add": {"a": 1}, "remove": frozenset("a")},
    ],
)
def test_a_patch_names_an_attribute_at_most_once(named: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="at most once"):
        Patch(HERE, **named)  # type: ignore[arg-type]
