"""Costs of versions: round trips and DynamoDB capacity units (objects of at most 1 KB)."""

from collections.abc import Callable
from typing import Any

import pytest

from stratabase.core.domain.objects.entity import Moment, RoleName
from stratabase.core.domain.write.commands import Delete, ToOneCommand
from stratabase.core.operations.write.services import delete
from tests.core.operations.metered_versions import STEP, MeteredVersions, S
from tests.core.store.cost import Cost
from tests.fakes import ADMINISTRATOR, NOON
from tests.graphs.commands import point
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("lasting_registry")

LISTED = 2
"""A deleted object takes its positions by id and by time, and leaves that of the existing objects."""

WRITES: dict[str, tuple[Callable[[MeteredVersions], object], Cost]] = {
    "create": (lambda meter: meter._made("Team"), Cost(1, 0, 1 + S)),
    "create with a key": (
        lambda meter: meter._made("Employee", team=point(meter.red.id)),
        Cost(1, 0, 2 + S + 4),
    ),
    "update": (lambda meter: meter.update("new"), Cost(2, 1, 4 + S)),
    "update nothing": (lambda meter: meter.update("x" * 200), Cost(1, 1, 0)),
    "a key re-pointed": (
        lambda meter: meter.update(team=point(meter.blue.id)),
        Cost(2, 1, 4 + S + 6 + 2),
    ),
    "a key taken away": (
        lambda meter: meter.update(team=ToOneCommand(None)),
        Cost(2, 1, 4 + S + 2 + 2),
    ),
    "a partner exchanged": (
        lambda meter: meter.update(desk=point(meter.other_desk.id)),
        Cost(2, 1, 4 + S + 6 + 2),
    ),
    "delete": (
        lambda meter: delete(meter.services, Delete(meter.blue), ADMINISTRATOR),
        Cost(2, 1, 4 + S + LISTED),
    ),
    "delete with three keys": (
        lambda meter: meter.delete(),
        Cost(3, 1, 4 + S + LISTED + 3 * (2 + 2)),
    ),
}


@each_row(("work", "cost"), WRITES.values())
def test_a_write_of_a_versioned_object_has_this_cost(
    work: Callable[[MeteredVersions], object], cost: Cost
) -> None:
    assert MeteredVersions().cost(work) == cost


def test_a_restoration_costs_one_check_more_than_a_creation() -> None:
    meter = MeteredVersions()
    meter.delete()
    # Nothing must be left to be purged of it, since that would end its parts.
    assert meter.cost(lambda meter: meter.restore()) == Cost(2, 1, 2 + S + 2 + LISTED)


@pytest.mark.parametrize("number", [1, 100, 10_000])
def test_costs_do_not_grow_with_the_number_of_versions(number: int) -> None:
    meter = MeteredVersions(number)
    middle = NOON + number // 2 * STEP + 1
    assert meter.cost(lambda meter: meter.at(meter.clock.instant)) == Cost(1, 1, 0)
    assert meter.cost(lambda meter: meter.at(middle)) == Cost(2, 1.5, 0)
    assert meter.cost(lambda meter: meter.at(NOON)) == Cost(2, 1.5, 0)
    page = meter.cost(lambda meter: [*meter.entities.versions(meter.ada, limit=5)])
    assert page == meter.cost(lambda meter: [*meter.entities.versions(meter.ada, limit=5, backward=True)])
    assert (page.trips, page.written) == (1, 0)
    assert page.read <= 1
    late: dict[str, Any] = {"since": middle + 1, "limit": 5}
    assert meter.cost(lambda meter: [*meter.entities.versions(meter.ada, **late)]).trips == 1
    early: dict[str, Any] = {"until": middle + 1, "limit": 5, "backward": True}
    assert meter.cost(lambda meter: [*meter.entities.versions(meter.ada, **early)]).trips == 1
    assert meter.cost(lambda meter: meter.update("new")) == Cost(2, 1, 4 + S)
    assert meter.cost(lambda meter: meter.delete()) == Cost(3, 1, 4 + S + LISTED + 3 * (2 + 2))


def test_an_instant_before_all_versions_takes_an_additional_read() -> None:
    """Unless there is just one: to be certain that none is missing."""
    assert MeteredVersions(0).cost(lambda meter: meter.at(NOON - 1)) == Cost(1, 1, 0)
    assert MeteredVersions(9).cost(lambda meter: meter.at(NOON - 1)).trips == 3


def test_many_objects_are_read_as_of_an_instant_in_two_round_trips_each_plus_one() -> None:
    """The heads in a batch, and a range for each object that has changed since."""
    meter = MeteredVersions()
    others = [meter._made("Employee") for _ in range(5)]
    moments = [Moment(reference, NOON + 1) for reference in (meter.ada, *others)]
    cost = meter.cost(lambda meter: meter.entities.as_of(moments))
    assert cost == Cost(2, 6 + 0.5, 0)


def test_a_role_as_of_many_instants_is_one_range_of_links() -> None:
    meter = MeteredVersions()
    for team in (meter.blue, meter.red) * 3:
        meter.clock.instant += STEP
        meter.update(team=point(team.id))
    role, instants = RoleName("Team", "members"), range(NOON, meter.clock.instant, STEP // 2)
    cost = meter.cost(
        lambda meter: meter.entities.linked(role, [meter.red.id] * len(instants), at=[*instants])
    )
    assert cost == Cost(1, 1, 0)


def test_a_role_as_of_an_instant_is_one_range_of_links() -> None:
    meter = MeteredVersions()
    meter.update(team=point(meter.blue.id))
    role = RoleName("Team", "members")
    cost = meter.cost(
        lambda meter: meter.entities.linked(role, [meter.red.id, meter.blue.id], at=[NOON + 1] * 2)
    )
    assert cost == Cost(2, 2, 0)
