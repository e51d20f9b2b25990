"""Increments: each caller gets its own sum, and none is lost."""

from itertools import chain

import pytest

from stratabase.core.store.engine.port import (
    ITEMS,
    NO_EXPECTATION,
    Condition,
    ConditionOperator,
    Engine,
    Expectation,
    IndexKey,
    Item,
    Patch,
    Put,
)
from tests.contract.engine.engine_calls import HERE, commit, find_item, get_item, keys, run_concurrently
from tests.contract.engine.engines import EngineImplementation
from tests.rows import each_row
from tests.soak import count


def test_an_increment_returns_the_sum(engine: Engine) -> None:
    commit(engine, Put(Item(HERE, {"n": 40, "other": "kept"})))
    assert [engine.increment(HERE, "n", 2), engine.increment(HERE, "n", -10)] == [42, 32]
    assert get_item(engine) == Item(HERE, {"n": 32, "other": "kept"})


def test_a_missing_item_and_a_missing_attribute_count_as_zero(engine: Engine) -> None:
    assert engine.increment(HERE, "n", 3) == 3
    assert engine.increment(HERE, "state", 1) == 1
    assert engine.increment(HERE, "m", 0) == 0
    assert get_item(engine) == Item(HERE, {"n": 3, "state": 1, "m": 0})


def test_an_increment_keeps_the_state_and_the_places(engine: Engine) -> None:
    item = Item(HERE, {"n": 1}, "{}", {"index1": IndexKey("p", "s")})
    commit(engine, Put(item))
    assert engine.increment(HERE, "n", 2**40) == 2**40 + 1
    assert get_item(engine) == Item(HERE, {"n": 2**40 + 1}, "{}", item.places)
    assert keys(engine, "index1", "p") == keys(engine, ITEMS, HERE.partition) == [HERE]


@each_row("value", ["text", None, ["a"]])
def test_an_attribute_that_is_no_integer_is_refused(engine: Engine, value: str | list[str] | None) -> None:
    item = Item(HERE, {"n": value})
    commit(engine, Put(item))
    with pytest.raises(ValueError, match=HERE.partition):
        engine.increment(HERE, "n", 1)
    assert find_item(engine) == item


def test_increments_and_conditional_writes_of_the_same_number_exclude_each_other(engine: Engine) -> None:
    """An earlier release takes the numbers of a Serial by a conditional write."""

    def take(last: int) -> None:
        condition = Condition("last", ConditionOperator.EQUALS, last)
        commit(engine, Patch(HERE, Expectation(conditions=(condition,)), {"last": last + 1}))

    assert engine.increment(HERE, "last", 1) == 1
    take(1)
    assert engine.increment(HERE, "last", 4) == 6
    take(6)
    assert engine.increment(HERE, "last", 1) == 8


@pytest.mark.soak
def test_no_two_callers_get_the_same_sum(engine: Engine, kind: EngineImplementation) -> None:
    times = count(4, 500 if kind.name == "sqlite" else 50)

    def add() -> list[int]:
        sums = []
        for number in range(times):
            sums.append(engine.increment(HERE, "n", 1))
            if number % 2:
                commit(engine, Patch(HERE, NO_EXPECTATION, add={"n": 1}))
        return sums

    sums = run_concurrently(*[add] * kind.threads)
    assert all(each == sorted(each) for each in sums)
    assert len({*chain.from_iterable(sums)}) == times * kind.threads
    assert get_item(engine).attributes == {"n": kind.threads * (times + times // 2)}
