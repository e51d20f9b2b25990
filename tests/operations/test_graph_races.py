"""Several who write the same graphs at once: afterwards all is as the model wants it, from both sides."""

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import NamedTuple

import pytest

from stratabase.domain.change import Creation
from stratabase.domain.command import Command, Delete
from stratabase.domain.entity import Reference
from stratabase.domain.refusal import Refused
from stratabase.operations.delete import delete
from stratabase.operations.save import save
from stratabase.operations.world import World
from stratabase.store.engine import Engine
from tests.contract.engine.acting import together
from tests.contract.engine.kinds import STURDY
from tests.graphs.commands import add, change, create, end, make, point, update
from tests.graphs.company import COMPANY
from tests.graphs.comparing import told_by, told_by_plain
from tests.graphs.models import OF_KINDS
from tests.graphs.plain import Plain
from tests.graphs.processes import process
from tests.graphs.reading import plain_of
from tests.graphs.requests import Requests
from tests.soak import count, seed
from tests.worlds import ADMINISTRATOR

pytestmark = pytest.mark.soak

THREADS = 4
REQUESTS = count(5, 60)
TIMES = count(3, 200)


KINDS = [kind for kind in STURDY if kind.name != "metered"]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An empty engine."""
    engine: Engine = request.param.open(tmp_path_factory.mktemp("store"))
    yield engine
    engine.close()


def done(world: World, command: Command) -> bool:
    """Return whether a command is not refused."""
    try:
        if isinstance(command, Delete):
            return delete(world, command, ADMINISTRATOR)
        save(world, command, ADMINISTRATOR)
    except Refused:
        return False
    return True


def look(world: World) -> Plain:
    """Return the graph that a store holds; it must be as the model wants it, also from the other sides."""
    graph = plain_of(world.entities, world.model)
    assert told_by(world.entities, graph, graph.objects) == told_by_plain(graph)
    parts = [
        Reference(world.class_(whole.class_name).roles[name].target, id_)
        for (whole, name), ids in graph.parts.items()
        for id_ in ids
    ]
    assert {*parts} == {each for each in graph.objects if world.class_(each.class_name).part}
    assert len({*parts}) == len(parts)
    return graph


@pytest.mark.parametrize("kind", OF_KINDS)
def test_random_requests_of_several_leave_a_graph_as_the_model_wants_it(engine: Engine, kind: str) -> None:
    model = OF_KINDS[kind]

    def act(chance: Random) -> int:
        world = process(engine, model)
        commands = (Requests(plain_of(world.entities, model), chance).command() for _ in range(REQUESTS))
        return sum(done(world, command) for command in commands)

    counts = together(*(partial(act, Random(seed() + number)) for number in range(THREADS)))

    assert sum(counts) > 0
    look(process(engine, model)).check()


class Whole(NamedTuple):
    """A project with a task, and who does it."""

    project: Reference
    task: Reference
    employee: str


def made(world: World) -> Whole:
    """Make a whole with a part."""
    customer = save(world, make("Customer", name="Acme"), ADMINISTRATOR)
    eve = save(world, make("Employee", name="Eve"), ADMINISTRATOR)
    tasks = create(make("Task", name="x", assignee=point(eve.reference.id)))
    project = make(
        "Project",
        name="Moon",
        customer=point(customer.reference.id),
        people=add(eve.reference.id),
        charter=create(make("Charter", text="Go.")),
        tasks=tasks,
    )
    written = save(world, project, ADMINISTRATOR)
    (task,) = (
        each.after.reference
        for each in written.effects
        if isinstance(each, Creation) and each.after.reference.class_name == "Task"
    )
    return Whole(written.reference, task, eve.reference.id)


def test_parts_that_are_written_while_their_whole_is_deleted_go_with_it(engine: Engine) -> None:
    worlds = [process(engine, COMPANY) for _ in range(3)]
    for _ in range(TIMES):
        project, task, employee = made(worlds[0])
        new = make("Task", name="y", assignee=point(employee))
        old = change("Task", task.id, name="z")

        outcomes = together(
            partial(done, worlds[0], change("Project", project.id, tasks=create(new))),
            partial(done, worlds[1], change("Project", project.id, tasks=update(old))),
            partial(done, worlds[2], end("Project", project.id)),
        )

        assert outcomes[2] is True
        assert worlds[0].entities.read([project, task]) == [None, None]
    look(worlds[0])
