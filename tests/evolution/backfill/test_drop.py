"""A drop erases what is stored under a name, whenever it is stopped, and while others write."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from stratabase.core.domain.objects.change import Change, Creation, Deletion, LinkCreation, Modification
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, SerialName
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import Class, Index, Model, Role, Unique
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.enumeration import EnumType
from stratabase.core.store.catalog.catalog_store import CatalogStore, ServedNames
from stratabase.core.store.engine.port import Batch, Engine, IndexKey, Item, Key, Put
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.layout import keys
from stratabase.core.store.repository import Repository
from stratabase.evolution.backfill.drop import (
    ClassErasure,
    Drop,
    DropOutcome,
    EnumValueErasure,
    Erasure,
    HolderCounts,
    MemberErasure,
    count_holders,
)
from stratabase.evolution.backfill.reindex import SETTLED
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.stopping_engine import BusyEngine, Stopped, StoppingEngine
from tests.models import COLOUR, attribute, class_, model
from tests.rows import each_row
from tests.soak import count as soak_count

_numbers: Iterator[int] = count(1)
NICKNAME = MemberErasure("Employee", "nickname")
SECRET = "Minnie"
FILE = {
    "fileId": "f1",
    "name": "a.txt",
    "mimeType": "text/plain",
    "size": 3,
    "uploadedOn": "2020-01-01T00:00:00.000Z",
}
EVERY = soak_count(3, 1)
"""How many calls are between two at which a drop is stopped."""


def employee(*names: str, roles: Sequence[Role] = ()) -> Class:
    """Return the class of employees with some of its attributes, and all their constraints and indexes."""
    known = {
        "name": attribute("name", "String"),
        "nickname": attribute("nickname", "String"),
        "photo": attribute("photo", "File"),
        "colour": Attribute("colour", EnumType(COLOUR.name, COLOUR.values)),
        "badge": Attribute("badge", TYPES["Serial"]),
    }
    return replace(
        class_("Employee", *(known[name] for name in names)),
        versioned=True,
        roles={role.name: role for role in roles},
        uniques=tuple(Unique(each) for each in (("nickname",), ("colour", "name")) if {*each} <= {*names}),
        indexes=tuple(Index(each) for each in (("nickname",), ("colour",)) if {*each} <= {*names}),
    )


BEFORE = model(employee("name", "nickname", "photo", "colour", "badge"), enumerations=(COLOUR,))
AFTER = model(employee("name", "colour", "badge"), enumerations=(COLOUR,))


class Employees:
    """The objects of a model in an engine."""

    def __init__(self, engine: Engine, served: Model) -> None:
        self.engine = engine
        self.entities = Repository(engine, served, serves=True)

    def commit(self, *effects: Creation | Modification | Deletion) -> None:
        number = next(_numbers)
        self.entities.commit(Change(f"c{number}", number, effects))

    def create(self, id_: str, class_name: str = "Employee", **state: Any) -> None:
        self.commit(Creation(Entity(Reference(class_name, id_), {"_id": id_, **state})))

    def update(self, id_: str, **changes: Any) -> None:
        (before,) = self.entities.read([Reference("Employee", id_)])
        assert before is not None
        after = Entity(before.reference, {**before.state, **changes}, before.commit_ids)
        self.commit(Modification(before, after))

    def delete(self, id_: str) -> None:
        (before,) = self.entities.read([Reference("Employee", id_)])
        assert before is not None
        self.commit(Deletion(before))


def items(engine: Engine) -> list[Item]:
    """Return all items of an engine."""
    return [item for page in engine.scan() for item in page]


def content(engine: Engine) -> list[tuple[Any, ...]]:
    """Return the items of objects as they are compared: without commit ids."""
    return [
        (item.key, {**item.attributes, "commitIds": []}, item.state, dict(item.places))
        for item in items(engine)
        if item.key.partition != "META"
    ]


def dropping(engine: Engine, erasure: Erasure, served: Model = AFTER) -> Drop:
    """Return a drop that waits for nobody."""
    return Drop(engine, served, erasure, local=True, sleep=lambda _: None)


def filled(engine: Engine) -> Engine:
    """Return an engine with employees that have values of everything: some with versions, one deleted."""
    employees = Employees(engine, BEFORE)
    for id_ in "abcde":
        employees.create(
            id_, name=id_, nickname=f"{SECRET}{id_}", colour="RED", photo={**FILE, "fileId": f"f{id_}"}
        )
    employees.update("a", nickname=None)
    employees.update("b", nickname=f"{SECRET}2", name="B")
    employees.update("b", photo={**FILE, "fileId": "g"})
    employees.delete("c")
    employees.entities.next_serials({})
    return engine


def test_values_are_erased_from_objects_versions_guards_and_indexes() -> None:
    engine = filled(ReferenceEngine())
    ServedNames(engine, AFTER, lambda: 10).begin()
    assert count_holders(engine, [NICKNAME]) == {"Employee.nickname": HolderCounts(3, 4)}

    assert dropping(engine, NICKNAME).run().is_clean

    assert SECRET not in str(items(engine))
    assert count_holders(engine, [NICKNAME]) == {"Employee.nickname": HolderCounts(0, 0)}
    guards = {item.key.partition.split("#")[1] for item in items(engine) if item.key.sort == "U"}
    assert guards == {"Employee.colour,name"}
    assert not [str(name) for name in CatalogStore(engine).read().entries if name.name == "nickname"]


def test_files_of_a_dropped_attribute_are_released_once_nothing_refers_to_them() -> None:
    engine = filled(ReferenceEngine())
    assert dropping(engine, MemberErasure("Employee", "photo")).run().is_clean
    entries = {keys.file_entry_id(item.key): item for item in items(engine) if item.key.partition[:2] == "F#"}
    assert {*entries} == {"fa", "fb", "fc", "fd", "fe", "g"}
    assert {item.attributes["status"] for item in entries.values()} == {"RELEASED"}
    assert SECRET in json.dumps([item.state for item in items(engine)])  # nicknames stay
    assert '"photo"' not in json.dumps([item.state for item in items(engine)])


def test_a_serial_is_dropped_with_its_counter() -> None:
    engine = ReferenceEngine()
    employees = Employees(engine, BEFORE)
    employees.entities.next_serials({SerialName("Employee", "badge"): 1})
    assert any(item.key.sort == "N" for item in items(engine))
    dropping(engine, MemberErasure("Employee", "badge"), model(employee("name"))).run()
    assert not any(item.key.sort == "N" for item in items(engine))


def test_an_enum_value_is_erased_with_its_guards_and_index_positions() -> None:
    engine = filled(ReferenceEngine())
    Employees(engine, BEFORE).create("g", name="g", colour="GREEN")
    erasure = EnumValueErasure("Colour.RED", "RED", frozenset({("Employee", "colour")}), ("Colour",))
    assert dropping(engine, erasure).run().is_clean
    texts = json.dumps(
        [[item.state, [*item.places.values()]] for item in items(engine) if item.key.sort[:2] == "V#"]
    )
    assert "RED" not in texts
    assert "GREEN" in texts
    guards = [item for item in items(engine) if item.key.partition.startswith("U#Employee.colour,name#")]
    assert [guard.attributes["holder"] for guard in guards] == ["g"]


def test_a_class_is_erased_and_others_stay() -> None:
    other = replace(class_("EmployeeOfTheYear", attribute("name", "String")), uniques=(Unique(("name",)),))
    both = replace(BEFORE, classes={**BEFORE.classes, other.name: other})
    engine = filled(ReferenceEngine())
    Employees(engine, both).create("x", other.name, name="Ada")
    ServedNames(engine, model(other), lambda: 20).begin()
    before = [each for each in content(engine) if "EmployeeOfTheYear" in str(each)]

    assert dropping(engine, ClassErasure("Employee"), model(other)).run().is_clean

    assert [each for each in content(engine) if "F#" not in str(each)] == before
    released = {keys.file_entry_id(item.key) for item in items(engine) if item.key.partition[:2] == "F#"}
    assert released == {"fa", "fb", "fc", "fd", "fe", "g"}
    (registry,) = engine.get([keys.REGISTRY])
    assert registry is not None
    assert '"Employee"' not in str(registry.state)
    assert {name.owner for name in CatalogStore(engine).read().entries} >= {other.name}
    assert "Employee" not in {name.owner for name in CatalogStore(engine).read().entries}


ROLES = (
    Role("friends", "Employee", many=True, required=True),
    Role("boss", "Employee", opposite="crew", holds_key=True),
    Role("crew", "Employee", many=True, opposite="boss"),
)


@each_row("name", ["friends", "boss", "crew"])
def test_a_role_is_erased_with_its_links_and_counts(name: str) -> None:
    engine = ReferenceEngine()

    employees = Employees(engine, model(employee("name", roles=ROLES)))
    first, second = (
        Entity(Reference("Employee", id_), {"_id": id_, "boss": boss})
        for id_, boss in (("a", None), ("b", "a"))
    )
    effects = (
        Creation(first),
        Creation(second),
        LinkCreation(RoleName("Employee", "friends"), "a", "b"),
        LinkCreation(RoleName("Employee", "friends"), "b", "a"),
    )
    employees.entities.commit(Change("roles", 1, effects))
    assert f"#{name}#" in str(content(engine)) or f'"{name}"' in str(content(engine))

    assert dropping(engine, MemberErasure("Employee", name), model(employee("name"))).run().is_clean

    text = str(content(engine))
    assert not any(part in text for part in (f"L#{name}", f'"{name}"', f"Employee.{name}"))


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    "erasure",
    [NICKNAME, MemberErasure("Employee", "photo"), ClassErasure("Employee")],
    ids=lambda each: each.label,
)
@pytest.mark.parametrize("local", [True, False], ids=["together", "one by one"])
def test_a_drop_that_is_killed_at_any_commit_goes_on(erasure: Erasure, *, after: bool, local: bool) -> None:
    served = AFTER if isinstance(erasure, MemberErasure) else model()
    whole = filled(ReferenceEngine())
    counting = StoppingEngine(whole, 0, after=after)
    assert Drop(counting, served, erasure, local=local, sleep=lambda _: None).run().is_clean
    for at in range(1, counting.commits + 1, EVERY):
        engine = filled(ReferenceEngine())
        with pytest.raises(Stopped):
            Drop(
                StoppingEngine(engine, at, after=after), served, erasure, local=local, sleep=lambda _: None
            ).run()
        assert Drop(engine, served, erasure, local=local, sleep=lambda _: None).run().is_clean
        assert [each[2] for each in content(engine)] == [each[2] for each in content(whole)]
        assert not [item for item in items(engine) if item.key.sort.startswith("checkpoint#")]


@pytest.mark.parametrize("local", [True, False], ids=["together", "one by one"])
def test_writes_meanwhile_are_kept_and_bring_nothing_back(*, local: bool) -> None:
    counting = BusyEngine(filled(ReferenceEngine()), 0, lambda: None)
    Drop(counting, AFTER, NICKNAME, local=local, sleep=lambda _: None).run()
    for at in range(1, counting.commits + 1):
        engine = filled(ReferenceEngine())
        others = Employees(engine, AFTER)

        def write(others: Employees = others) -> None:
            others.update("b", name="Bea")
            others.update("e", name="Eve")
            others.delete("d")
            others.create("z", name="Zoe")

        assert (
            Drop(BusyEngine(engine, at, write), AFTER, NICKNAME, local=local, sleep=lambda _: None)
            .run()
            .is_clean
        )
        assert SECRET not in str(items(engine))
        assert "nickname" not in str(content(engine))
        names = {
            each.state["name"]
            for each in others.entities.read([Reference("Employee", i) for i in "bez"])
            if each
        }
        assert names == {"Bea", "Eve", "Zoe"}


def test_a_process_with_the_earlier_model_that_keeps_writing_is_noticed() -> None:
    engine = filled(ReferenceEngine())
    without_constraints = replace(employee("name", "nickname"), uniques=(), indexes=())
    earlier = Employees(engine, model(without_constraints))

    class Writing(DelegatingEngine):
        """An engine on which another process writes at the begin of each scan."""

        def scan(self, after: Key | None = None) -> Iterator[Sequence[Item]]:
            earlier.update("a", nickname=f"{SECRET}{next(_numbers)}")
            return super().scan(after)

    outcome = dropping(Writing(engine), NICKNAME).run()
    assert not outcome.is_clean
    assert [name for name in CatalogStore(engine).read().entries if name.name == "nickname"]


def test_a_drop_waits_until_all_processes_know_the_registry() -> None:
    engine, waits = filled(ReferenceEngine()), list[float]()
    Drop(engine, AFTER, NICKNAME, local=False, sleep=waits.append).run()
    assert Drop(engine, AFTER, NICKNAME, local=False, sleep=waits.append).run() == DropOutcome(
        0, is_clean=True
    )
    assert waits == [SETTLED, SETTLED]
    Drop(engine, AFTER, NICKNAME, local=True, sleep=waits.append).run()
    assert len(waits) == 2


def test_a_former_value_in_an_index_that_no_longer_exists_is_erased() -> None:
    engine = ReferenceEngine()
    Employees(engine, AFTER).create("a", name="a")
    (head,) = engine.get([keys.head(Reference("Employee", "a"))])
    assert head is not None
    place = IndexKey("Employee#99", f"{SECRET}a")
    engine.commit(Batch("old", (Put(replace(head, places={**head.places, "index7": place})),)))
    dropping(engine, NICKNAME).run()
    assert SECRET not in str(items(engine))
