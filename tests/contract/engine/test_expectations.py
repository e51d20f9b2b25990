"""Expectations of actions."""

from collections.abc import Callable

import pytest

from stratabase.core.store.engine.port import (
    EXISTS,
    NO_EXPECTATION,
    NOT_EXISTS,
    Action,
    Check,
    Condition,
    ConditionOperator,
    DeleteItem,
    Engine,
    Expectation,
    Item,
    Patch,
    Put,
    Value,
)
from tests.contract.engine.engine_calls import HERE, commit, find_item, get_item, refused_expectations
from tests.rows import each_row

HELD = Item(
    HERE,
    {
        "text": "m",
        "number": 5,
        "yes": True,
        "no": False,
        "one": 1,
        "none": None,
        "list": ["a", "b"],
        "empty": "",
    },
    "{}",
)

ACTIONS: list[Callable[[Expectation], Action]] = [
    lambda expect: Put(Item(HERE, {"new": 1}), expect),
    lambda expect: Patch(HERE, expect, {"new": 1}),
    lambda expect: DeleteItem(HERE, expect),
    lambda expect: Check(HERE, expect),
]
EACH_ACTION = pytest.mark.parametrize("action", ACTIONS, ids=["put", "patch", "delete", "check"])


@EACH_ACTION
def test_free_expects_no_item(engine: Engine, action: Callable[[Expectation], Action]) -> None:
    commit(engine, action(NOT_EXISTS))
    commit(engine, Put(HELD))
    assert refused_expectations(engine, action(NOT_EXISTS))[0].found == HELD
    assert get_item(engine) == HELD


@EACH_ACTION
def test_there_expects_an_item(engine: Engine, action: Callable[[Expectation], Action]) -> None:
    assert refused_expectations(engine, action(EXISTS))[0].found is None
    assert find_item(engine) is None
    commit(engine, Put(HELD))
    commit(engine, action(EXISTS))


@EACH_ACTION
def test_anything_always_holds(engine: Engine, action: Callable[[Expectation], Action]) -> None:
    commit(engine, action(NO_EXPECTATION))
    commit(engine, Put(HELD))
    commit(engine, action(NO_EXPECTATION))


@EACH_ACTION
def test_a_condition_that_does_not_hold_stops_every_action(
    engine: Engine, action: Callable[[Expectation], Action]
) -> None:
    commit(engine, Put(HELD))
    expect = Expectation(conditions=(Condition("number", ConditionOperator.EQUALS, 6),))
    assert refused_expectations(engine, action(expect))[0].found == HELD
    assert get_item(engine) == HELD


HOLD: list[tuple[str, ConditionOperator, Value]] = [
    ("text", ConditionOperator.EQUALS, "m"),
    ("number", ConditionOperator.EQUALS, 5),
    ("yes", ConditionOperator.EQUALS, True),
    ("none", ConditionOperator.EQUALS, None),
    ("list", ConditionOperator.EQUALS, ["a", "b"]),
    ("empty", ConditionOperator.EQUALS, ""),
    ("missing", ConditionOperator.ABSENT, None),
    ("none", ConditionOperator.PRESENT, None),
    ("empty", ConditionOperator.PRESENT, None),
    ("number", ConditionOperator.AT_MOST, 5),
    ("number", ConditionOperator.AT_MOST, 6),
    ("number", ConditionOperator.MORE_THAN, 4),
    ("number", ConditionOperator.MORE_THAN, -5),
    ("text", ConditionOperator.AT_MOST, "m"),
    ("text", ConditionOperator.AT_MOST, "ma"),
    ("text", ConditionOperator.AT_MOST, "é"),
    ("text", ConditionOperator.MORE_THAN, "M"),
    ("text", ConditionOperator.MORE_THAN, ""),
]
FAIL: list[tuple[str, ConditionOperator, Value]] = [
    ("text", ConditionOperator.EQUALS, "M"),
    ("text", ConditionOperator.EQUALS, None),
    ("number", ConditionOperator.EQUALS, "5"),
    ("one", ConditionOperator.EQUALS, True),
    ("yes", ConditionOperator.EQUALS, 1),
    ("no", ConditionOperator.EQUALS, 0),
    ("no", ConditionOperator.EQUALS, None),
    ("none", ConditionOperator.EQUALS, ""),
    ("list", ConditionOperator.EQUALS, ["b", "a"]),
    ("list", ConditionOperator.EQUALS, ["a"]),
    ("missing", ConditionOperator.EQUALS, None),
    ("missing", ConditionOperator.EQUALS, "m"),
    ("none", ConditionOperator.ABSENT, None),
    ("missing", ConditionOperator.PRESENT, None),
    ("missing", ConditionOperator.AT_MOST, 5),
    ("missing", ConditionOperator.MORE_THAN, 5),
    ("number", ConditionOperator.AT_MOST, 4),
    ("number", ConditionOperator.MORE_THAN, 5),
    ("number", ConditionOperator.AT_MOST, "6"),
    ("text", ConditionOperator.AT_MOST, 9),
    ("text", ConditionOperator.MORE_THAN, 1),
    ("text", ConditionOperator.AT_MOST, "Z"),
    ("text", ConditionOperator.MORE_THAN, "n"),
    ("none", ConditionOperator.AT_MOST, 5),
    ("list", ConditionOperator.AT_MOST, "z"),
]


