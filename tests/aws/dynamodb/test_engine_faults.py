"""Faults between client and server: batches are neither lost nor repeated nor incomplete."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.store.engine.port import (
    EXISTS,
    NO_EXPECTATION,
    NOT_EXISTS,
    Batch,
    Check,
    Condition,
    ConditionOperator,
    DeleteItem,
    Engine,
    Expectation,
    ExpectationFailed,
    Item,
    Key,
    OutcomeUnknown,
    Patch,
    Put,
)
from stratabase_aws.dynamodb.client import Client
from stratabase_aws.dynamodb.retry import RetryPolicy
from tests.aws.dynamodb.faults import (
    FAULTS,
    PAIRS,
    Call,
    Fault,
    FaultyClient,
    duplicated,
    lost_answer,
    lost_request,
)
from tests.contract.engine.engine_calls import commit, put
from tests.rows import each_row

Over = Callable[..., Engine]

ONE, TWO, THREE, FOUR = (Key("p", name) for name in ("1", "2", "3", "4"))
_numbers = count(1)


@dataclass(frozen=True)
class Case:
    """A batch, what there is before it, and after it."""

    before: Sequence[Item]
    batch: Batch
    after: Sequence[Item]


UNCHANGED = Expectation(True, (Condition("commitIds", ConditionOperator.EQUALS, ["before"]),))
HEAD = Item(ONE, {"commitIds": ["before"]}, "{}")


def written(id_: str) -> Item:
    """Return the head as the batch leaves it, which tells whose work it is."""
    return Item(ONE, {"commitIds": ["before", id_]}, "[]")


def patch(id_: str) -> Patch:
    return Patch(ONE, UNCHANGED, {"commitIds": ["before", id_]}, state="[]")


def create(id_: str) -> Case:
    fresh = Item(ONE, {"commitIds": [id_]})
    return Case([], Batch(id_, (Put(fresh, NOT_EXISTS),)), [fresh])


def replace(id_: str) -> Case:
    return Case([HEAD], Batch(id_, (Put(written(id_), UNCHANGED),)), [written(id_)])


def update(id_: str) -> Case:
    return Case([HEAD], Batch(id_, (patch(id_),)), [written(id_)])


def delete(id_: str) -> Case:
    return Case([HEAD], Batch(id_, (DeleteItem(ONE, UNCHANGED),)), [])


def add(id_: str) -> Case:
    batch = Batch(id_, (Patch(ONE, NO_EXPECTATION, add={"n": 1}),))
    return Case([Item(ONE, {"n": 1})], batch, [Item(ONE, {"n": 2})])


def overwrite(id_: str) -> Case:
    return Case([HEAD], Batch(id_, (Put(Item(ONE, {"n": 1})),)), [Item(ONE, {"n": 1})])


def clear(id_: str) -> Case:
    return Case([HEAD], Batch(id_, (DeleteItem(ONE),)), [])


def several(id_: str) -> Case:
    others = (DeleteItem(TWO, EXISTS), Patch(THREE, add={"n": 1}), Put(Item(FOUR), NOT_EXISTS))
    return Case(
        [HEAD, Item(TWO), Item(THREE, {"n": 5})],
        Batch(id_, (patch(id_), *others)),
        [written(id_), Item(THREE, {"n": 6}), Item(FOUR)],
    )


def checked(id_: str) -> Case:
    created = Item(THREE, {"n": 1})
    return Case([Item(TWO)], Batch(id_, (Check(TWO, EXISTS), Put(created, NOT_EXISTS))), [Item(TWO), created])


Make = Callable[[str], Case]
CASES = (create, replace, update, delete, add, overwrite, clear, several, checked)


def name(function: Callable[..., object]) -> str:
    return function.__name__


def prepared(engine: Engine, make: Make) -> Case:
    """Return a case with a batch of its own. Leave only the items in the store that it has before."""
    case = make(f"batch{next(_numbers)}")
    there = {item.key for item in held(engine)}
    commit(engine, *map(DeleteItem, there - {item.key for item in case.before}))
    put(engine, case.before)
    return case


EACH_CASE = each_row("make", CASES)
EACH_FAULT = pytest.mark.parametrize("fault", FAULTS, ids=name)


def held(engine: Engine) -> list[Item]:
    return [item for item in engine.get([ONE, TWO, THREE, FOUR]) if item]


def names(functions: Sequence[Callable[..., object]]) -> str:
    return "-".join(map(name, functions))


@EACH_CASE
@pytest.mark.parametrize("faults", PAIRS, ids=names)
def test_a_batch_is_committed_once_despite_any_fault(
    engine: Engine, client: Client, over: Over, make: Make, faults: Sequence[Fault]
) -> None:
    case = prepared(engine, make)
    over(FaultyClient(client, faults)).commit(case.batch)
    assert held(engine) == case.after


@EACH_CASE
@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault is not duplicated], ids=name)
def test_after_the_last_attempt_a_batch_is_unavailable_and_atomic(
    engine: Engine, client: Client, over: Over, make: Make, fault: Fault
) -> None:
    case = prepared(engine, make)
    patience = RetryPolicy(max_attempts=3, sleep=lambda _: None)
    with pytest.raises(Unavailable) as refusal:
        over(FaultyClient(client, [fault] * 3), patience).commit(case.batch)
    assert refusal.value.retry_after > 0
    assert held(engine) in (list(case.before), case.after)


@EACH_CASE
@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault is not duplicated], ids=name)
def test_a_retry_by_the_caller_is_recognized(
    engine: Engine, client: Client, over: Over, make: Make, fault: Fault
) -> None:
    """A caller who was told that nothing is known tries again, with the same batch."""
    case = prepared(engine, make)
    with pytest.raises(Unavailable):
        over(FaultyClient(client, [fault]), RetryPolicy(max_attempts=1)).commit(case.batch)
    over(client).commit(case.batch)
    assert held(engine) == case.after


@EACH_FAULT
def test_reads_continue_despite_any_fault(engine: Engine, client: Client, over: Over, fault: Fault) -> None:
    items = [Item(Key("p", f"{number:03}"), {"n": number}) for number in range(150)]
    put(engine, items)

    def faulty() -> Engine:
        return over(FaultyClient(client, [fault] * 3))

    assert faulty().get([items[0].key]) == items[:1]
    assert faulty().get([item.key for item in items]) == items
    assert [item for page in faulty().range("items", "p") for item in page] == items


@EACH_FAULT
def test_a_refusal_has_all_failed_expectations_despite_earlier_faults(
    engine: Engine, client: Client, over: Over, fault: Fault
) -> None:
    put(engine, [Item(ONE), Item(TWO)])
    batch = Batch(
        f"batch{next(_numbers)}", tuple(Put(Item(key, {"x": 1}), NOT_EXISTS) for key in (ONE, THREE, TWO))
    )
    with pytest.raises(ExpectationFailed) as refusal:
        over(FaultyClient(client, [fault])).commit(batch)
    assert [failure.found for failure in refusal.value.failures] == [Item(ONE), Item(TWO)]


def test_the_outcome_is_unknown_when_the_item_does_not_name_the_batch(
    engine: Engine, client: Client, over: Over
) -> None:
    """The answer was lost, and another has written since: neither done nor refused would be true for sure."""

    def overtaken(_: str, call: Call) -> Mapping[str, Any]:
        put(engine, [Item(ONE, {"another": True})])
        return call()

    batch = Batch(f"batch{next(_numbers)}", (Put(Item(ONE), NOT_EXISTS),))
    with pytest.raises(OutcomeUnknown, match="might not have been saved") as refusal:
        over(FaultyClient(client, [lost_answer, overtaken])).commit(batch)
    assert [failure.found for failure in refusal.value.failures] == [Item(ONE, {"another": True})]


@pytest.mark.parametrize("fault", [lost_request, lost_answer])
def test_the_outcome_of_a_delete_is_known(engine: Engine, client: Client, over: Over, fault: Fault) -> None:
    """Nothing is left that could tell, but a conditional delete has a token."""
    case = delete(f"batch{next(_numbers)}")
    put(engine, case.before)
    theirs: list[bool] = []

    def overtaken(_: str, call: Call) -> Mapping[str, Any]:
        theirs.append(is_done(engine, delete(f"batch{next(_numbers)}").batch))
        return call()

    ours = is_done(over(FaultyClient(client, [fault, overtaken])), case.batch)
    assert [ours, *theirs] == [fault is lost_answer, fault is lost_request]


def is_done(engine: Engine, batch: Batch) -> bool:
    """Commit; return whether it was done."""
    try:
        engine.commit(batch)
    except ExpectationFailed:
        return False
    return True


def test_a_write_is_recognized_by_an_item_that_names_it_after_later_writes(
    engine: Engine, client: Client, over: Over
) -> None:
    case = update(f"batch{next(_numbers)}")
    put(engine, case.before)

    def overtaken(_: str, call: Call) -> Mapping[str, Any]:
        put(engine, [Item(ONE, {"commitIds": ["before", case.batch.id, "another"]})])
        return call()

    over(FaultyClient(client, [lost_answer, overtaken])).commit(case.batch)


def test_a_transaction_refused_after_a_lost_response_was_not_committed(
    engine: Engine, client: Client, over: Over
) -> None:
    """Otherwise DynamoDB would have recognized its token."""
    put(engine, [Item(ONE, {"n": 1})])
    expect = Expectation(True, (Condition("n", ConditionOperator.EQUALS, 2),))
    batch = Batch(f"batch{next(_numbers)}", (Patch(ONE, expect, add={"n": 1}),))
    with pytest.raises(ExpectationFailed) as refusal:
        over(FaultyClient(client, [lost_answer])).commit(batch)
    assert [failure.found for failure in refusal.value.failures] == [Item(ONE, {"n": 1})]
