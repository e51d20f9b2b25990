"""Concurrent writes never give two objects the same values of a uniqueness constraint with a role."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Command
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.services import restore
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from tests.contract.engine.engine_calls import run_concurrently
from tests.contract.engine.engines import STORING
from tests.core.store.engine_items import all_items
from tests.fakes import ADMINISTRATOR
from tests.graphs.commands import add, create, create_command, delete_command, do, point, update_command
from tests.graphs.hospital import HOSPITAL, create_one, hospital_faults
from tests.graphs.processes import process
from tests.soak import count, mostly

pytestmark = pytest.mark.soak

ROUNDS = count(3, 500)
"""Of each contest. So each engine has more than 2,000 races in all."""
NOON, ONE = "2026-01-01T12:00:00Z", "2026-01-01T13:00:00Z"
Act = Callable[[Services], Any]


@pytest.fixture(params=mostly(STORING, "dynamodb-ministack"), ids=lambda kind: kind.name)
def worlds(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sequence[Services]]:
    """Several processes that share an engine. At the end, guards and index entries must be consistent."""
    engine: Engine = request.param.open(tmp_path)
    yield [process(engine, HOSPITAL) for _ in range(3)]
    Repository(engine, HOSPITAL).sweep()
    assert hospital_faults(all_items(engine)) == []
    engine.close()


def outcome(services: Services, act: Act) -> str:
    """Return `done`, or the types of the issues if an act is refused."""
    try:
        act(services)
    except Refused as refusal:
        return " ".join(sorted(issue.type.name for issue in refusal.issues))
    return "done"


def doing(command: Command) -> Act:
    """Return the act of running a command."""
    return lambda services: do(services, command)


def raced(worlds: Sequence[Services], *acts: Act) -> list[str]:
    """Run acts concurrently, each in its own process, and return their outcomes."""
    return list(run_concurrently(*(partial(outcome, *each) for each in zip(worlds, acts, strict=False))))


def two_new_rooms(services: Services) -> Sequence[Command]:
    department = create_one(services, "Department")
    return [create_command("Room", number=5, department=point(department))] * 2


def moves_from_both_sides(services: Services) -> Sequence[Command]:
    department, former = (create_one(services, "Department") for _ in range(2))
    one = create_one(services, "Room", number=5, department=point(former))
    other = create_one(services, "Room", number=5)
    return [
        update_command("Room", one, department=point(department)),
        update_command("Department", department, rooms=add(other)),
    ]


def a_number_and_a_move(services: Services) -> Sequence[Command]:
    department = create_one(services, "Department")
    one = create_one(services, "Room", number=4, department=point(department))
    other = create_one(services, "Room", number=5)
    return [
        update_command("Room", one, number=5),
        update_command("Department", department, rooms=add(other)),
    ]


def two_new_parts(services: Services) -> Sequence[Command]:
    order = create_one(services, "Order")
    return [update_command("Order", order, lines=create(create_command("Line", number=1)))] * 2


CONTESTS = {
    "two new objects": two_new_rooms,
    "moves from both sides": moves_from_both_sides,
    "a changed attribute and a moved key": a_number_and_a_move,
    "two new parts of a whole": two_new_parts,
}


@pytest.mark.parametrize("prepare", CONTESTS.values(), ids=CONTESTS)
def test_one_of_two_writers_gets_the_values(
    worlds: Sequence[Services], prepare: Callable[[Services], Sequence[Command]]
) -> None:
    for _ in range(ROUNDS):
        outcomes = raced(worlds, *map(doing, prepare(worlds[0])))
        assert sorted(outcomes) == ["ENTITY_UNIQUE", "done"]


def test_values_stay_taken_while_the_target_is_deleted_and_restored(worlds: Sequence[Services]) -> None:
    for _ in range(ROUNDS):
        doctor = create_one(worlds[0], "Doctor", name="Ada")
        first = create_one(worlds[0], "Appointment", starts_at=NOON, doctor=point(doctor))
        new = create_command("Appointment", starts_at=NOON, doctor=point(doctor))

        deleted, created, moved = raced(
            worlds,
            doing(delete_command("Doctor", doctor)),
            doing(new),
            doing(update_command("Appointment", first, starts_at=ONE)),
        )

        assert (deleted, moved) == ("done", "done")
        assert {*created.split()} <= {"done", "ENTITY_UNIQUE", "ENTITY_NOT_FOUND"}

        reference = Reference("Doctor", doctor)
        (tombstone,) = worlds[0].entities.tombstones([reference])
        assert tombstone is not None
        at = tombstone.previous_start

        def restored(services: Services, reference: Reference = reference, at: int = at) -> None:
            restore(services, reference, [at], ADMINISTRATOR)

        outcomes = raced(worlds, restored, doing(new), doing(new))

        assert outcomes[0] == "done"
        is_taken = created == "done"
        assert outcomes[1:].count("done") <= (0 if is_taken else 1)
        final = outcome(worlds[0], doing(new))
        assert (final == "done") is not (is_taken or "done" in outcomes[1:])
