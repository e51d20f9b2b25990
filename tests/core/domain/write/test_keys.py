"""Commands on keys, from the side with the key and from the opposite side."""

from typing import Any

from stratabase.core.domain.issues.issue import IssueType
from stratabase.core.domain.objects.entity import Reference, RoleName
from stratabase.core.domain.write.commands import Command, PartsCommand, ToManyCommand
from tests.graphs.commands import (
    add,
    create,
    create_command,
    delete,
    delete_command,
    point,
    update,
    update_command,
)
from tests.graphs.company import COMPANY
from tests.graphs.company_scenario import CompanyScenario, issue_summary
from tests.rows import each_row

DONE: dict[str, tuple[Command, dict[str, Any]]] = {
    "all removed, some added": (
        update_command("Team", "t1", members=ToManyCommand(add=["e1", "e3"], remove_all=True)),
        {
            "Employee.e2.team": None,
            "Employee.e3.team": "t1",
        },
    ),
    "all removed from a new object": (
        create_command("Team", name="red2", members=ToManyCommand(remove_all=True, remove=["e1"])),
        {"Team.id1.name": "red2"},
    ),
    "a required partner is exchanged": (
        update_command("Captain", "n1", ship=point("s2")),
        {
            "Ship.s1.captain": None,
            "Ship.s2.captain": "n1",
        },
    ),
    "both sides request the same": (
        update_command(
            "Project",
            "p1",
            tasks=create(create_command("Task", "new", name="x", assignee=point("e3"), after=point("k1"))),
        ),
        {
            "Project.p1.tasks": ["k1", "k2", "id1"],
            "Task.id1.name": "x",
            "Task.id1.assignee": "e3",
            "Task.id1.after": "k1",
            "Task.id1.project": "p1",
        },
    ),
    "two rooms request their association from both sides": (
        update_command(
            "Address",
            "a1",
            rooms=update(
                update_command("Room", "r1", next=point(None)),
                update_command("Room", "r2", next=point("r1")),
            ),
        ),
        {"Room.r1.next": None, "Room.r2.next": "r1"},
    ),
    "two requests set the same association from both sides": (
        update_command(
            "Address",
            "a1",
            rooms=update(
                update_command("Room", "r1", next=point(None), before=point("r2")),
                update_command("Room", "r2", next=point("r1")),
            ),
        ),
        {"Room.r1.next": None, "Room.r2.next": "r1"},
    ),
    "a new room comes between two": (
        update_command(
            "Address",
            "a1",
            rooms=PartsCommand(
                create=[create_command("Room", "new", name="attic", next=point("r2"))],
                update=[update_command("Room", "r1", next=point("new"))],
            ),
        ),
        {
            "Address.a1.rooms": ["r1", "r2", "id1"],
            "Room.r1.next": "id1",
            "Room.id1.name": "attic",
            "Room.id1.next": "r2",
            "Room.id1.address": "a1",
        },
    ),
}


@each_row(("command", "changes"), DONE.values())
def test_requested_changes_of_keys_are_made(command: Command, changes: dict[str, Any]) -> None:
    assert CompanyScenario().changes(command) == changes