@each_row(("attribute", "test", "value"), HOLD)
def test_a_true_condition_holds(
    engine: Engine, attribute: str, test: ConditionOperator, value: Value
) -> None:
    commit(engine, Put(HELD))
    commit(engine, Check(HERE, Expectation(conditions=(Condition(attribute, test, value),))))


@each_row(("attribute", "test", "value"), FAIL)
def test_a_false_condition_does_not_hold(
    engine: Engine, attribute: str, test: ConditionOperator, value: Value
) -> None:
    commit(engine, Put(HELD))
    check = Check(HERE, Expectation(conditions=(Condition(attribute, test, value),)))
    assert refused_expectations(engine, check)[0].found == HELD


def test_all_conditions_must_hold(engine: Engine) -> None:
    commit(engine, Put(HELD))
    five, text = (
        Condition("number", ConditionOperator.EQUALS, 5),
        Condition("text", ConditionOperator.EQUALS, "m"),
    )
    commit(engine, Check(HERE, Expectation(conditions=(five, text))))
    wrong = Condition("text", ConditionOperator.EQUALS, "x")
    assert refused_expectations(engine, Check(HERE, Expectation(conditions=(five, wrong))))
    assert refused_expectations(engine, Check(HERE, Expectation(conditions=(wrong, five))))


@EACH_ACTION
def test_one_condition_of_either_suffices(engine: Engine, action: Callable[[Expectation], Action]) -> None:
    commit(engine, Put(HELD))
    wrong = (Condition("text", ConditionOperator.ABSENT), Condition("number", ConditionOperator.AT_MOST, 4))
    assert refused_expectations(engine, action(Expectation(True, either=wrong)))[0].found == HELD
    assert refused_expectations(engine, action(Expectation(either=wrong[:1])))[0].found == HELD
    commit(
        engine, action(Expectation(True, either=(*wrong, Condition("text", ConditionOperator.EQUALS, "m"))))
    )


@each_row(("attribute", "test", "value"), HOLD)
def test_either_holds_whichever_condition_holds(
    engine: Engine, attribute: str, test: ConditionOperator, value: Value
) -> None:
    commit(engine, Put(HELD))
    right, wrong = Condition(attribute, test, value), Condition("text", ConditionOperator.AT_MOST, 9)
    for either in ((right,), (right, wrong), (wrong, right), (right, right)):
        commit(engine, Check(HERE, Expectation(either=either)))


@each_row(("attribute", "test", "value"), FAIL)
def test_either_does_not_hold_if_no_condition_does(
    engine: Engine, attribute: str, test: ConditionOperator, value: Value
) -> None:
    commit(engine, Put(HELD))
    wrong = Condition(attribute, test, value)
    for either in ((wrong,), (wrong, Condition("text", ConditionOperator.ABSENT))):
        assert refused_expectations(engine, Check(HERE, Expectation(either=either)))[0].found == HELD


def test_either_is_required_in_addition_to_the_conditions(engine: Engine) -> None:
    commit(engine, Put(HELD))
    right, wrong = (
        Condition("number", ConditionOperator.EQUALS, 5),
        Condition("text", ConditionOperator.EQUALS, "x"),
    )
    commit(engine, Check(HERE, Expectation(True, (right,), (wrong, right))))
    assert refused_expectations(engine, Check(HERE, Expectation(True, (wrong,), (wrong, right))))
    assert refused_expectations(engine, Check(HERE, Expectation(True, (right,), (wrong,))))
    assert refused_expectations(engine, Check(HERE, Expectation(False, (), (wrong, right))))


def test_either_applies_to_a_missing_item(engine: Engine) -> None:
    absent, equals = Condition("x", ConditionOperator.ABSENT), Condition("x", ConditionOperator.EQUALS, 1)
    commit(engine, Check(HERE, Expectation(either=(equals, absent))))
    assert refused_expectations(
        engine, Check(HERE, Expectation(either=(equals, Condition("y", ConditionOperator.AT_MOST, 1))))
    )


def test_every_attribute_of_a_missing_item_is_absent(engine: Engine) -> None:
    absent, equals = Condition("x", ConditionOperator.ABSENT), Condition("x", ConditionOperator.EQUALS, None)
    commit(engine, Check(HERE, Expectation(conditions=(absent,))))
    commit(engine, Check(HERE, Expectation(exists=False, conditions=(absent,))))
    assert refused_expectations(engine, Check(HERE, Expectation(conditions=(equals,))))
    assert refused_expectations(engine, Check(HERE, Expectation(exists=True, conditions=(absent,))))


def test_a_removed_attribute_is_absent(engine: Engine) -> None:
    commit(engine, Put(HELD))
    commit(engine, Patch(HERE, remove=frozenset({"text"})))
    commit(engine, Check(HERE, Expectation(True, (Condition("text", ConditionOperator.ABSENT),))))
