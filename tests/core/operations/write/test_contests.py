"""Concurrent writes that conflict: one succeeds and the others are refused."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.domain.write.commands import Command
from stratabase.core.operations.context import Services
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from tests.contract.engine.engine_calls import run_concurrently
from tests.contract.engine.engines import STORING, engine_fixture
from tests.core.store.engine_items import all_items
from tests.core.store.stepping_engine import SteppingEngine
from tests.graphs.commands import (
    add,
    create,
    create_command,
    delete_command,
    do,
    point,
    remove,
    update,
    update_command,
)
from tests.graphs.company import COMPANY
from tests.graphs.item_faults import item_faults
from tests.graphs.processes import process
from tests.soak import count, mostly, seed

pytestmark = pytest.mark.soak

TIMES = count(3, 200)
LARGE_TIMES = count(1, 50)
TASKS = 40
"""Of a project that does not end as one: each is its head, two labels, and a link to who does it."""


engine = engine_fixture(mostly(STORING, "dynamodb-ministack"))


@pytest.fixture
def worlds(engine: Engine) -> Iterator[Sequence[Services]]:
    """Several processes that share the engine. At the end, its items must be consistent."""
    yield [process(engine, COMPANY) for _ in range(4)]
    Repository(engine, COMPANY).sweep()
    assert item_faults(COMPANY, all_items(engine)) == []


def create_object(services: Services, class_name: str, **asked: Any) -> str:
    """Create an object, and return its id."""
    return str(do(services, create_command(class_name, **asked)).reference.id)


def done(services: Services, command: Command) -> bool | str:
    """Return whether a command did something, or the type of the only issue if it is refused."""
    try:
        return bool(do(services, command))
    except Refused as refusal:
        (issue,) = refusal.issues
        return issue.type.name


def raced(worlds: Sequence[Services], *commands: Command) -> Sequence[bool | str]:
    """Run commands concurrently, each in its own process, and return their outcomes."""
    return run_concurrently(*(partial(done, *each) for each in zip(worlds, commands, strict=False)))


def deleting(stepping: SteppingEngine, project: str) -> bool | str:
    """Delete a project, and run other commands in between."""
    try:
        return done(process(stepping, COMPANY), delete_command("Project", project))
    finally:
        stepping.close()


def entering(stepping: SteppingEngine, calls: int, services: Services, command: Command) -> bool | str:
    """Run a command after another process has made a number of calls."""
    stepping.wait(calls)
    return done(services, command)


Prepare = Callable[[Services], Sequence[Command]]
"""Makes what is contested, and returns what the contestants want."""


def _employees(services: Services, number: int = 2) -> list[str]:
    return [create_object(services, "Employee", name="Eve") for _ in range(number)]


def _members_by_keys(services: Services) -> Sequence[Command]:
    ids = [create_object(services, "Person", name="Kim") for _ in range(2)]
    create_object(services, "Club", people=add(*ids), name="chess")
    return [delete_command("Person", id_) for id_ in ids]


def _member_and_list(services: Services) -> Sequence[Command]:
    one, other = (create_object(services, "Person", name="Lee") for _ in range(2))
    club = create_object(services, "Club", people=add(one, other), name="go")
    return [delete_command("Person", one), update_command("Club", club, people=remove(other))]


def _members_by_links(services: Services) -> Sequence[Command]:
    ids = _employees(services)
    charter = create(create_command("Charter", text="Go."))
    customer = create_object(services, "Customer", name="Acme")
    create_object(
        services, "Project", name="Moon", people=add(*ids), charter=charter, customer=point(customer)
    )
    return [delete_command("Employee", id_) for id_ in ids]


def _members_one_way(services: Services) -> Sequence[Command]:
    ids = _employees(services)
    create_object(services, "Meeting", attendees=add(*ids))
    return [delete_command("Employee", id_) for id_ in ids]


def _keys_to_a_partner(services: Services) -> Sequence[Command]:
    (employee,) = _employees(services, 1)
    teams = [create_object(services, "Team", name=services.ids.new()) for _ in range(2)]
    return [update_command("Team", team, lead=point(employee)) for team in teams]


def _a_new_key_and_an_old_one(services: Services) -> Sequence[Command]:
    (employee,) = _employees(services, 1)
    team = create_object(services, "Team", name=services.ids.new())
    new = create_command("Team", name=services.ids.new(), lead=point(employee))
    return [update_command("Team", team, lead=point(employee)), new]


def _the_key_of_a_partner(services: Services) -> Sequence[Command]:
    team = create_object(services, "Team", name=services.ids.new())
    return [update_command("Employee", id_, leads=point(team)) for id_ in _employees(services)]


def _required_keys_to_a_partner(services: Services) -> Sequence[Command]:
    (employee,) = _employees(services, 1)
    return [create_command("Passport", owner=point(employee))] * 2


def _partners_that_are_required(services: Services) -> Sequence[Command]:
    ship = create_object(services, "Ship", name="Argo")
    return [create_command("Captain", ship=point(ship))] * 2


CONTESTS: dict[str, Prepare] = {
    "the last two members go, by their keys": _members_by_keys,
    "one of the last two goes, and the other is put out": _member_and_list,
    "the last two members go, by links": _members_by_links,
    "the last two members go, one way": _members_one_way,
    "two lead to the same partner": _keys_to_a_partner,
    "two lead to the same partner, one of them new": _a_new_key_and_an_old_one,
    "two want to be led to by the same partner": _the_key_of_a_partner,
    "two must lead to the same partner": _required_keys_to_a_partner,
    "two must be led to by the same partner": _partners_that_are_required,
}


@pytest.mark.parametrize("prepare", CONTESTS.values(), ids=CONTESTS)
def test_one_of_two_conflicting_writes_succeeds_and_the_other_is_refused(
    worlds: Sequence[Services], prepare: Prepare
) -> None:
    for _ in range(TIMES):
        outcomes = raced(worlds, *prepare(worlds[0]))
        assert sorted(map(str, outcomes)) == ["ROLE_CARDINALITY", "True"]


def _project(services: Services, tasks: int) -> tuple[str, str, str]:
    """Create a project with tasks. Return the ids of the project, one task, and its assignee."""
    (employee,) = _employees(services, 1)
    labels = add(*(create_object(services, "Label") for _ in range(2)))
    project = create_object(
        services,
        "Project",
        name="Moon",
        customer=point(create_object(services, "Customer", name="Acme")),
        people=add(employee),
        charter=create(create_command("Charter", text="Go.")),
    )
    task = create_command("Task", name="x", assignee=point(employee), labels=labels)
    for first in range(0, tasks, TASKS // 2):
        some = [task] * min(tasks - first, TASKS // 2)
        written = do(services, update_command("Project", project, tasks=create(*some)))
    return project, str(written.state["tasks"][0]), employee


@pytest.mark.parametrize(("tasks", "times"), [(2, TIMES), (TASKS, LARGE_TIMES)], ids=["few", "many"])
def test_parts_written_during_deletion_of_their_whole_are_deleted(
    engine: Engine, worlds: Sequence[Services], tasks: int, times: int
) -> None:
    """Parts are made, one is changed, and gets a part of its own: at any moment, and done or refused."""
    chance, most = Random(seed()), 1
    for number in range(times):
        project, task, employee = _project(worlds[0], tasks)
        new = create_command("Task", name="y", assignee=point(employee))
        rivals = (
            create(new),
            update(update_command("Task", task, name=f"{number}")),
            update(update_command("Task", task, subtasks=create(new))),
        )
        commands = [update_command("Project", project, tasks=each) for each in rivals]

        stepping = SteppingEngine(engine)

        deleted, *outcomes = run_concurrently(
            partial(deleting, stepping, project),
            *(
                partial(entering, stepping, chance.randrange(most), *each)
                for each in zip(worlds, commands, strict=False)
            ),
        )

        most = stepping.calls
        assert deleted is True
        assert {*outcomes} <= {True, "ENTITY_NOT_FOUND"}
        assert worlds[0].entities.linked(RoleName("Employee", "projects"), [employee]) == [()]
    Repository(engine, COMPANY).sweep()
    left = {key.partition.split("#")[0] for key in all_items(engine)}
    assert "Employee" in left
    assert not left & {"Project", "Task", "Charter"}
