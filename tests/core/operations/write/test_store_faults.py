"""A fault at any call of the store: writes of graphs are atomic, and nothing is left over."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from tests.contract.engine.engine_calls import settle
from tests.core.store.engine_items import Items, object_items, serial_numbers
from tests.core.store.failing import GET, RANGE, FailingEngine, Fault
from tests.core.store.graph_agreement import disagreements
from tests.graphs.answers import answer_of
from tests.graphs.company import COMPANY
from tests.graphs.company_engines import over_dynamodb, over_lagging, over_reference, over_sqlite
from tests.graphs.stored_company import company_items
from tests.graphs.write_cases import LARGE, WRITE_CASES, scenario
from tests.rows import each_row
from tests.soak import FULL, mostly

pytestmark = pytest.mark.soak

OVER = {
    "reference": over_reference,
    "lagging": over_lagging,
    "sqlite": over_sqlite,
    "dynamodb": over_dynamodb,
}
IN_MEMORY = {over_reference, over_lagging}
READS = {GET, RANGE}


class Outcome(NamedTuple):
    """The outcome of a command."""

    answer: Any
    """The kind of the refusal; None if it was done."""
    after: Items
    """What there is when a sweep has been made."""
    calls: list[str]


def outcome(over: Any, folder: Path, name: str, fault: Fault | None = None) -> Outcome:
    """Run a command in a new process, and sweep in another one."""
    with over(folder) as stage:
        engine = FailingEngine(stage.engine, fault)
        answer = answer_of(engine, name)
        sweep(stage.engine)
        return Outcome(answer, stage.look(), engine.calls)


def sweep(engine: Engine) -> None:
    """Sweep until no work is left, even if the index of ledgers lags."""
    entities = Repository(engine, COMPANY)
    entities.sweep()
    settle(engine)
    entities.sweep()


@cache
def smooth(name: str) -> Outcome:
    """Return the outcome of a command without faults."""
    return outcome(over_reference, Path(), name)


@each_row("name", WRITE_CASES)
def test_without_faults_the_items_match_the_graph(name: str) -> None:
    """To which the tests below compare. The plain rules do and refuse the same."""
    there = scenario()
    if smooth(name).answer is None:
        there.write(WRITE_CASES[name])
    else:
        assert there.refusal(WRITE_CASES[name]) == smooth(name).answer
    assert disagreements(COMPANY, there.entities.graph, smooth(name).after) == []
    assert (object_items(smooth(name).after) != object_items(company_items())) == (
        smooth(name).answer is None
    )


def faults(calls: list[str], *, all_: bool) -> Iterator[Fault]:
    """Yield the faults to try. For a read, a fault before and after it are the same."""
    for number, call in enumerate(calls):
        if call not in READS:
            yield Fault(number)
            yield Fault(number, after=True)
        elif all_:
            yield Fault(number)


def step(over: Any, name: str) -> int:
    """Return the step through the faults in this run: every one, every second, every third …"""
    if name != LARGE:
        return 1 if FULL or over in IN_MEMORY else 4
    if over in IN_MEMORY:
        return 1 if FULL else 60
    return 5 if FULL else 4


@pytest.mark.parametrize("name", WRITE_CASES)
@pytest.mark.parametrize("over", mostly(OVER.values(), "over_lagging", "over_dynamodb"), ids=OVER)
def test_a_failed_call_leaves_the_old_or_the_new_graph(over: Any, name: str, tmp_path: Path) -> None:
    """The new one from the commit on, the client being told or not; before that the old one."""
    expected = outcome(over, tmp_path, name)
    assert object_items(expected.after) == object_items(smooth(name).after)
    committed = commit_of(expected)
    tried = [*faults(expected.calls, all_=FULL or over in IN_MEMORY)][:: step(over, name)]
    for fault in tried:
        met = outcome(over, tmp_path, name, fault)
        is_told = expected.answer is None and fault.call > committed
        is_done = is_told or (expected.answer is None and fault == Fault(committed, after=True))
        whole = expected.after if is_done else company_items()
        assert object_items(met.after) == object_items(whole), (fault, expected.calls)
        assert met.answer is (None if is_told else Unavailable), (fault, expected.calls)
        assert all(serial_numbers(met.after)[name] >= last for name, last in serial_numbers(whole).items())


def commit_of(outcome: Outcome) -> int:
    """Return the number of the decisive commit: the last one that does not belong to a purge."""
    own = [number for number, call in enumerate(outcome.calls) if call.startswith("id")]
    return own[-1] if own else len(outcome.calls)
