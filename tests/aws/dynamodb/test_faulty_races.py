"""Concurrent callers with permanent faults: acknowledged writes happened exactly once."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count as numbers_from

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.store.engine.port import (
    NO_EXPECTATION,
    NOT_EXISTS,
    Batch,
    Condition,
    ConditionOperator,
    Engine,
    Expectation,
    ExpectationFailed,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase_aws.dynamodb.client import Client
from tests.aws.dynamodb.faults import RandomlyFaultyClient
from tests.contract.engine.engine_calls import HERE, get_item, put, run_concurrently
from tests.soak import count, seed

pytestmark = pytest.mark.soak

THREADS = 16
TIMES = count(4, 200)
_numbers = numbers_from(1)


@dataclass
class Acknowledged:
    """The outcomes that callers received for their batches."""

    done: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def commit(self, engine: Engine, batch: Batch) -> None:
        try:
            engine.commit(batch)
        except ExpectationFailed:
            self.refused.append(batch.id)
        except Unavailable:
            self.unknown.append(batch.id)
        else:
            self.done.append(batch.id)


@pytest.fixture
def faulty(client: Client, over: Callable[[Client], Engine]) -> Engine:
    """An engine to whose calls anything happens."""
    return over(RandomlyFaultyClient(client, seed()))


def fresh_id() -> str:
    return f"race{next(_numbers)}"


def test_acknowledged_writes_happen_once_and_refused_ones_never(engine: Engine, faulty: Engine) -> None:
    """Read, and write under the condition that it is still as read."""
    put(engine, [Item(HERE, {"commitIds": []})])
    tally = Acknowledged()

    def write() -> None:
        for _ in range(TIMES):
            id_, held = fresh_id(), get_item(faulty).attributes["commitIds"]
            assert isinstance(held, list)
            expect = Expectation(True, (Condition("commitIds", ConditionOperator.EQUALS, held),))
            tally.commit(faulty, Batch(id_, (Patch(HERE, expect, {"commitIds": [*held, id_]}),)))

    run_concurrently(*[write] * THREADS)
    history = get_item(engine).attributes["commitIds"]
    assert isinstance(history, list)
    assert len(set(history)) == len(history)
    assert set(tally.done) <= set(history) <= {*tally.done, *tally.unknown}
    assert tally.done


def test_no_addition_is_lost_or_repeated(engine: Engine, faulty: Engine) -> None:
    tally = Acknowledged()

    def add() -> None:
        for _ in range(TIMES):
            tally.commit(faulty, Batch(fresh_id(), (Patch(HERE, NO_EXPECTATION, add={"n": 1}),)))

    run_concurrently(*[add] * THREADS)
    assert len(tally.done) == TIMES * THREADS
    assert get_item(engine).attributes == {"n": TIMES * THREADS}


def test_a_value_moved_between_two_items_is_always_in_one_of_them(engine: Engine, faulty: Engine) -> None:
    left, right = Key("left", "x"), Key("right", "x")
    put(engine, [Item(left, {"n": 0}), Item(right, {"n": 0})])
    tally = Acknowledged()

    def move() -> None:
        for _ in range(TIMES):
            there_and_back = (Patch(left, add={"n": 1}), Patch(right, add={"n": -1}))
            tally.commit(faulty, Batch(fresh_id(), there_and_back))

    run_concurrently(*[move] * THREADS)
    assert len(tally.done) == TIMES * THREADS
    assert get_item(engine, left).attributes == {"n": TIMES * THREADS}
    assert get_item(engine, right).attributes == {"n": -TIMES * THREADS}


def test_exactly_one_concurrent_put_of_a_free_key_succeeds_and_is_acknowledged(
    engine: Engine, faulty: Engine
) -> None:
    for number in range(TIMES):
        key, tally = Key("free", str(number)), Acknowledged()
        batches = [
            Batch(id_, (Put(Item(key, {"by": id_}), NOT_EXISTS),)) for id_ in map(fresh, range(THREADS))
        ]
        run_concurrently(*(partial(tally.commit, faulty, batch) for batch in batches))
        assert tally.done == [get_item(engine, key).attributes["by"]]


def fresh(_: int) -> str:
    return fresh_id()
