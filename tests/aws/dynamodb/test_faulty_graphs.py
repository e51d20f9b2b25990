"""Faults between the change of a graph and DynamoDB: the change is atomic at both ends."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, repeat
from typing import Any, NamedTuple

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.commit_refusals import IntegrityViolation
from stratabase.core.store.engine.port import Item
from stratabase.core.store.layout import keys
from stratabase.core.store.repository import Repository
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from stratabase_aws.dynamodb.retry import RetryPolicy
from tests.aws.dynamodb.faults import (
    FAULTS,
    HASTY,
    Fault,
    FaultyClient,
    duplicated,
    failure_before,
    lost_answer,
    none,
)
from tests.aws.dynamodb.graph_cases import CASES, Case, Prepared
from tests.aws.dynamodb.scripted import WatchedClient
from tests.aws.dynamodb.table_operations import TableItems, table, table_items
from tests.contract.engine.dynamodb import NamespacedTokens, ministack_client
from tests.contract.engine.engine_calls import put
from tests.core.store.graph_agreement import disagreements
from tests.soak import FULL

SHORT = replace(HASTY, max_attempts=3)
ENDLESS = [fault for fault in FAULTS if fault is not duplicated]
LARGE = CASES[-1]
"""Its purge makes many calls."""


class Outcome(NamedTuple):
    """The outcome of a change."""

    answer: Any
    after: TableItems
    calls: Sequence[str]
    """What DynamoDB was asked for."""


@cache
def prepared(case: Case) -> Prepared:
    return case.prepared()


@cache
def smooth(case: Case) -> Outcome:
    """Return the outcome of a change without faults."""
    return outcome(case, [])


def outcome(case: Case, faults: Iterable[Fault], patience: RetryPolicy = HASTY) -> Outcome:
    """Commit the change in a new process, on a table of its own."""
    with table() as engine:
        put(engine, prepared(case).items)
        client = WatchedClient(FaultyClient(NamespacedTokens(ministack_client(), engine.name), faults))
        entities = Repository(DynamoDBEngine(client, engine.name, patience), case.model)
        return Outcome(answer_of(entities, case), table_items(engine), client.operations)


def answer_of(entities: Repository, case: Case) -> Any:
    try:
        entities.commit(prepared(case).change)
    except IntegrityViolation as refusal:
        return set(refusal.violations)
    except Unavailable as refusal:
        return refusal
    return None


def name(thing: Any) -> str:
    return str(getattr(thing, "__name__", None) or thing.name)


EACH_CASE = pytest.mark.parametrize("case", CASES, ids=name)
SOME_CASES = [case for case in CASES if FULL or case is not LARGE]


@EACH_CASE
def test_without_faults_both_ends_agree(case: Case) -> None:
    """To which the tests below compare."""
    answer, after, _ = smooth(case)
    assert bool(answer) == case.refused
    assert disagreements(case.model, prepared(case).after, after) == []
    assert (objects(after) != objects(before(case))) != case.refused


def before(case: Case) -> TableItems:
    return {item.key: item for item in prepared(case).items}


def objects(items: TableItems) -> dict[Any, Item]:
    """Return the items of a table without the registry."""
    return {key: item for key, item in items.items() if key != keys.REGISTRY}


@pytest.mark.soak
@pytest.mark.parametrize("case", SOME_CASES, ids=name)
@pytest.mark.parametrize("fault", FAULTS if FULL else [failure_before, lost_answer], ids=name)
def test_a_fault_at_any_call_changes_nothing(case: Case, fault: Fault) -> None:
    expected = smooth(case)
    for position, call in enumerate(expected.calls):
        met = outcome(case, [*[none] * position, fault])
        assert met.answer == expected.answer, (position, call)
        assert objects(met.after) == objects(expected.after), (position, call)


@pytest.mark.soak
@pytest.mark.parametrize("case", SOME_CASES, ids=name)
@pytest.mark.parametrize("fault", ENDLESS if FULL else [lost_answer], ids=name)
def test_under_a_permanent_fault_a_write_is_atomic(case: Case, fault: Fault) -> None:
    """A deletion may be complete although its purge is not."""
    whole = [objects(before(case)), objects(smooth(case).after)]
    for position, call in enumerate(smooth(case).calls):
        answer, after, _ = outcome(case, chain([none] * position, repeat(fault)), SHORT)
        if case is LARGE:
            after = swept(case, after)
            assert answer is None or isinstance(answer, Unavailable), (position, call)
        else:
            assert isinstance(answer, Unavailable), (position, call)
        assert objects(after) in (whole if answer else whole[1:]), (position, call)


def swept(case: Case, items: TableItems) -> TableItems:
    """Return the items after a sweep."""
    with table() as engine:
        put(engine, items.values())
        Repository(engine, case.model).sweep()
        return table_items(engine)
