"""What an action may expect of the item it finds."""

from collections.abc import Callable

import pytest

from stratabase.store.engine import (
    ANYTHING,
    FREE,
    THERE,
    Action,
    Check,
    Condition,
    Delete,
    Engine,
    Expectation,
    Item,
    Patch,
    Put,
    Test,
    Value,
)
from tests.contract.engine.acting import HERE, commit, found, refused, there

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
    lambda expect: Delete(HERE, expect),
    lambda expect: Check(HERE, expect),
]
EACH_ACTION = pytest.mark.parametrize("action", ACTIONS, ids=["put", "patch", "delete", "check"])


@EACH_ACTION
def test_free_means_that_nothing_is_there(engine: Engine, action: Callable[[Expectation], Action]) -> None:
    commit(engine, action(FREE))
    commit(engine, Put(HELD))
    assert refused(engine, action(FREE))[0].found == HELD
    assert there(engine) == HELD


@EACH_ACTION
def test_there_means_that_something_is(engine: Engine, action: Callable[[Expectation], Action]) -> None:
    assert refused(engine, action(THERE))[0].found is None
    assert found(engine) is None
    commit(engine, Put(HELD))
    commit(engine, action(THERE))


@EACH_ACTION
def test_anything_is_always_met(engine: Engine, action: Callable[[Expectation], Action]) -> None:
    commit(engine, action(ANYTHING))
    commit(engine, Put(HELD))
    commit(engine, action(ANYTHING))


@EACH_ACTION
def test_a_condition_that_does_not_hold_stops_every_action(
    engine: Engine, action: Callable[[Expectation], Action]
) -> None:
    commit(engine, Put(HELD))
    expect = Expectation(conditions=(Condition("number", Test.EQUALS, 6),))
    assert refused(engine, action(expect))[0].found == HELD
    assert there(engine) == HELD


HOLD: list[tuple[str, Test, Value]] = [
    ("text", Test.EQUALS, "m"),
    ("number", Test.EQUALS, 5),
    ("yes", Test.EQUALS, True),
    ("none", Test.EQUALS, None),
    ("list", Test.EQUALS, ["a", "b"]),
    ("empty", Test.EQUALS, ""),
    ("missing", Test.ABSENT, None),
    ("none", Test.PRESENT, None),
    ("empty", Test.PRESENT, None),
    ("number", Test.AT_MOST, 5),
    ("number", Test.AT_MOST, 6),
    ("number", Test.MORE_THAN, 4),
    ("number", Test.MORE_THAN, -5),
    ("text", Test.AT_MOST, "m"),
    ("text", Test.AT_MOST, "ma"),
    ("text", Test.AT_MOST, "é"),
    ("text", Test.MORE_THAN, "M"),
    ("text", Test.MORE_THAN, ""),
]
FAIL: list[tuple[str, Test, Value]] = [
    ("text", Test.EQUALS, "M"),
    ("text", Test.EQUALS, None),
    ("number", Test.EQUALS, "5"),
    ("one", Test.EQUALS, True),
    ("yes", Test.EQUALS, 1),
    ("no", Test.EQUALS, 0),
    ("no", Test.EQUALS, None),
    ("none", Test.EQUALS, ""),
    ("list", Test.EQUALS, ["b", "a"]),
    ("list", Test.EQUALS, ["a"]),
    ("missing", Test.EQUALS, None),
    ("missing", Test.EQUALS, "m"),
    ("none", Test.ABSENT, None),
    ("missing", Test.PRESENT, None),
    ("missing", Test.AT_MOST, 5),
    ("missing", Test.MORE_THAN, 5),
    ("number", Test.AT_MOST, 4),
    ("number", Test.MORE_THAN, 5),
    ("number", Test.AT_MOST, "6"),
    ("text", Test.AT_MOST, 9),
    ("text", Test.MORE_THAN, 1),
    ("text", Test.AT_MOST, "Z"),
    ("text", Test.MORE_THAN, "n"),
    ("none", Test.AT_MOST, 5),
    ("list", Test.AT_MOST, "z"),
]


@pytest.mark.parametrize(("attribute", "test", "value"), HOLD)
def test_a_condition_holds(engine: Engine, attribute: str, test: Test, value: Value) -> None:
    commit(engine, Put(HELD))
    commit(engine, Check(HERE, Expectation(conditions=(Condition(attribute, test, value),))))


