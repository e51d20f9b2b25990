"""Costs of versions: round trips and DynamoDB capacity units (objects of at most 1 KB)."""

from collections.abc import Callable
from typing import Any

import pytest

from stratabase.core.domain.objects.entity import Moment, RoleName
from stratabase.core.domain.query.order import Order, Position
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.domain.write.commands import Delete, ToOneCommand
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.past_reader import PastReader
from stratabase.core.operations.write.services import delete
from stratabase.core.store.read import past_ids
from tests.contract.versions.models import COMPANY
from tests.contract.versions.versioned_objects import VersionedObjects
from tests.core.operations.metered_versions import STEP, MeteredVersions, S
from tests.core.store.cost import Cost
from tests.fakes import ADMINISTRATOR, NOON, request_of, unlimited_budget
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


def cost_of_page(number: int, deleted: int = 1) -> Cost:
    """Return the cost of a page of 10 objects. Later, one of ten was changed, and `deleted` of ten ended."""
    meter = MeteredVersions()
    objects = VersionedObjects(meter.entities)
    for at in range(number):
        objects.create("Team", f"x{at:06}", name="n" * 200)
    then = objects.clock
    for at in range(0, number, 10):
        objects.update("Team", f"x{at:06}", name="o" * 200)
        for each in range(at + 1, at + 1 + deleted):
            objects.delete("Team", f"x{each:06}")
    start = Position((f"x{number // 2:06}",))
    query = Query("Team", Order(), window=Window(10, start=start), fields=PageFields(has_next=True))

    def read(meter: MeteredVersions) -> None:
        page = PastReader(request_of(COMPANY, meter.entities), then).page(query)
        assert (len(page.items), page.has_next) == (10, True)

    return meter.cost(read)


def test_a_page_as_of_an_instant_costs_the_same_in_a_large_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past_ids, "_FEW", 5)
    small, large = cost_of_page(100), cost_of_page(1_000)
    assert small == large
    assert large.read <= 20
    # Both listings, the latest deletions, and the objects. A changed and a deleted one need a version each.
    # These ids don't tell the time, so they are in a second range.
    assert large.trips == 3 + 1 + 2 + 1


@pytest.mark.parametrize("later", [0, past_ids._FEW + 1])
def test_objects_that_ended_before_the_instant_are_passed_over(later: int) -> None:
    """If few others ended later, they cost nothing."""
    meter = MeteredVersions()
    objects = VersionedObjects(meter.entities)
    for at in range(300):
        objects.create("Team", f"x{at:06}", name="n" * 200)
        if at % 10:
            objects.delete("Team", f"x{at:06}")
    then = objects.clock
    for at in range(later):
        objects.create("Team", f"y{at:06}", name="n")
        objects.delete("Team", f"y{at:06}")
    budget = unlimited_budget()
    request, query = ReadContext(COMPANY, meter.entities, budget), Query("Team", Order(), window=Window(10))

    def read(_: MeteredVersions) -> None:
        assert len(PastReader(request, then).page(query).items) == 10

    cost = meter.cost(read)
    if not later:
        # The listings of existing and of deleted objects, and the objects. These ids don't tell the time, so
        # they are in a second range.
        assert (cost.trips, budget.objects_read) == (2 + 1 + 1, 20)
        return
    # Each of about 100 objects takes an entry of a listing and a read by key. Batches grow, so some are in
    # vain.
    assert 300 <= budget.objects_read <= 500
    assert cost.trips <= 16
