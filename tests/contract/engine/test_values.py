"""Values, keys and names round-trip, and are ordered by code point."""

from stratabase.core.store.engine.port import (
    ITEMS,
    Bounds,
    Check,
    Condition,
    ConditionOperator,
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
from tests.contract.engine.engine_calls import HERE, commit, find_item, get_item, keys, put
from tests.rows import each_row

# UTF-16 would put the astral ones before the last of the plane below, a C string would end at the zero, and a
# collation would mix the letters.
TEXTS = [
    "\0",
    "\0\0",
    "\0a",
    " ",
    "%",
    "'; DROP TABLE items; --",
    "A",
    "Z",
    "a",
    "a\0",
    "a\0b",
    "a\n",
    "aa",
    "e\u0301",
    "z",
    "\x7f",
    "\x80",
    "é",
    "ß",
    "\u2028",
    "語",
    "\ud7ff",
    "\ue000",
    "\ufeff",
    "\uffff",
    "\U00010000",
    "😀",
    "\U0010ffff",
]
VALUES = [
    *TEXTS,
    "",
    0,
    -1,
    2**53,
    -(2**53),
    True,
    False,
    None,
    [],
    ["a"],
    ["b", "a", "b"],
    ["", "\0", "😀"],
]


@each_row("value", VALUES)
def test_an_attribute_comes_back_as_it_was(engine: Engine, value: Value) -> None:
    commit(engine, Put(Item(HERE, {"held": value})))
    (held,) = get_item(engine).attributes.values()
    assert held == value
    assert type(held) is type(value)
    commit(engine, Check(HERE, Expectation(True, (Condition("held", ConditionOperator.EQUALS, value),))))


@each_row("value", VALUES)
def test_a_patched_attribute_comes_back_as_it_was(engine: Engine, value: Value) -> None:
    commit(engine, Put(Item(HERE, {"other": 1})))
    commit(engine, Patch(HERE, set={"held": value}))
    assert get_item(engine).attributes == {"other": 1, "held": value}


@each_row("state", ["", "{}", '{"a":"\\u0000"}', "\0", "😀", '{"a": 1.10}'])
def test_a_state_comes_back_character_for_character(engine: Engine, state: str) -> None:
    commit(engine, Put(Item(HERE, state=state)))
    assert get_item(engine).state == state


def test_a_state_of_350_kilobytes_is_kept(engine: Engine) -> None:
    state = '{"text":"' + "x😀" * 70_000 + '"}'
    commit(engine, Put(Item(HERE, state=state)))
    assert get_item(engine).state == state


def test_numbers_up_to_two_to_the_53_are_added_exactly(engine: Engine) -> None:
    commit(engine, Put(Item(HERE, {"n": 2**53 - 1})))
    commit(engine, Patch(HERE, add={"n": 1}))
    assert get_item(engine).attributes == {"n": 2**53}
    commit(engine, Patch(HERE, add={"n": -(2**54)}))
    assert get_item(engine).attributes == {"n": -(2**53)}


def test_any_text_is_a_key_of_its_own(engine: Engine) -> None:
    put(engine, [Item(Key(text, text), {"text": text}) for text in TEXTS])
    items = engine.get([Key(text, text) for text in TEXTS])
    assert [item and item.attributes["text"] for item in items] == TEXTS
    for text in TEXTS:
        commit(engine, DeleteItem(Key(text, text)))
        assert find_item(engine, Key(text, text)) is None


def test_sort_keys_are_ordered_by_code_point(engine: Engine) -> None:
    ordered = sorted(TEXTS)
    put(engine, [Item(Key("p", text)) for text in reversed(TEXTS)])
    assert [key.sort for key in keys(engine, ITEMS, "p")] == ordered
    assert [key.sort for key in keys(engine, ITEMS, "p", backward=True)] == ordered[::-1]


def test_bounds_are_compared_by_code_point(engine: Engine) -> None:
    ordered = sorted(TEXTS)
    put(engine, [Item(Key("p", text)) for text in TEXTS])
    for at, text in enumerate(ordered):
        assert [key.sort for key in keys(engine, ITEMS, "p", Bounds(low=text))] == ordered[at:]
        bounds = Bounds(high=text, high_included=False)
        assert [key.sort for key in keys(engine, ITEMS, "p", bounds)] == ordered[:at]


def test_places_are_ordered_by_code_point(engine: Engine) -> None:
    put(engine, [Item(Key("p", text), places={"index1": IndexKey("\0😀", text)}) for text in TEXTS])
    assert [key.sort for key in keys(engine, "index1", "\0😀")] == sorted(TEXTS)


def test_any_text_is_an_attribute_name(engine: Engine) -> None:
    attributes: dict[str, Value] = {"size": 1, "a.b": 2, "#name": 3, ":value": 4, "ß😀": 5}
    commit(engine, Put(Item(HERE, attributes)))
    commit(engine, Patch(HERE, add=dict.fromkeys(attributes, 1)))
    assert get_item(engine).attributes == {"size": 2, "a.b": 3, "#name": 4, ":value": 5, "ß😀": 6}


def test_names_that_an_engine_uses_internally_are_allowed(engine: Engine) -> None:
    own = ["partition", "sort", "attributes", "state", "places", "pk", "sk", "p1", "s8", "blank", "id"]
    attributes: dict[str, Value] = {mark + name: mark for name in own for mark in ("", "=", "==")}
    item = Item(HERE, attributes, "{}", {"index1": IndexKey("a", "b")})
    commit(engine, Put(item))
    assert get_item(engine) == item
    commit(engine, Patch(HERE, set=dict.fromkeys(own, "new"), remove=frozenset({"=state", "=pk"})))
    changed = {**attributes, **dict.fromkeys(own, "new")}
    left = {name: value for name, value in changed.items() if name not in {"=state", "=pk"}}
    assert get_item(engine) == Item(HERE, left, "{}", item.places)


LONG = "😀" * 1000
"""Longer than a key may be in some engines, so under it there is nothing."""


def test_a_key_that_cannot_exist_has_no_item(engine: Engine) -> None:
    put(engine, [Item(HERE)])
    assert engine.get([Key(LONG, "x")]) == [None]
    assert engine.get([Key("x", LONG), HERE, Key("", "x"), Key("x", "")]) == [None, Item(HERE), None, None]
    assert keys(engine, ITEMS, LONG) == []
    assert keys(engine, ITEMS, "") == []


@each_row("length", [1, 255, 256, 257, 1000])
def test_bounds_may_be_longer_than_any_key(engine: Engine, length: int) -> None:
    """A cursor or a filter's value may be."""
    sorts = ["a", "😀", "😀" * 255, "😀" * 255 + "a", "😀" * 256, "z"]
    put(engine, [Item(Key("p", sort), places={"index1": IndexKey("p", sort)}) for sort in sorts])
    end = "😀" * length
    for included in (True, False):
        above = sorted(sort for sort in sorts if sort > end or (included and sort == end))
        below = sorted(sort for sort in sorts if sort < end or (included and sort == end))
        for index in (ITEMS, "index1"):
            low, high = Bounds(low=end, low_included=included), Bounds(high=end, high_included=included)
            assert [key.sort for key in keys(engine, index, "p", low)] == above
            assert [key.sort for key in keys(engine, index, "p", high, backward=True)] == below[::-1]
