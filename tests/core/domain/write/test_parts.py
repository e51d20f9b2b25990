"""Commands on parts, which are written through their wholes."""

from typing import Any

from stratabase.core.domain.write.commands import Command, PartsCommand
from tests.graphs.commands import (
    create,
    create_command,
    delete,
    point,
    update,
    update_command,
)
from tests.graphs.company_scenario import CompanyScenario, issue_summary
from tests.rows import each_row

DONE: dict[str, tuple[Command, dict[str, Any]]] = {
    "created with their whole and with their own parts": (
        create_command(
            "Employee",
            name="Eve",
            addresses=create(
                create_command(
                    "Address",
                    street="x",
                    rooms=create(create_command("Room", name="p"), create_command("Room", name="q")),
                ),
                create_command("Address", street="y"),
            ),
            home=create(create_command("Address", street="z", path=("home",))),
        ),
        {
            "Employee.id1.name": "Eve",
            "Employee.id1.addresses": ["id2", "id5"],
            "Employee.id1.home": "id6",
            "Address.id2.street": "x",
            "Address.id2.employee": "id1",
            "Address.id2.rooms": ["id3", "id4"],
            "Room.id3.name": "p",
            "Room.id3.address": "id2",
            "Room.id4.name": "q",
            "Room.id4.address": "id2",
            "Address.id5.street": "y",
            "Address.id5.employee": "id1",
            "Address.id6.street": "z",
            "Address.id6.resident": "id1",
        },
    ),
    "parts of parts": (
        update_command(
            "Project",
            "p1",
            tasks=update(
                update_command(
                    "Task",
                    "k1",
                    subtasks=PartsCommand(
                        update=[update_command("Task", "k3", name="solder")],
                        create=[create_command("Task", name="test", assignee=point("e1"))],
                    ),
                )
            ),
        ),
        {
            "Task.k3.name": "solder",
            "Task.k1.subtasks": ["k3", "id1"],
            "Task.id1.name": "test",
            "Task.id1.assignee": "e1",
            "Task.id1.parent": "k1",
        },
    ),
    "all ended": (
        update_command("Employee", "e1", addresses=PartsCommand(delete=["a2"], delete_all=True)),
        {
            "Address.a1": None,
            "Address.a2": None,
            "Room.r1": None,
            "Room.r2": None,
            "Address.guests a1 e3": False,
            "Employee.e1.addresses": None,
        },
    ),
    "created, updated and deleted together": (
        update_command(
            "Project",
            "p1",
            tasks=PartsCommand(
                create=[create_command("Task", name="new", assignee=point("e1"))],
                update=[update_command("Task", "k2", name="glide", after=point(None))],
                delete=["k1"],
            ),
        ),
        {
            "Project.p1.tasks": ["k2", "id1"],
            "Task.id1.name": "new",
            "Task.id1.assignee": "e1",
            "Task.id1.project": "p1",
            "Task.k2.name": "glide",
            "Task.k2.after": None,
            "Task.k1": None,
            "Task.k3": None,
            "Task.labels k1 l1": False,
        },
    ),
    "a single part is replaced": (
        update_command(
            "Project",
            "p1",
            charter=PartsCommand(create=[create_command("Charter", text="Stay.")], delete_all=True),
        ),
        {
            "Charter.h1": None,
            "Charter.id1.text": "Stay.",
            "Charter.id1.project": "p1",
            "Project.p1.charter": "id1",
        },
    ),
    "a key to a deleted part leads to nothing": (
        update_command("Employee", "e1", addresses=delete("a1")),
        {
            "Address.a1": None,
            "Room.r1": None,
            "Room.r2": None,
            "Address.guests a1 e3": False,
            "Employee.e1.addresses": ["a2"],
        },
    ),
    "unique values move from one part to another": (
        update_command(
            "Employee",
            "e1",
            addresses=update(
                update_command("Address", "a1", code="two"), update_command("Address", "a2", code="one")
            ),
        ),
        {"Address.a1.code": "two", "Address.a2.code": "one"},
    ),
}


@each_row(("command", "changes"), DONE.values())
def test_parts_are_created_changed_and_deleted_through_their_whole(
    command: Command, changes: dict[str, Any]
) -> None:
    assert CompanyScenario().changes(command) == changes


def test_two_parts_of_a_to_one_role_are_refused() -> None:
    """No input can ask for this; `tests/scenarios/refusals/test_parts.py` has what clients can ask for."""
    command = create_command(
        "Employee",
        name="Eve",
        home=create(create_command("Address", street="x"), create_command("Address", street="y")),
    )

    (issue,) = CompanyScenario().refusal(command)

    assert issue_summary(issue) == ("ROLE_CARDINALITY", "Employee", None, "home", "data.home")
