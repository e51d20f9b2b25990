"""Two interleaved writes of graphs are serializable."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import count as numbers_from
from random import Random
from typing import Any, NamedTuple

import pytest

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.store.engine.port import Engine, Item
from stratabase.core.store.layout import codec
from tests.contract.engine.engine_calls import put
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.engine_items import all_items, object_items
from tests.core.store.interrupted import InterruptedEngine
from tests.graphs.commands import do
from tests.graphs.company import COMPANY
from tests.graphs.item_faults import item_faults
from tests.graphs.stored_company import company_items, services_over
from tests.graphs.write_cases import LARGE, WRITE_CASES
from tests.soak import count, seed

NAMES = [name for name in WRITE_CASES if name != LARGE]
MINE, OTHERS = "mine", "others"


class Ids:
    """Ids that depend on the writer but not on the time."""

    def __init__(self, whose: str) -> None:
        self._ids = (f"{whose}{number}" for number in numbers_from(1))

    def new(self) -> str:
        return next(self._ids)


class Outcome(NamedTuple):
    """The outcome of two writes."""

    mine: tuple[str, ...]
    """The kinds of the issues, if it was refused."""
    others: tuple[str, ...]
    left: Any
    """What an engine holds, but who wrote it last, and the numbers that were given."""


def act(engine: Engine, name: str, whose: str) -> tuple[str, ...]:
    """Run a command in its own process, and return the types of its issues."""
    try:
        do(replace(services_over(engine, COMPANY), ids=Ids(whose)), WRITE_CASES[name])
    except Refused as refusal:
        return tuple(sorted({issue.type.name for issue in refusal.issues}))
    return ()


def fresh() -> ReferenceEngine:
    """Return an engine that holds the company."""
    engine = ReferenceEngine()
    put(engine, company_items().values())
    return engine


def left(engine: ReferenceEngine) -> Any:
    """Return the items of an engine. Assert that they are consistent."""
    assert item_faults(COMPANY, all_items(engine)) == []
    return {key: item_content(item) for key, item in object_items(all_items(engine)).items()}


def item_content(item: Item) -> Any:
    state = {name: value for name, value in codec.raw_state(item).items() if name != "number"}
    return state, codec.counts(item), item.attributes.get("holder")


@cache
def in_turn(mine: str, others: str) -> list[Outcome]:
    """Return the outcomes of two writes one after the other, in both orders."""
    engine = fresh()
    first = Outcome(act(engine, mine, MINE), act(engine, others, OTHERS), left(engine))
    engine = fresh()
    theirs, ours = act(engine, others, OTHERS), act(engine, mine, MINE)
    return [first, Outcome(ours, theirs, left(engine))]


def interleaved(mine: str, others: str) -> Iterator[Outcome]:
    """Yield the outcomes of two writes, where one runs before each step of the other."""
    every = count(3, 1)
    for step in numbers_from(seed() % every, every):
        engine, answers = fresh(), list[tuple[str, ...]]()

        def meanwhile(engine: ReferenceEngine = engine, answers: Any = answers) -> None:
            answers.append(act(engine, others, OTHERS))

        mine_ = act(InterruptedEngine(engine, step, meanwhile), mine, MINE)
        if not answers:
            return
        yield Outcome(mine_, answers[0], left(engine))


@pytest.mark.soak
@pytest.mark.parametrize("mine", NAMES)
def test_interleaved_writes_are_serializable(mine: str) -> None:
    """This compares what is written, the reasons for refusals, and the final state."""
    for others in Random(seed()).sample(NAMES, count(1, len(NAMES))):
        for step, outcome in enumerate(interleaved(mine, others)):
            assert outcome in in_turn(mine, others), (others, step)
