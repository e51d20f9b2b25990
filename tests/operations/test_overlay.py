"""An overlay reads as the store will when the change is done, and as it does when it has been done."""

import pytest

from stratabase.domain.objects.change import Creation, Effect
from stratabase.domain.objects.entity import Reference, RoleName
from stratabase.domain.objects.role_storage import RoleStorage, storage_of
from stratabase.domain.query.order import Order
from stratabase.domain.query.page import Query
from stratabase.domain.write.commands import Command, PartsCommand, ToManyCommand
from stratabase.operations.fetching.source import Source
from stratabase.operations.overlay import Overlay
from stratabase.operations.write.pipeline import Write
from tests.graphs.commands import add, change, end, make, point
from tests.graphs.company import COMPANY
from tests.graphs.scene import Scene
from tests.worlds import ADMINISTRATOR, plenty

COMMANDS: dict[str, Command] = {
    "a new object": make("Employee", name="Eve", team=point("t1"), projects=add("p1"), leads=point("t3")),
    "members move": change("Team", "t2", members=add("e1", "e3")),
    "members go": change("Team", "t1", members=ToManyCommand(add=["e3"], remove_all=True)),
    "links begin and end": change("Project", "p1", people=ToManyCommand(add=["e3", "e4"], remove=["e1"])),
    "friends": change(
        "Employee", "e2", friends=add("e1"), friend_of=ToManyCommand(add=["e3"], remove_all=True)
    ),
    "partners": change("Employee", "e1", leads=point("t3")),
    "parts": change(
        "Employee",
        "e1",
        addresses=PartsCommand(create=[make("Address", street="x", guests=add("e4"))], delete=["a1"]),
    ),
    "everything goes": end("Project", "p1"),
    "nothing": change("Employee", "e1", name="Ada"),
}
ROLES = [
    (RoleName(class_.name, role.name), role)
    for class_ in COMPANY.classes.values()
    for role in class_.roles.values()
    if class_.is_stored
    and storage_of(COMPANY, role) in {RoleStorage.OPPOSITE_KEY, RoleStorage.OPPOSITE_KEYS, RoleStorage.LINKS}
]


def all_read(source: Source, references: list[Reference]) -> object:
    """Return all that a source tells of objects, and of those that are there."""
    states = {each.reference: each.state for each in source.read(references, plenty()) if each is not None}
    led = {}
    for name, _ in ROLES:
        ids = [id_ for class_name, id_ in states if class_name == name.class_name]
        for options in ({}, {"limit": 1}, {"start": "e2"}, {"backward": True, "limit": 2}):
            found = source.linked(name, ids, **options)
            led[name, str(options)] = dict(zip(ids, found, strict=True))
    return states, led


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_it_reads_as_the_store_does_when_it_is_done(command: Command) -> None:
    scene = Scene()
    rehearsed = Write(scene.world, command, ADMINISTRATOR).dry_run()
    before = Overlay(scene.entities, COMPANY, rehearsed.change.effects)
    references = [*scene.entities.objects, *made_by(rehearsed.change.effects)]
    told = all_read(before, references)

    scene.entities.commit(rehearsed.change)

    assert told == all_read(scene.entities, references)
    assert told == all_read(Overlay(scene.entities, COMPANY, rehearsed.change.effects), references)


def made_by(effects: tuple[Effect, ...]) -> list[Reference]:
    """Return what is new."""
    return [effect.after.reference for effect in effects if isinstance(effect, Creation)]


def test_a_page_shows_what_the_store_finds_as_the_change_leaves_it() -> None:
    scene = Scene()
    written = [
        *Write(scene.world, change("Employee", "e1", name="Eve"), ADMINISTRATOR).dry_run().change.effects,
        *Write(scene.world, end("Employee", "e4"), ADMINISTRATOR).dry_run().change.effects,
    ]

    page = Overlay(scene.entities, COMPANY, written).page(Query("Employee", Order(())), plenty())

    assert [entity.state["name"] for entity in page.items] == ["Eve", "Bob", "Cy"]
