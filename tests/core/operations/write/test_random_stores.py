"""Random requests on random models over every kind of store agree with the reference graph."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import cast

import pytest
from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st

from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.model.model import Model
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.operations.read.reader import Reader
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from stratabase.core.store.write import commit
from tests.contract.engine.engine_calls import settle
from tests.contract.engine.engines import KINDS, EngineImplementation
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.engine_items import all_items
from tests.core.store.failing import FailingEngine, Fault
from tests.fakes import fake_services, request_of, unlimited_budget
from tests.graphs.commands import do
from tests.graphs.expected_views import expected_views, views
from tests.graphs.item_faults import item_faults
from tests.graphs.mirrored_entities import MirroredEntities
from tests.graphs.models import OF_FAMILIES, OF_KINDS, models
from tests.graphs.random_commands import RandomCommands
from tests.graphs.random_session import RandomSession, SharedIds
from tests.graphs.reference_graph import InvalidCommand, ReferenceGraph
from tests.graphs.stored_objects import expected_objects, stored_objects
from tests.soak import count, seed

REQUESTS = 10
EXAMPLES = {
    "reference": count(12, 200),
    "lagging": count(12, 200),
    "sqlite": count(3, 45),
    "dynamodb-ministack": count(2, 30),
}
QUICK = {"reference", "lagging"}
"""Here a failure is looked into until it is small."""
MOST_AS_ONE = st.sampled_from([2, 5, 100])
"""Actions in the deletion of a whole that is done as one; a larger one is done bit by bit."""


def few_fit(patch: pytest.MonkeyPatch, most: int) -> None:
    """Make larger deletions run in several commits."""
    patch.setattr(commit, "fits_in_one_commit", lambda actions: len(actions) <= most)


def run_and_compare(engine: Engine, model: Model, chance: Random) -> None:
    """Run random requests, compare stored and shown objects after each, and delete everything at the end."""
    entities = MirroredEntities(engine, model)
    services, _, _ = fake_services(model)
    session = RandomSession(
        replace(services, entities=cast("EntityRepository", entities), ids=SharedIds()), chance
    )
    for _ in range(REQUESTS):
        session.run_random_command()
        check_lagging_listing(entities, model, session.graph)
        settle(engine)
        check_listed_objects(entities, model, session.graph)
    session.delete_everything()
    entities.sweep()
    entities.check()


def check_listed_objects(entities: MirroredEntities, model: Model, graph: ReferenceGraph) -> None:
    """Assert that each page shows each object with all its roles."""
    for class_name, found in pages(entities, model):
        there = sorted(each for each in graph.objects if each.class_name == class_name)
        assert views(entities, model, class_name, found) == expected_views(graph, there)


def check_lagging_listing(entities: MirroredEntities, model: Model, graph: ReferenceGraph) -> None:
    """Assert that objects which a lagging page shows in their present state have their present roles."""
    for class_name, found in pages(entities, model):
        now = entities.read([each.reference for each in found])
        same = [each for each, there in zip(found, now, strict=True) if each == there]
        expected = expected_views(graph, [each.reference for each in same])
        assert views(entities, model, class_name, same) == expected
        views(entities, model, class_name, found)


def pages(entities: MirroredEntities, model: Model) -> Iterator[tuple[str, list[Entity]]]:
    """Yield the objects of each class, page by page."""
    for class_ in model.classes.values():
        query = Query(class_.name, Order.of(()), window=Window(1000))
        yield class_.name, [*entities.page(query, unlimited_budget()).items]


@pytest.mark.soak
@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.name in EXAMPLES], ids=lambda kind: kind.name
)
def test_random_writes_leave_every_store_equal_to_the_reference_graph(
    kind: EngineImplementation, tmp_path: Path
) -> None:
    """Items are compared after each request. At the end, only links of existing objects are left."""
    phases = [*Phase] if kind.name in QUICK else [Phase.generate]

    @settings(max_examples=EXAMPLES[kind.name], database=None, phases=phases)
    @given(models(), st.randoms(use_true_random=False), MOST_AS_ONE)
    def told(model: Model, chance: Random, most: int) -> None:
        with pytest.MonkeyPatch.context() as patch:
            few_fit(patch, most)
            number = len([*tmp_path.iterdir()])
            engine = kind.open(tmp_path / str(number))
            try:
                run_and_compare(engine, model, chance)
            finally:
                engine.close()

    told()


@pytest.mark.soak
@pytest.mark.parametrize("kind", [*OF_KINDS, *OF_FAMILIES])
def test_random_writes_on_each_kind_of_association_agree_with_the_reference_graph(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This includes compositions."""
    for number in range(seed(), seed() + count(1, 100)):
        few_fit(monkeypatch, 2 + number % 4)
        run_and_compare(ReferenceEngine(), {**OF_KINDS, **OF_FAMILIES}[kind], Random(number))


@given(models(), st.randoms(use_true_random=False), MOST_AS_ONE)
def test_a_failed_call_leaves_the_old_or_the_new_graph(model: Model, chance: Random, most: int) -> None:
    """Whichever it is: of each request one call may go wrong, and its client hear nothing."""
    engine, ids, graph, failed = ReferenceEngine(), SharedIds(), ReferenceGraph(model), 0
    with pytest.MonkeyPatch.context() as patch:
        few_fit(patch, most)
        for _ in range(REQUESTS):
            command = RandomCommands(graph, chance).command()
            try:
                expected = graph.after(command, ids.next())
            except InvalidCommand:
                expected = graph
            fault = Fault(chance.randrange(12), after=chance.random() < 0.5)
            services, _, _ = fake_services(model)
            entities = Repository(FailingEngine(engine, fault), model)
            try:
                do(replace(services, entities=entities, ids=ids), command)
                possible = [expected]
            except Refused:
                possible = [graph]
            except Unavailable:
                possible = [graph, expected]
                failed += 1
            Repository(engine, model).sweep()
            assert item_faults(model, all_items(engine)) == []
            graph = stored_graph(engine, model, possible)
    event(f"{failed} of {REQUESTS} failed")


def stored_graph(engine: Engine, model: Model, possible: list[ReferenceGraph]) -> ReferenceGraph:
    """Return which of several graphs a store contains."""
    stored = Repository(engine, model)
    known = {reference for graph in possible for reference in graph.objects}
    found = [
        graph
        for graph in possible
        if stored_objects(Reader(request_of(model, stored)), graph, known) == expected_objects(graph)
    ]
    assert found
    return found[0]
