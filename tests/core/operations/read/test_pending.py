"""A reader with a pending write reads as after its commit."""

from collections.abc import Sequence

from stratabase.core.domain.objects.change import Creation, Effect, EffectIndex
from stratabase.core.domain.objects.entity import Reference, RoleName, RoleStorage, storage_of
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import ALL_IDS, IdRange, Query
from stratabase.core.domain.write.commands import Command, PartsCommand, ToManyCommand
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.pending import PendingWrite
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.pipeline import Write
from tests.fakes import ADMINISTRATOR, request_of
from tests.graphs.commands import add, create_command, delete_command, point, update_command
from tests.graphs.company import COMPANY
from tests.graphs.company_scenario import CompanyScenario
from tests.rows import each_row

COMMANDS: dict[str, Command] = {
    "a new object": create_command(
        "Employee", name="Eve", team=point("t1"), projects=add("p1"), leads=point("t3")
    ),
    "members move": update_command("Team", "t2", members=add("e1", "e3")),
    "members go": update_command("Team", "t1", members=ToManyCommand(add=["e3"], remove_all=True)),
    "links begin and end": update_command(
        "Project", "p1", people=ToManyCommand(add=["e3", "e4"], remove=["e1"])
    ),
    "friends": update_command(
        "Employee", "e2", friends=add("e1"), friend_of=ToManyCommand(add=["e3"], remove_all=True)
    ),
    "partners": update_command("Employee", "e1", leads=point("t3")),
    "parts": update_command(
        "Employee",
        "e1",
        addresses=PartsCommand(
            create=[create_command("Address", street="x", guests=add("e4"))], delete=["a1"]
        ),
    ),
    "everything goes": delete_command("Project", "p1"),
    "nothing": update_command("Employee", "e1", name="Ada"),
}
ROLES = [
    (RoleName(class_.name, role.name), role)
    for class_ in COMPANY.classes.values()
    for role in class_.roles.values()
    if class_.is_stored
    and storage_of(COMPANY, role) in {RoleStorage.OPPOSITE_KEY, RoleStorage.OPPOSITE_KEYS, RoleStorage.LINKS}
]


def reader_of(entities: EntityRepository, effects: Sequence[Effect] = ()) -> Reader:
    """Return a reader that sees pending effects."""
    return Reader(
        request_of(COMPANY, entities),
        pending=PendingWrite(EffectIndex(effects, COMPANY)) if effects else None,
    )


def all_read(reader: Reader, references: list[Reference]) -> object:
    """Return what a reader finds of objects, and of the existing objects that they lead to."""
    states = {each.reference: each.state for each in reader.read(references) if each is not None}
    led = {}
    for name, _ in ROLES:
        ids = [id_ for class_name, id_ in states if class_name == name.class_name]
        for id_range in (IdRange(limit=1), IdRange("e2"), IdRange(None, 2, backward=True), ALL_IDS):
            found = map(tuple, run(reader.load_links(name, ids, id_range)))
            led[name, id_range] = dict(zip(ids, found, strict=True))
    return states, led


@each_row("command", COMMANDS.values())
def test_an_overlay_reads_as_the_store_does_after_the_commit(command: Command) -> None:
    scenario = CompanyScenario()
    rehearsed = Write(scenario.services, command, ADMINISTRATOR).dry_run()
    before = reader_of(scenario.entities, rehearsed.change.effects)
    references = [*scenario.entities.objects, *made_by(rehearsed.change.effects)]
    result = all_read(before, references)

    scenario.entities.commit(rehearsed.change)

    assert result == all_read(reader_of(scenario.entities), references)
    assert result == all_read(reader_of(scenario.entities, rehearsed.change.effects), references)


def made_by(effects: tuple[Effect, ...]) -> list[Reference]:
    """Return the objects that a write creates."""
    return [effect.after.reference for effect in effects if isinstance(effect, Creation)]


def test_a_page_shows_stored_objects_with_the_pending_change() -> None:
    scenario = CompanyScenario()
    written = [
        *Write(scenario.services, update_command("Employee", "e1", name="Eve"), ADMINISTRATOR)
        .dry_run()
        .change.effects,
        *Write(scenario.services, delete_command("Employee", "e4"), ADMINISTRATOR).dry_run().change.effects,
    ]

    page = reader_of(scenario.entities, written).page(Query("Employee", Order(())))

    assert [entity.state["name"] for entity in page.items] == ["Eve", "Bob", "Cy"]
