"""Uniqueness constraints and indexes with roles survive changes of the model."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.commit_refusals import RoleUnavailable
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.indexes.registry_cache import RegistryCache
from stratabase.core.store.renamed_repository import open_repository
from stratabase.core.store.repository import Repository
from stratabase.evolution.backfill.reindex import Reindex
from stratabase.evolution.backfill.uniques import Duplicate
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.engine_items import all_items
from tests.fakes import unlimited_budget
from tests.graphs.commands import add, create, create_command, do, point, update_command
from tests.graphs.hospital import create_one, update_one
from tests.graphs.item_faults import item_faults
from tests.graphs.processes import process

HEAD = 'extend schema @application(name: "Rooms")'
DIRECTIVES = '@unique(attributes: ["department", "number"]) @index(attributes: ["department", "number"])'
KEYED = f"""{HEAD}
type Department {{ name: String rooms: [Room!] @association(opposite: "department") }}
type Room {DIRECTIVES} {{ number: Int department: Department @association(opposite: "rooms") }}
"""
PLAIN = KEYED.replace(DIRECTIVES, "")
LINKED = PLAIN.replace("department: Department", "department: [Department!]")
RENAMED = (
    KEYED.replace("type Room", 'type Chamber @renamed(from: "Room")')
    .replace("[Room!]", "[Chamber!]")
    .replace("department: Department @", 'ward: Department @renamed(from: "department") @')
    .replace('"department"', '"ward"')
    .replace('from: "ward"', 'from: "department"')
)
PARTS = f"""{HEAD}
type Department {{ name: String rooms: [Room!] @composition(whole: "department") }}
type Room {DIRECTIVES} {{ number: Int }}
"""


def serve(engine: Engine, text: str) -> Services:
    """Return a process that serves a model."""
    return process(engine, read_model(text, "model.graphql"))


def reindex(engine: Engine, model: Model) -> list[Duplicate]:
    """Build everything, and return the duplicates that are in the way."""
    found: list[Duplicate] = []
    work = Reindex(engine, model, local=True)
    for _ in range(2):  # a class may wait for the other
        found = [each for name in model.classes for each in work.run(name).duplicates]
    return found


def room_of(services: Services, department: str, number: int, class_name: str = "Room") -> str | None:
    """Return the id of the room with a number in a department."""
    (unique,) = services.model.classes[class_name].uniques
    values = {name: number if name == "number" else department for name in unique.attributes}
    found: Entity | None = services.entities.find_by_unique(class_name, unique, values, unlimited_budget())
    return None if found is None else found.reference.id


def unbuilt(services: Services) -> tuple[str, ...]:
    """Return descriptions of what a reindex must build."""
    assert isinstance(services.entities, Repository)
    return services.entities.unbuilt()


def is_taken(services: Services, department: str, number: int) -> bool:
    """Return whether another room with a number cannot be in a department."""
    with pytest.raises(Refused) as caught:
        do(services, create_command("Room", number=number, department=point(department)))
    return [issue.type.name for issue in caught.value.issues] == ["ENTITY_UNIQUE"]


def filled(engine: Engine, numbers: Sequence[int], text: str = PLAIN) -> tuple[str, list[str]]:
    """Create rooms with these numbers in one department; return their ids."""
    services = serve(engine, text)
    rooms = [create_one(services, "Room", number=number) for number in numbers]
    return create_one(services, "Department", name="a", rooms=add(*rooms)), rooms


def test_a_constraint_is_built_for_existing_objects() -> None:
    engine = ReferenceEngine()
    department, rooms = filled(engine, [1, 2])
    services = serve(engine, KEYED)
    assert room_of(services, department, 2) == rooms[1]
    assert unbuilt(services) == (
        "Room @index(department, number)",
        "Room @unique(department, number)",
    )
    assert reindex(engine, services.model) == []
    built = serve(engine, KEYED)
    assert unbuilt(built) == ()
    assert room_of(built, department, 2) == rooms[1]
    assert is_taken(built, department, 2)
    assert item_faults(built.model, all_items(engine)) == []


def test_duplicates_are_listed_with_the_target() -> None:
    engine = ReferenceEngine()
    department, rooms = filled(engine, [1, 1, 2])
    (duplicate,) = reindex(engine, read_model(KEYED, "model.graphql"))
    assert duplicate.values == {"department": department, "number": 1}
    assert duplicate.ids == tuple(sorted(rooms[:2]))


def test_guards_of_a_renamed_role_stay() -> None:
    engine = ReferenceEngine()
    department, rooms = filled(engine, [1, 2], KEYED)
    model = read_model(RENAMED, "model.graphql")
    assert open_repository(engine, model).unbuilt() == ()
    former = serve(engine, KEYED)
    renamed = replace(process(engine, model), entities=open_repository(engine, model))
    assert room_of(renamed, department, 2, "Chamber") == rooms[1]
    with pytest.raises(Refused) as caught:
        do(renamed, create_command("Chamber", number=2, ward=point(department)))
    (issue,) = caught.value.issues
    assert (issue.entity_name, issue.attribute_names, issue.role_names) == ("Chamber", ("number",), ("ward",))
    do(renamed, update_command("Chamber", rooms[1], ward=point(None)))
    new = create_one(former, "Room", number=2, department=point(department))
    assert room_of(renamed, department, 2, "Chamber") == new
    assert item_faults(former.model, all_items(engine)) == []


def test_links_that_become_keys_get_guards_and_index_entries() -> None:
    engine = ReferenceEngine()
    department, rooms = filled(engine, [1, 2], LINKED)
    services = serve(engine, KEYED)
    with pytest.raises(RoleUnavailable):
        room_of(services, department, 2)
    assert reindex(engine, services.model) == []
    built = serve(engine, KEYED)
    assert room_of(built, department, 2) == rooms[1]
    assert is_taken(built, department, 2)
    assert item_faults(built.model, all_items(engine)) == []


def test_keys_that_become_links_leave_no_guards() -> None:
    engine = ReferenceEngine()
    department, _rooms = filled(engine, [1, 2], KEYED)
    linked = read_model(LINKED, "model.graphql")
    assert reindex(engine, linked) == []
    assert not any(key.partition.startswith("U#") for key in all_items(engine))
    services = serve(engine, LINKED)
    update_one(services, "Department", department, rooms=add(create_one(services, "Room", number=2)))
    (duplicate,) = reindex(engine, read_model(KEYED, "model.graphql"))
    assert duplicate.values == {"department": department, "number": 2}


def test_keys_that_come_back_are_built_again() -> None:
    """The constraint and the index of the first model are still in the registry."""
    engine = ReferenceEngine()
    department, rooms = filled(engine, [1, 2], KEYED)
    work = Reindex(engine, read_model(LINKED, "model.graphql"), local=True, ahead=True)
    for name in ("Department", "Room"):
        work.run(name)
    back = serve(engine, KEYED)
    _, path = RegistryCache(engine, back.model).paths("Room")  # after the listing
    assert not path.is_usable_for(back.model.classes["Room"])
    with pytest.raises(RoleUnavailable):
        room_of(back, department, 2)
    assert reindex(engine, back.model) == []
    _, path = RegistryCache(engine, back.model).paths("Room")
    assert path.is_usable_for(back.model.classes["Room"])
    again = serve(engine, KEYED)
    assert room_of(again, department, 2) == rooms[1]
    assert is_taken(again, department, 2)
    assert item_faults(again.model, all_items(engine)) == []


def test_keys_that_become_those_of_wholes_stay_unique() -> None:
    engine = ReferenceEngine()
    department, rooms = filled(engine, [1, 2], KEYED)
    assert reindex(engine, read_model(PARTS, "model.graphql")) == []
    services = serve(engine, PARTS)
    assert room_of(services, department, 2) == rooms[1]
    new = create(create_command("Room", number=2))
    with pytest.raises(Refused) as caught:
        do(services, update_command("Department", department, rooms=new))
    assert [issue.role_names for issue in caught.value.issues] == [("department",)]
    # The former links of the keys stay, but nothing reads them.
    faults = item_faults(services.model, all_items(engine))
    assert [fault for fault in faults if "L#rooms#" not in fault] == []