REFUSED: dict[str, tuple[Command, list[tuple[Any, ...]]]] = {
    "a required partner is not given": (
        create_command("Captain", name="Ahab"),
        [("ROLE_CARDINALITY", "Captain", None, "ship", "data.ship")],
    ),
    "a required partner is cleared": (
        update_command("Captain", "n1", ship=point(None)),
        [("ROLE_CARDINALITY", "Captain", "n1", "ship", "data.ship")],
    ),
    "a required partner is removed by the side with the key": (
        update_command("Ship", "s1", captain=point(None)),
        [("ROLE_CARDINALITY", "Captain", "n1", "ship", "data.captain")],
    ),
    "the last of a required list moves away": (
        update_command("Person", "q1", club=point("b2")),
        [("ROLE_CARDINALITY", "Club", "b1", "people", "data.club")],
    ),
    "the last of a required list is removed": (
        update_command("Person", "q1", club=point(None)),
        [("ROLE_CARDINALITY", "Club", "b1", "people", "data.club")],
    ),
    "the last of a required list is taken over": (
        update_command("Club", "b2", people=add("q1")),
        [("ROLE_CARDINALITY", "Club", "b1", "people", "data.people")],
    ),
    "all of a required list are removed": (
        update_command("Club", "b2", people=ToManyCommand(remove_all=True)),
        [("ROLE_CARDINALITY", "Club", "b2", "people", "data.people")],
    ),
    "a required list is empty": (
        create_command("Club", name="new", people=add()),
        [("ROLE_CARDINALITY", "Club", None, "people", "data.people")],
    ),
    "two objects request one partner": (
        update_command(
            "Address",
            "a1",
            rooms=create(
                create_command("Room", name="x", next=point("r1")),
                create_command("Room", name="y", next=point("r1")),
            ),
        ),
        [("ROLE_CARDINALITY", "Room", None, "next", "data.rooms.create.1.next")],
    ),
    "one key is set to two targets": (
        update_command(
            "Address",
            "a1",
            rooms=PartsCommand(
                create=[
                    create_command("Room", name="x", before=point("r2")),
                    create_command("Room", name="y", before=point("r2")),
                ],
            ),
        ),
        [("ROLE_CARDINALITY", "Room", None, "before", "data.rooms.create.1.before")],
    ),
    "a key is cleared and set from the other side": (
        update_command(
            "Address",
            "a1",
            rooms=update(
                update_command("Room", "r1", next=point(None)),
                update_command("Room", "r2", before=point("r1")),
            ),
        ),
        [("ROLE_CARDINALITY", "Room", "r1", "next", "data.rooms.update.0.next")],
    ),
    "set to an object that the same request deletes": (
        update_command("Employee", "e1", favourite=point("a2"), addresses=delete("a2")),
        [("ENTITY_NOT_FOUND", "Employee", "e1", "favourite", "data.favourite")],
    ),
    "an object that the same request deletes is set as partner": (
        update_command(
            "Address",
            "a1",
            rooms=PartsCommand(delete=["r1"], update=[update_command("Room", "r2", before=point("r1"))]),
        ),
        [("ENTITY_NOT_FOUND", "Room", "r2", "before", "data.rooms.update.0.before")],
    ),
    "a required partner is deleted": (
        delete_command("Ship", "s1"),
        [("ROLE_CARDINALITY", "Captain", "n1", "ship", "_id")],
    ),
    "the last of a required list is deleted": (
        delete_command("Person", "q1"),
        [("ROLE_CARDINALITY", "Club", "b1", "people", "_id")],
    ),
    "all issues are reported together": (
        create_command(
            "Project",
            "c",
            name=7,
            customer=point("c9"),
            people=add("e1", "e9"),
            charter=create(create_command("Charter", text=None, path=("charter",))),
            tasks=create(create_command("Task", name="x", assignee=point("e9")), create_command("Task")),
        ),
        [
            ("DATA_TYPE", "Project", None, "name", "data.name"),
            ("ATTRIBUTE_REQUIRED", "Charter", None, "text", "data.charter.text"),
            ("ATTRIBUTE_REQUIRED", "Task", None, "name", "data.tasks.create.1.name"),
            ("ROLE_CARDINALITY", "Task", None, "assignee", "data.tasks.create.1.assignee"),
            ("ENTITY_NOT_FOUND", "Project", None, "customer", "data.customer"),
            ("ENTITY_NOT_FOUND", "Project", None, "people", "data.people"),
            ("ENTITY_NOT_FOUND", "Task", None, "assignee", "data.tasks.create.0.assignee"),
        ],
    ),
}


@each_row(("command", "issues"), REFUSED.values())
def test_invalid_changes_of_keys_are_refused_at_their_path(
    command: Command, issues: list[tuple[Any, ...]]
) -> None:
    assert sorted(map(issue_summary, CompanyScenario().refusal(command)), key=str) == sorted(issues, key=str)


def test_a_deleted_partner_leaves_the_other_one_free() -> None:
    scenario = CompanyScenario()
    scenario.write(delete_command("Project", "p1"))
    scenario.write(delete_command("Employee", "e2"))  # whom t2 still names

    assert scenario.changes(update_command("Employee", "e3", leads=point("t2"))) == {"Team.t2.lead": "e3"}


def test_a_broken_reference_may_stay_or_be_changed() -> None:
    scenario = CompanyScenario()
    scenario.write(delete_command("Team", "t1"))

    assert scenario.changes(update_command("Employee", "e1", age=3)) == {"Employee.e1.age": 3}
    assert scenario.changes(update_command("Employee", "e1", team=point("t2"))) == {"Employee.e1.team": "t2"}


@each_row(
    ("command", "role", "gone"),
    [
        (update_command("Employee", "e4", favourite=point("a9")), "favourite", 'Address "a9"'),
        (update_command("Employee", "e1", friends=add("e8")), "friends", 'Employee "e8"'),
    ],
)
def test_a_broken_reference_cannot_be_set_again(command: Command, role: str, gone: str) -> None:
    """If the reference did not change, nothing is written."""
    scenario = CompanyScenario()
    before = scenario.entities.objects[Reference("Employee", "e4")]
    scenario.put(before.reference, {**before.state, "favourite": "a9"})
    scenario.entities.graph.link(COMPANY, RoleName("Employee", "friends"), "e1", "e8")

    (issue,) = scenario.refusal(command)

    assert (issue.type, issue.message) == (
        IssueType.ENTITY_NOT_FOUND,
        f"Employee.{role}: {gone} does not exist.",
    )
