"""Uniqueness constraints and indexes with roles follow the keys, whoever changes them."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from stratabase.core.domain.issues.issue import Issue
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.domain.write.commands import Command, PartsCommand, ToManyCommand, UpdateBulk
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.bulk import update_bulk
from stratabase.core.operations.write.services import restore
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from stratabase.values.cel.environment import EMPTY_CONTEXT
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.engine_items import all_items
from tests.fakes import ADMINISTRATOR, unlimited_budget
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
from tests.graphs.hospital import HOSPITAL, create_one, hospital_faults, update_one
from tests.graphs.processes import process

NOON, ONE = "2026-01-01T12:00:00Z", "2026-01-01T13:00:00Z"


@dataclass(frozen=True)
class Ward:
    """Two departments; the first has room 5."""

    engine: Engine
    services: Services
    first: str
    second: str
    room: str

    def holder(self, department: str | None, number: int = 5) -> str | None:
        """Return the id of the room with a number in a department."""
        (unique,) = HOSPITAL.classes["Room"].uniques
        found = self.services.entities.find_by_unique(
            "Room", unique, {"department": department, "number": number}, unlimited_budget()
        )
        return None if found is None else found.reference.id

    def refused(self, command: Command) -> Issue:
        """Return the only issue of a command that is refused."""
        with pytest.raises(Refused) as caught:
            do(self.services, command)
        (issue,) = caught.value.issues
        return issue


@pytest.fixture
def ward() -> Iterator[Ward]:
    """A hospital. At the end, each object must have its guards and index entries, and no others are left."""
    engine = ReferenceEngine()
    services = process(engine, HOSPITAL)
    first, second = (create_one(services, "Department", name=name) for name in "ab")
    room = create_one(services, "Room", number=5, department=point(first))
    yield Ward(engine, services, first, second, room)
    Repository(engine, HOSPITAL).sweep()
    assert hospital_faults(all_items(engine)) == []


def test_a_number_is_unique_in_its_department(ward: Ward) -> None:
    issue = ward.refused(create_command("Room", number=5, department=point(ward.first)))
    assert (issue.type.name, issue.attribute_names, issue.role_names) == (
        "ENTITY_UNIQUE",
        ("number",),
        ("department",),
    )
    assert issue.message == (
        f'Another Room already has the same department "{ward.first}" and number 5. '
        "The combination must be unique."
    )
    other = create_one(ward.services, "Room", number=5, department=point(ward.second))
    assert (ward.holder(ward.first), ward.holder(ward.second)) == (ward.room, other)


def test_a_null_key_frees_the_values(ward: Ward) -> None:
    update_one(ward.services, "Room", ward.room, department=point(None))
    assert ward.holder(ward.first) is None
    other = create_one(ward.services, "Room", number=5, department=point(ward.first))
    create_one(ward.services, "Room", number=5)
    assert ward.holder(ward.first) == other
    assert ward.refused(update_command("Room", ward.room, department=point(ward.first))).path == (
        "data",
        "department",
    )


def test_the_other_side_moves_the_values(ward: Ward) -> None:
    update_one(ward.services, "Department", ward.second, rooms=add(ward.room))
    assert (ward.holder(ward.first), ward.holder(ward.second)) == (None, ward.room)
    update_one(ward.services, "Department", ward.second, rooms=remove(ward.room))
    assert ward.holder(ward.second) is None


def test_the_other_side_is_refused_at_its_own_place(ward: Ward) -> None:
    other = create_one(ward.services, "Room", number=5, department=point(ward.second))
    issue = ward.refused(update_command("Department", ward.first, rooms=add(other)))
    assert issue.path[:2] == ("data", "rooms")
    assert (issue.entity_name, issue.entity_id) == ("Room", other)


def test_values_can_be_exchanged_in_one_write(ward: Ward) -> None:
    other = create_one(ward.services, "Room", number=5, department=point(ward.second))
    assert ward.refused(update_command("Department", ward.first, rooms=add(other))).role_names
    update_one(ward.services, "Department", ward.first, rooms=ToManyCommand([other], [ward.room]))
    assert (ward.holder(ward.first), ward.holder(ward.second)) == (other, None)


def test_a_deleted_target_keeps_the_values(ward: Ward) -> None:
    do(ward.services, delete_command("Department", ward.first))
    assert ward.holder(ward.first) == ward.room
    update_one(ward.services, "Room", ward.room, number=6)
    assert ward.holder(ward.first) is None
    assert ward.holder(ward.first, 6) == ward.room


def test_a_deleted_object_frees_its_values(ward: Ward) -> None:
    do(ward.services, delete_command("Room", ward.room))
    create_one(ward.services, "Room", number=5, department=point(ward.first))


def test_two_new_objects_of_one_write_cannot_share_values(ward: Ward) -> None:
    beds = create(create_command("Bed", label="x"), create_command("Bed", label="x"))
    issue = ward.refused(update_command("Room", ward.room, beds=beds))
    assert (issue.attribute_names, issue.role_names) == (("label",), ("room",))
    assert issue.path[:3] == ("data", "beds", "create")


def test_the_id_of_a_new_whole_is_not_shown(ward: Ward) -> None:
    beds = create(create_command("Bed", label="x"), create_command("Bed", label="x"))
    issue = ward.refused(create_command("Room", beds=beds))
    assert issue.message == (
        'Another Bed of this request has the same room and label "x". At least one value must differ.'
    )


def test_replaced_parts_hand_over_their_values(ward: Ward) -> None:
    update_one(ward.services, "Room", ward.room, beds=create(create_command("Bed", label="x")))
    (bed,) = _beds(ward)
    update_one(
        ward.services,
        "Room",
        ward.room,
        beds=PartsCommand([create_command("Bed", label="x")], delete=[bed]),
    )
    (new,) = _beds(ward)
    assert new != bed
    issue = ward.refused(update_command("Room", ward.room, beds=create(create_command("Bed", label="x"))))
    assert issue.type.name == "ENTITY_UNIQUE"


def test_parts_exchange_their_values(ward: Ward) -> None:
    beds = create(create_command("Bed", label="x"), create_command("Bed", label="y"))
    update_one(ward.services, "Room", ward.room, beds=beds)
    one, other = _beds(ward)
    swapped = update(update_command("Bed", one, label="y"), update_command("Bed", other, label="x"))
    update_one(ward.services, "Room", ward.room, beds=swapped)
    assert _beds(ward) == [one, other]


def _beds(ward: Ward) -> list[str]:
    (room,) = ward.services.entities.read([Reference("Room", ward.room)])
    assert room is not None
    beds = room.state["beds"]
    assert isinstance(beds, list)
    return beds


def test_a_restored_object_claims_its_values_again(ward: Ward) -> None:
    doctor = create_one(ward.services, "Doctor", name="Ada")
    one = create_one(ward.services, "Appointment", starts_at=NOON, doctor=point(doctor))
    do(ward.services, delete_command("Appointment", one))
    other = create_one(ward.services, "Appointment", starts_at=NOON, doctor=point(doctor))
    with pytest.raises(Refused) as caught:
        _restore(ward, "Appointment", one)
    (issue,) = caught.value.issues
    assert (issue.type.name, issue.role_names) == ("ENTITY_UNIQUE", ("doctor",))
    update_one(ward.services, "Appointment", other, starts_at=ONE)
    _restore(ward, "Appointment", one)


def test_a_restored_target_has_kept_the_values(ward: Ward) -> None:
    doctor = create_one(ward.services, "Doctor", name="Ada")
    create_one(ward.services, "Appointment", starts_at=NOON, doctor=point(doctor))
    do(ward.services, delete_command("Doctor", doctor))
    _restore(ward, "Doctor", doctor)
    issue = ward.refused(create_command("Appointment", starts_at=NOON, doctor=point(doctor)))
    assert issue.type.name == "ENTITY_UNIQUE"


@pytest.mark.parametrize("lines", [3, 130], ids=["few", "many"])
def test_a_whole_frees_and_restores_the_values_of_its_parts(ward: Ward, lines: int) -> None:
    """Many parts are purged after the commit, and restored in several commits."""
    order = create_one(ward.services, "Order", name="o")
    for first in range(0, lines, 25):
        new = [create_command("Line", number=number) for number in range(first, min(first + 25, lines))]
        update_one(ward.services, "Order", order, lines=create(*new))
    assert _guards_of_lines(ward) == lines
    do(ward.services, delete_command("Order", order))
    assert _guards_of_lines(ward) == 0
    _restore(ward, "Order", order)
    assert _guards_of_lines(ward) == lines
    issue = ward.refused(update_command("Order", order, lines=create(create_command("Line", number=0))))
    assert issue.type.name == "ENTITY_UNIQUE"


def _guards_of_lines(ward: Ward) -> int:
    return sum(key.partition.startswith("U#Line.") for key in all_items(ward.engine))


def _restore(ward: Ward, class_name: str, id_: str) -> None:
    """Restore a deleted object as it last was."""
    reference = Reference(class_name, id_)
    (tombstone,) = ward.services.entities.tombstones([reference])
    assert tombstone is not None
    assert tombstone.previous_start is not None
    restore(ward.services, reference, [tombstone.previous_start], ADMINISTRATOR)


def test_a_role_can_be_unique_alone(ward: Ward) -> None:
    doctor = create_one(ward.services, "Doctor", name="Ada")
    update_one(ward.services, "Department", ward.first, head=point(doctor))
    issue = ward.refused(update_command("Department", ward.second, head=point(doctor)))
    assert (issue.type.name, issue.attribute_names, issue.role_names) == ("ENTITY_UNIQUE", (), ("head",))
    assert issue.path == ("data", "head")
    assert issue.message == f'Another Department already has the same head "{doctor}". head must be unique.'
    update_one(ward.services, "Department", ward.first, head=point(None))
    update_one(ward.services, "Department", ward.second, head=point(doctor))


def test_a_bulk_service_moves_and_frees_values(ward: Ward) -> None:
    other = create_one(ward.services, "Room", number=5, department=point(ward.second))
    everything = Query("Room", Order(), window=Window(10))

    def move(to: str | None) -> Refused | None:
        command = UpdateBulk("Room", {}, {"department": point(to)})
        return update_bulk(
            ward.services, command, everything, ADMINISTRATOR, unlimited_budget(), EMPTY_CONTEXT
        ).refusal

    refusal = move(ward.second)
    assert refusal is not None
    *_, issue = refusal.issues
    assert (issue.type.name, issue.entity_id, issue.role_names) == (
        "ENTITY_UNIQUE",
        ward.room,
        ("department",),
    )
    assert move(None) is None
    assert (ward.holder(ward.first), ward.holder(ward.second)) == (None, None)
    update_one(ward.services, "Room", other, department=point(ward.first))


def test_guards_count_towards_the_size_of_a_write(ward: Ward) -> None:
    """A moved room has five items: itself, two links, and two guards. The department is one more."""
    rooms = [
        create_one(ward.services, "Room", number=number, department=point(ward.second))
        for number in range(10, 30)
    ]
    issue = ward.refused(update_command("Department", ward.first, rooms=add(*rooms)))
    assert issue.message == (
        "The write has 101 objects, links, and unique values. The maximum is 100. "
        "Add or remove at most 19 objects in Department.rooms at a time."
    )
    update_one(ward.services, "Department", ward.first, rooms=add(*rooms[:19]))
