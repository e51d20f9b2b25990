"""A fault at any call between an operation and DynamoDB does not change the result.

Ids and the clock can be foretold, so a table can be held against what it is when nothing goes wrong: nothing
is lost, nothing is there twice, and object, guards and places agree.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, islice, product, repeat
from typing import Any, NamedTuple

import pytest

from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.http.base.refusals import status_row
from stratabase.core.store.engine.port import Item
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.codec import entity_of
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from stratabase_aws.dynamodb.retry import RetryPolicy
from tests.aws.dynamodb.faults import (
    DISTINCT,
    FAULTS,
    HASTY,
    Fault,
    FaultyClient,
    conflict,
    duplicated,
    lost_answer,
    none,
)
from tests.aws.dynamodb.operation_cases import CASES, Case
from tests.aws.dynamodb.scripted import WatchedClient
from tests.aws.dynamodb.table_operations import (
    TableItems,
    codes,
    disagreements,
    services_over,
    table,
    table_items,
)
from tests.contract.engine.dynamodb import NamespacedTokens, ministack_client
from tests.contract.engine.engine_calls import put
from tests.rows import each_row
from tests.soak import FULL, count, seed

SHORT = replace(HASTY, max_attempts=3)
SOME_CASES = [case for case in CASES if FULL or not case.name.startswith("save")]
"""To save is to create or to update."""
ENDLESS = [fault for fault in FAULTS if fault is not duplicated]


class Outcome(NamedTuple):
    """The outcome of an operation."""

    answer: Any
    after: TableItems
    calls: Sequence[str]
    """What DynamoDB was asked for."""


def outcome(
    case: Case, before: Sequence[Item], faults: Iterable[Fault], patience: RetryPolicy = HASTY
) -> Outcome:
    """Run the operation in a new process, on a table of its own."""
    with table() as engine:
        put(engine, before)
        client = WatchedClient(FaultyClient(NamespacedTokens(ministack_client(), engine.name), faults))
        answer = answer_of(case, DynamoDBEngine(client, engine.name, patience))
        return Outcome(answer, table_items(engine), client.operations)


def answer_of(case: Case, engine: DynamoDBEngine) -> Any:
    try:
        return case.operation(services_over(engine, case.class_), case.class_)
    except Refused as refusal:
        return refusal.issues
    except Unavailable as refusal:
        return refusal


class FaultlessRun(NamedTuple):
    """An operation without faults."""

    before: Sequence[Item]
    outcome: Outcome


@cache
def smooth(case: Case) -> FaultlessRun:
    before = case.prepared()
    return FaultlessRun(before, outcome(case, before, []))


def timeless(items: TableItems) -> TableItems:
    """Return the items of a table without the timestamps in the registry."""
    return {
        key: Item(key, item.attributes, None, item.places) if key == keys.REGISTRY else item
        for key, item in items.items()
    }


def name(thing: Any) -> str:
    return str(getattr(thing, "__name__", None) or thing.name)


def names(things: Sequence[Any]) -> str:
    return "-".join(map(name, things))


EACH_CASE = each_row("case", CASES)


@EACH_CASE
def test_without_faults_every_operation_succeeds(case: Case) -> None:
    """To which the tests below compare."""
    before, (answer, after, _) = smooth(case)
    assert meaning(answer) == case.answer
    assert codes(after) == case.after
    assert disagreements(after, case.class_, case.unguarded) == []
    assert (objects(after) != objects(keyed(before))) == case.writes
    if isinstance(case.answer, str):
        assert found(case, after, case.answer) == {k: v for k, v in answer.state.items() if v is not None}


def meaning(answer: Any) -> Any:
    """Return a result in a short form."""
    if isinstance(answer, Entity):
        return answer.reference.id
    if isinstance(answer, bool):
        return answer
    (issue,) = answer
    return issue.type


def found(case: Case, items: TableItems, id_: str) -> Any:
    """Return the state of an object in a table."""
    return entity_of(items[keys.head(Reference(case.class_.name, id_))], case.class_).state


@pytest.mark.soak
@each_row("case", SOME_CASES)
@pytest.mark.parametrize("fault", FAULTS if FULL else [lost_answer, conflict], ids=name)
def test_a_fault_at_any_call_changes_nothing(case: Case, fault: Fault) -> None:
    check_that_nothing_changes(case, [fault])


@pytest.mark.soak
@each_row("case", SOME_CASES)
@pytest.mark.parametrize(
    "faults", [*product(DISTINCT, repeat=2)] if FULL else [(lost_answer, conflict)], ids=names
)
def test_two_faults_in_a_row_at_any_call_change_nothing(case: Case, faults: Sequence[Fault]) -> None:
    check_that_nothing_changes(case, faults)


def some(calls: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the calls to disturb in this run, with their numbers: every fourth one, or all."""
    step = min(count(4, 1), len(calls))
    return islice(enumerate(calls), seed() % step, None, step)


def check_that_nothing_changes(case: Case, faults: Sequence[Fault]) -> None:
    before, expected = smooth(case)
    for position, call in some(expected.calls):
        met = outcome(case, before, [*[none] * position, *faults])
        assert met.answer == expected.answer, (position, call)
        assert timeless(met.after) == timeless(expected.after), (position, call)


@pytest.mark.soak
@each_row("case", SOME_CASES)
@pytest.mark.parametrize("fault", ENDLESS if FULL else [lost_answer], ids=name)
def test_under_a_permanent_fault_an_operation_is_unavailable_and_atomic(case: Case, fault: Fault) -> None:
    """Slots may have been given to the class by then: the registry stands for itself."""
    before, expected = smooth(case)
    whole = [objects(keyed(before)), objects(expected.after)]
    for position, call in some(expected.calls):
        met = outcome(case, before, chain([none] * position, repeat(fault)), SHORT)
        assert isinstance(met.answer, Unavailable), (position, call)
        assert status_row(met.answer).status == 503
        assert objects(met.after) in whole, (position, call)


def keyed(items: Sequence[Item]) -> TableItems:
    return {item.key: item for item in items}


def objects(items: TableItems) -> TableItems:
    """Return the items of a table without the registry."""
    return {key: item for key, item in items.items() if key != keys.REGISTRY}
