"""Commands on links: many-to-many associations and one-way lists."""

from typing import Any

from stratabase.core.domain.write.commands import Command, PartsCommand, ToManyCommand
from tests.graphs.commands import add, delete, delete_command, remove, update_command
from tests.graphs.company_scenario import CompanyScenario, issue_summary
from tests.rows import each_row

DONE: dict[str, tuple[Command, dict[str, Any]]] = {
    "the last one is exchanged": (
        update_command("Meeting", "m1", attendees=ToManyCommand(add=["e2"], remove=["e1"])),
        {"Meeting.attendees m1 e1": False, "Meeting.attendees m1 e2": True},
    ),
    "all exchanged": (
        update_command("Project", "p1", people=ToManyCommand(add=["e2", "e3"], remove_all=True)),
        {"Project.people p1 e1": False, "Project.people p1 e3": True},
    ),
    "an object is linked to itself": (
        update_command("Employee", "e3", friends=add("e3")),
        {"Employee.friends e3 e3": True},
    ),
    "an object is linked to itself from both sides": (
        update_command("Employee", "e3", friends=add("e3"), friend_of=add("e3")),
        {"Employee.friends e3 e3": True},
    ),
    "links of a deleted part": (
        update_command("Employee", "e1", addresses=delete("a1")),
        {
            "Address.a1": None,
            "Room.r1": None,
            "Room.r2": None,
            "Address.guests a1 e3": False,
            "Employee.e1.addresses": ["a2"],
        },
    ),
    "links to a deleted part": (
        update_command(
            "Project",
            "p1",
            tasks=PartsCommand(delete=["k1"], update=[update_command("Task", "k2", related=remove("k1"))]),
        ),
        {
            "Task.k1": None,
            "Task.k3": None,
            "Task.labels k1 l1": False,
            "Project.p1.tasks": ["k2"],
        },
    ),
}


@each_row(("command", "changes"), DONE.values())
def test_requested_links_are_added_and_removed(command: Command, changes: dict[str, Any]) -> None:
    assert CompanyScenario().changes(command) == changes


REFUSED: dict[str, tuple[Command, list[tuple[Any, ...]]]] = {
    "an object of another class is added": (
        update_command("Meeting", "m1", attendees=add("t1")),
        [("ENTITY_NOT_FOUND", "Meeting", "m1", "attendees", "data.attendees")],
    ),
    "added from one side and removed from the other": (
        update_command("Employee", "e3", friends=add("e3"), friend_of=remove("e3")),
        [("MALFORMED_REQUEST", "Employee", "e3", "friend_of", "data.friend_of")],
    ),
    "an object that the same request deletes is added": (
        update_command(
            "Project",
            "p1",
            tasks=PartsCommand(delete=["k1"], update=[update_command("Task", "k2", related=add("k1"))]),
        ),
        [("ENTITY_NOT_FOUND", "Task", "k2", "related", "data.tasks.update.0.related")],
    ),
    "the last two are removed": (
        update_command("Project", "p1", people=remove("e1", "e2")),
        [("ROLE_CARDINALITY", "Project", "p1", "people", "data.people")],
    ),
}


@each_row(("command", "issues"), REFUSED.values())
def test_invalid_changes_of_links_are_refused_at_their_path(
    command: Command, issues: list[tuple[Any, ...]]
) -> None:
    assert sorted(map(issue_summary, CompanyScenario().refusal(command)), key=str) == sorted(issues, key=str)


def test_the_last_link_of_a_required_list_ends_with_its_owner() -> None:
    scenario = CompanyScenario()

    assert scenario.write(delete_command("Meeting", "m1")) is True
    assert scenario.changes(update_command("Project", "p1", people=remove("e1"))) == {
        "Project.people p1 e1": False
    }
    assert [
        issue_summary(issue)[:2]
        for issue in scenario.refusal(update_command("Project", "p1", people=remove("e2")))
    ] == [("ROLE_CARDINALITY", "Project")]
