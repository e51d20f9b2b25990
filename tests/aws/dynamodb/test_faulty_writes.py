"""Faults between an operation on a graph and DynamoDB: the operation is atomic."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, repeat
from random import Random
from typing import Any, NamedTuple

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.store.engine.port import Item
from stratabase.core.store.repository import Repository
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from stratabase_aws.dynamodb.retry import RetryPolicy
from tests.aws.dynamodb.faults import (
    FAULTS,
    HASTY,
    Fault,
    FaultyClient,
    duplicated,
    lost_answer,
    lost_request,
    none,
)
from tests.aws.dynamodb.scripted import WatchedClient
from tests.aws.dynamodb.table_operations import table, table_items
from tests.contract.engine.dynamodb import NamespacedTokens, ministack_client
from tests.contract.engine.engine_calls import put
from tests.core.store.engine_items import Items, object_items
from tests.core.store.graph_agreement import disagreements
from tests.graphs.answers import answer_of
from tests.graphs.company import COMPANY
from tests.graphs.stored_company import company_items
from tests.graphs.write_cases import LARGE, WRITE_CASES, scenario
from tests.soak import FULL, seed

pytestmark = pytest.mark.soak

NAMES = [*WRITE_CASES] if FULL else Random(seed()).sample([*WRITE_CASES], 8)
"""The writes of this run."""
SHORT = replace(HASTY, max_attempts=3)
ENDLESS = [fault for fault in FAULTS if fault is not duplicated]
NUMBER = re.compile(r'"number":\d+')
"""A number in a stored state."""
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"}


class Outcome(NamedTuple):
    """The outcome of a command."""

    answer: Any
    """The issues, or that it is unknown; None if it was done."""
    after: Items
    calls: Sequence[str]
    """What DynamoDB was asked for."""


@cache
def smooth(name: str) -> Outcome:
    """Return the outcome of a command without faults."""
    return outcome(name, [])


def outcome(name: str, faults: Iterable[Fault], patience: RetryPolicy = HASTY) -> Outcome:
    """Run a command in a new process, on a table of its own. Then sweep in another process."""
    with table() as engine:
        put(engine, company_items().values())
        client = WatchedClient(FaultyClient(NamespacedTokens(ministack_client(), engine.name), faults))
        answer = answer_of(DynamoDBEngine(client, engine.name, patience), name)
        Repository(engine, COMPANY).sweep()
        return Outcome(answer, object_items(table_items(engine)), client.operations)


def positions(name: str, fault: Fault) -> Iterator[int]:
    """Yield the numbers of the calls to try: all of them, or some of many.

    Of the many calls of a large write, those that write are all tried with the two ways to lose them.
    """
    calls = smooth(name).calls
    if name != LARGE:
        step = 1 if FULL else 8
        yield from range(seed() % min(step, len(calls)), len(calls), step)
        return
    step = 10 if FULL else 400
    first = seed() % min(step, len(calls))
    for number, call in enumerate(calls):
        if (FULL and call in WRITES and fault in {lost_request, lost_answer}) or number % step == first:
            yield number


def without_numbers(items: Items) -> Items:
    """Return the items without the counters of Serials, and without their numbers."""
    return {
        key: Item(key, item.attributes, NUMBER.sub('"number":0', item.state or ""), item.places)
        for key, item in items.items()
        if not key.partition.startswith("N#")
    }


def fault_name(fault: Fault) -> str:
    return fault.__name__


@pytest.mark.parametrize("name", NAMES)
def test_without_faults_the_items_match_the_graph(name: str) -> None:
    """To which the tests below compare."""
    there = scenario()
    if smooth(name).answer is None:
        there.write(WRITE_CASES[name])
    assert disagreements(COMPANY, there.entities.graph, smooth(name).after) == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fault", FAULTS if FULL else [lost_answer], ids=fault_name)
def test_a_fault_at_any_call_changes_nothing(fault: Fault, name: str) -> None:
    """Neither what is done, nor what the client is told."""
    expected = smooth(name)
    for position in positions(name, fault):
        met = outcome(name, [*[none] * position, fault])
        assert met.answer == expected.answer, (position, expected.calls)
        if expected.calls[position] == "UpdateItem":
            # The numbers of a Serial that were taken unseen are a gap.
            assert without_numbers(met.after) == without_numbers(expected.after), (position, expected.calls)
        else:
            assert met.after == expected.after, (position, expected.calls)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fault", ENDLESS if FULL else [lost_request], ids=fault_name)
def test_under_a_permanent_fault_a_write_is_atomic(fault: Fault, name: str) -> None:
    """A write that is reported as done was done. A write may be done without being reported."""
    expected = smooth(name)
    for position in positions(name, fault):
        met = outcome(name, chain([none] * position, repeat(fault)), SHORT)
        assert met.answer in {None, Unavailable}, (position, expected.calls)
        possible = [expected.after] if met.answer is None else [object_items(company_items()), expected.after]
        assert met.after in possible, (position, expected.calls)
