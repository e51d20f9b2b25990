"""Stored states as a model shows them, and what a write stores of them again."""

from typing import Any

import pytest

from stratabase.core.model.attribute import (
    ABSENT,
    KEPT,
    Attribute,
    KeptValue,
    KeptValues,
    StateReader,
    overwrite,
    stored_state,
    stored_value,
    unread_names,
)
from stratabase.core.model.types import TYPES
from tests.rows import each_row

NATIVE = {
    "number": Attribute("number", TYPES["Int"]),
    "day": Attribute("day", TYPES["Date"]),
    "level": Attribute("level", TYPES["Int"], default=3),
}
READ = StateReader(NATIVE)
OLD: dict[str, Any] = {"number": "5", "day": "soon", "gone": None, "other": {"a": 1}}


def test_a_state_that_shows_what_it_stores_stays_as_it_is() -> None:
    state = {"number": 5, "day": "2020-01-31", "level": 4, "_createdon": "x", "other": ["a"]}
    assert READ.show_all([state])
    assert READ.read(state) == state


@each_row("name", ["number", "day", "level"])
def test_the_fast_check_notices_each_value_that_is_not_shown_as_it_is(name: str) -> None:
    state: dict[str, Any] = {"number": 5, "day": "2020-01-31", "level": 4}
    for value in ("x", True, ["a"], {"a": 1}, 2**31, 1.5):
        assert not READ.show_all([state, {**state, name: value}])
    assert READ.show_all([{**state, name: None}]) is (name != "level")


@each_row("name", ["number", "day", "level"])
def test_the_check_of_some_attributes_looks_at_no_others(name: str) -> None:
    others = frozenset({*NATIVE, "_id"} - {name})
    state: dict[str, Any] = {"number": 5, "day": "2020-01-31", "level": 4, name: ["a"]}
    assert READ.show(others)([state, state])
    assert not READ.show(frozenset({name}))([state])
    assert READ.show(others)([{**state, "number": None}]) is True
    assert not READ.show(frozenset(NATIVE))([{"number": 5}]), "there is no level, so the default is shown"


def test_many_different_checks_are_not_all_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stratabase.core.model.attribute._MAX_COMPILED", 1)
    reader = StateReader(NATIVE)
    kept = reader.show(frozenset({"day"}))
    assert reader.show(frozenset({"day"})) is kept
    assert not reader.show(frozenset({"number"}))([{"number": "5", "level": 3}])


def test_shown_values_are_beside_the_stored_ones() -> None:
    state = READ.read(dict(OLD))
    kept = state.pop(KEPT)
    assert state == {"number": 5, "day": None, "level": 3, "gone": None, "other": {"a": 1}}
    assert kept.by_name == {
        "number": KeptValue("5", 5),
        "day": KeptValue("soon", None),
        "level": KeptValue(ABSENT, 3),
        "gone": KeptValue(None, None),
    }


def test_what_was_not_overwritten_is_stored_again() -> None:
    state = READ.read(dict(OLD))
    assert stored_state(state) == OLD
    assert stored_state({**state, "number": 6, "day": "2020-01-31"}) == {
        **OLD,
        "number": 6,
        "day": "2020-01-31",
    }
    assert [stored_value(state, name) for name in ("number", "day", "level", "gone", "nothing")] == [
        "5",
        "soon",
        ABSENT,
        None,
        ABSENT,
    ]
    assert unread_names(state) == {"day"}


@each_row(
    ("changes", "stored"),
    [
        ({"number": 5}, OLD),
        ({"number": 6}, {**OLD, "number": 6}),
        ({"day": None}, {name: value for name, value in OLD.items() if name != "day"}),
        ({"level": 3}, {**OLD, "level": 3}),
        ({"level": None}, {**OLD, "level": None}),
    ],
)
def test_what_a_client_sets_is_stored(changes: dict[str, Any], stored: dict[str, Any]) -> None:
    before = READ.read(dict(OLD))
    after = overwrite(before, changes, NATIVE)
    assert stored_state(after) == stored
    assert (after == before) is (stored == OLD)


def test_kept_values_have_the_names_and_values_of_another_model() -> None:
    kept = KeptValues({"mood": KeptValue("SAD", "SAD"), "old": KeptValue("x", None)})
    renamed = kept.translated({"mood": "state"}.get, lambda name, value: value and f"{name}.{value}")
    assert renamed == KeptValues({"state": KeptValue("SAD", "mood.SAD"), "old": KeptValue("x", None)})
