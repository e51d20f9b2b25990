"""Batches: each is atomic, and a refusal lists all failed expectations."""

from dataclasses import replace

import pytest

from stratabase.core.store.engine.port import (
    EXISTS,
    MAX_ACTIONS,
    NOT_EXISTS,
    Action,
    Batch,
    Check,
    Condition,
    ConditionOperator,
    DeleteItem,
    Engine,
    Expectation,
    ExpectationFailed,
    Failure,
    Item,
    Key,
    Patch,
    Put,
)
from tests.contract.engine.engine_calls import commit, put, refused_expectations
from tests.contract.engine.engines import EngineImplementation
from tests.rows import each_row

KEYS = [Key(f"p{number % 7}", f"s{number}") for number in range(MAX_ACTIONS)]


def test_a_batch_of_the_largest_size_is_committed(engine: Engine) -> None:
    commit(engine, *(Put(Item(key), NOT_EXISTS) for key in KEYS))
    assert [item and item.key for item in engine.get(KEYS)] == KEYS


def test_an_engine_that_checks_fences_refuses_an_outdated_batch(
    engine: Engine, kind: EngineImplementation
) -> None:
    """The fence fails like an action but is not counted: a batch of the maximum size may have one."""
    fence, puts = Check(Key("fence", "f"), EXISTS), tuple(Put(Item(key), NOT_EXISTS) for key in KEYS)
    batch = Batch("first", puts, fence=fence)
    if kind.fences:
        with pytest.raises(ExpectationFailed) as refusal:
            engine.commit(batch)
        assert refusal.value.failures == (Failure(fence, None),)
        assert engine.get(KEYS) == [None] * MAX_ACTIONS
        put(engine, [Item(fence.key, {"n": 1})])
        stale = replace(fence, expect=Expectation(conditions=(Condition("n", ConditionOperator.EQUALS, 0),)))
        with pytest.raises(ExpectationFailed):
            engine.commit(Batch("second", puts, fence=stale))
        batch = Batch("third", puts, fence=replace(fence, expect=Expectation(conditions=(_ONE,))))
    engine.commit(batch)
    assert [item and item.key for item in engine.get(KEYS)] == KEYS


_ONE = Condition("n", ConditionOperator.EQUALS, 1)


def test_a_batch_may_mix_all_actions(engine: Engine) -> None:
    patched, deleted, checked, fresh = KEYS[:4]
    put(engine, [Item(patched, {"n": 1}), Item(deleted), Item(checked)])
    commit(
        engine,
        Patch(patched, add={"n": 1}),
        DeleteItem(deleted, EXISTS),
        Check(checked, EXISTS),
        Put(Item(fresh), NOT_EXISTS),
    )
    assert engine.get(KEYS[:4]) == [Item(patched, {"n": 2}), None, Item(checked), Item(fresh)]


@pytest.mark.parametrize("at", [0, 50, MAX_ACTIONS - 1])
def test_one_failed_expectation_stops_the_whole_batch(engine: Engine, at: int) -> None:
    occupied = Item(KEYS[at], {"mine": True})
    commit(engine, Put(occupied))
    failures = refused_expectations(engine, *(Put(Item(key), NOT_EXISTS) for key in KEYS))
    assert [(failure.action.key, failure.found) for failure in failures] == [(KEYS[at], occupied)]
    assert [item for item in engine.get(KEYS) if item] == [occupied]


def test_all_failures_are_reported_in_the_order_of_the_actions(engine: Engine) -> None:
    held = Item(KEYS[0], {"n": 1}, "{}")
    commit(engine, Put(held))
    actions: list[Action] = [
        Put(Item(KEYS[0]), NOT_EXISTS),
        Put(Item(KEYS[1]), NOT_EXISTS),
        DeleteItem(KEYS[2], EXISTS),
        Patch(KEYS[3]),
        Check(KEYS[4], NOT_EXISTS),
        Check(KEYS[5], EXISTS),
    ]
    failures = refused_expectations(engine, *actions)
    failed = [actions[number] for number in (0, 2, 3, 5)]
    assert [failure.action for failure in failures] == failed
    assert [failure.found for failure in failures] == [held, None, None, None]


@each_row("action", [Patch(KEYS[0]), Check(KEYS[1], EXISTS)])
def test_a_batch_that_only_expects_something_changes_nothing(engine: Engine, action: Action) -> None:
    assert [failure.found for failure in refused_expectations(engine, action)] == [None]
    held = Item(action.key, {"n": 1}, "{}")
    put(engine, [held])
    commit(engine, action)
    assert engine.get([action.key]) == [held]


def test_a_refused_batch_changes_nothing(engine: Engine) -> None:
    before = [Item(KEYS[0], {"n": 1}, "{}"), Item(KEYS[1], {"n": 1}, "{}"), None]
    put(engine, [item for item in before if item])
    refused_expectations(
        engine,
        Patch(KEYS[0], add={"n": 1}, state="[]"),
        DeleteItem(KEYS[1]),
        Put(Item(KEYS[2])),
        Check(KEYS[3], EXISTS),
    )
    assert engine.get(KEYS[:3]) == before


def test_a_batch_after_a_refused_one_is_committed(engine: Engine) -> None:
    refused_expectations(engine, Check(KEYS[0], EXISTS))
    commit(engine, Put(Item(KEYS[0]), NOT_EXISTS))
    commit(engine, Check(KEYS[0], EXISTS))


def test_an_empty_batch_is_committed(engine: Engine) -> None:
    engine.commit(Batch("empty", ()))


def test_two_actions_on_one_key_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"several on \[Key\(partition='p0', sort='s0'\)\]"):
        Batch("twice", (Put(Item(KEYS[0])), Check(KEYS[1], EXISTS), DeleteItem(KEYS[0])))


def test_too_many_actions_are_an_error() -> None:
    with pytest.raises(ValueError, match="at most 100 actions, but this one has 101"):
        Batch("large", tuple(DeleteItem(Key("p", str(number))) for number in range(MAX_ACTIONS + 1)))