@pytest.mark.parametrize(("attribute", "test", "value"), FAIL)
def test_a_condition_does_not_hold(engine: Engine, attribute: str, test: Test, value: Value) -> None:
    commit(engine, Put(HELD))
    check = Check(HERE, Expectation(conditions=(Condition(attribute, test, value),)))
    assert refused(engine, check)[0].found == HELD


def test_all_conditions_must_hold(engine: Engine) -> None:
    commit(engine, Put(HELD))
    five, text = Condition("number", Test.EQUALS, 5), Condition("text", Test.EQUALS, "m")
    commit(engine, Check(HERE, Expectation(conditions=(five, text))))
    wrong = Condition("text", Test.EQUALS, "x")
    assert refused(engine, Check(HERE, Expectation(conditions=(five, wrong))))
    assert refused(engine, Check(HERE, Expectation(conditions=(wrong, five))))


@EACH_ACTION
def test_one_of_either_suffices_and_none_does_not(
    engine: Engine, action: Callable[[Expectation], Action]
) -> None:
    commit(engine, Put(HELD))
    wrong = (Condition("text", Test.ABSENT), Condition("number", Test.AT_MOST, 4))
    assert refused(engine, action(Expectation(True, either=wrong)))[0].found == HELD
    assert refused(engine, action(Expectation(either=wrong[:1])))[0].found == HELD
    commit(engine, action(Expectation(True, either=(*wrong, Condition("text", Test.EQUALS, "m")))))


@pytest.mark.parametrize(("attribute", "test", "value"), HOLD)
def test_either_holds_wherever_its_one_is(engine: Engine, attribute: str, test: Test, value: Value) -> None:
    commit(engine, Put(HELD))
    right, wrong = Condition(attribute, test, value), Condition("text", Test.AT_MOST, 9)
    for either in ((right,), (right, wrong), (wrong, right), (right, right)):
        commit(engine, Check(HERE, Expectation(either=either)))


@pytest.mark.parametrize(("attribute", "test", "value"), FAIL)
def test_either_does_not_hold(engine: Engine, attribute: str, test: Test, value: Value) -> None:
    commit(engine, Put(HELD))
    wrong = Condition(attribute, test, value)
    for either in ((wrong,), (wrong, Condition("text", Test.ABSENT))):
        assert refused(engine, Check(HERE, Expectation(either=either)))[0].found == HELD


def test_either_comes_besides_the_conditions(engine: Engine) -> None:
    commit(engine, Put(HELD))
    right, wrong = Condition("number", Test.EQUALS, 5), Condition("text", Test.EQUALS, "x")
    commit(engine, Check(HERE, Expectation(True, (right,), (wrong, right))))
    assert refused(engine, Check(HERE, Expectation(True, (wrong,), (wrong, right))))
    assert refused(engine, Check(HERE, Expectation(True, (right,), (wrong,))))
    assert refused(engine, Check(HERE, Expectation(False, (), (wrong, right))))


def test_either_of_nothing(engine: Engine) -> None:
    absent, equals = Condition("x", Test.ABSENT), Condition("x", Test.EQUALS, 1)
    commit(engine, Check(HERE, Expectation(either=(equals, absent))))
    assert refused(engine, Check(HERE, Expectation(either=(equals, Condition("y", Test.AT_MOST, 1)))))


def test_of_nothing_every_attribute_is_absent(engine: Engine) -> None:
    absent, equals = Condition("x", Test.ABSENT), Condition("x", Test.EQUALS, None)
    commit(engine, Check(HERE, Expectation(conditions=(absent,))))
    commit(engine, Check(HERE, Expectation(exists=False, conditions=(absent,))))
    assert refused(engine, Check(HERE, Expectation(conditions=(equals,))))
    assert refused(engine, Check(HERE, Expectation(exists=True, conditions=(absent,))))


def test_what_was_removed_is_absent(engine: Engine) -> None:
    commit(engine, Put(HELD))
    commit(engine, Patch(HERE, remove=frozenset({"text"})))
    commit(engine, Check(HERE, Expectation(True, (Condition("text", Test.ABSENT),))))
