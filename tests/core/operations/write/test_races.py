"""Concurrent writes of the same graphs leave a valid model on both sides."""

from functools import partial
from random import Random

import pytest

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Command, Delete
from stratabase.core.operations.context import Services
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.services import delete, save
from stratabase.core.store.engine.port import Engine
from tests.contract.engine.engine_calls import run_concurrently
from tests.contract.engine.engines import STORING, engine_fixture
from tests.core.store.engine_items import all_items
from tests.fakes import ADMINISTRATOR, request_of
from tests.graphs.item_faults import item_faults
from tests.graphs.models import OF_KINDS
from tests.graphs.processes import process
from tests.graphs.random_commands import RandomCommands
from tests.graphs.read_graph import read_graph
from tests.graphs.reference_graph import ReferenceGraph
from tests.graphs.stored_objects import expected_objects, stored_objects
from tests.soak import count, seed

pytestmark = pytest.mark.soak

THREADS = 4
REQUESTS = count(3, 60)
MOST_REQUESTS = 100


engine = engine_fixture(STORING)


def done(services: Services, command: Command) -> bool:
    """Return whether a command succeeds."""
    try:
        if isinstance(command, Delete):
            return delete(services, command, ADMINISTRATOR)
        save(services, command, ADMINISTRATOR)
    except Refused:
        return False
    return True


def look(services: Services) -> ReferenceGraph:
    """Return the graph in a store. Assert that it obeys the model, seen from all sides."""
    graph = read_graph(services.entities, services.model)
    assert stored_objects(
        Reader(request_of(services.model, services.entities)), graph, graph.objects
    ) == expected_objects(graph)
    parts = [
        Reference(services.class_(whole.class_name).roles[name].target, id_)
        for (whole, name), ids in graph.parts.items()
        for id_ in ids
    ]
    assert {*parts} == {each for each in graph.objects if services.class_(each.class_name).part}
    assert len({*parts}) == len(parts)
    return graph


@pytest.mark.parametrize("kind", OF_KINDS)
def test_concurrent_random_requests_leave_a_valid_graph(engine: Engine, kind: str) -> None:
    model = OF_KINDS[kind]

    def act(chance: Random) -> int:
        services = process(engine, model)
        results: list[bool] = []
        # Some seeds begin with several commands that are refused.
        while len(results) < REQUESTS or (not any(results) and len(results) < MOST_REQUESTS):
            command = RandomCommands(read_graph(services.entities, model), chance).command()
            results.append(done(services, command))
        return sum(results)

    counts = run_concurrently(*(partial(act, Random(seed() + number)) for number in range(THREADS)))

    assert sum(counts) > 0
    look(process(engine, model)).check()
    assert item_faults(model, all_items(engine)) == []
