"""Round trips of writes depend on the depth of a graph, and not on the number of objects."""

from dataclasses import replace
from typing import cast

import pytest

from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.domain.objects.commit_refusals import SizeCause, TooLarge
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.write.commands import Command, PartsCommand, ToManyCommand
from stratabase.core.operations.ports import EntityRepository
from stratabase.values.messages import verbatim
from tests.core.operations.write.recorded_calls import RecordedCalls
from tests.graphs.commands import (
    add,
    create,
    create_command,
    delete_command,
    point,
    remove,
    update,
    update_command,
)
from tests.graphs.company_scenario import CompanyScenario, issue_summary
from tests.rows import each_row


def calls(command: Command, scenario: CompanyScenario | None = None) -> list[str]:
    """Return the store calls of a command."""
    scenario = scenario or CompanyScenario()
    noted = RecordedCalls(scenario.entities)
    scenario.services = replace(scenario.services, entities=cast("EntityRepository", noted))
    scenario.write(command)
    return noted.calls


CALLS: dict[str, tuple[Command, list[str]]] = {
    "alone": (create_command("Employee", name="Eve"), ["commit"]),
    "with keys and links": (
        create_command(
            "Employee", name="Eve", team=point("t1"), projects=add("p1"), friends=add("e1", "e2", "e3")
        ),
        ["commit"],
    ),
    "with parts and their parts": (
        create_command(
            "Employee",
            name="Eve",
            addresses=create(
                create_command("Address", street="x", rooms=create(create_command("Room", name="y")))
            ),
        ),
        ["commit"],
    ),
    "with members, whose keys must be read": (
        create_command("Team", name="new", members=add("e1", "e2", "e3")),
        ["read", "commit"],
    ),
    "with numbers": (
        create_command("Invoice", lines=create(create_command("Line", text="a"))),
        ["next_serials", "commit"],
    ),
    "changed": (update_command("Employee", "e1", name="Eve"), ["read", "commit"]),
    "a key changed": (update_command("Employee", "e1", team=point("t2")), ["read", "commit"]),
    "nothing changed": (update_command("Employee", "e1", team=point("t1")), ["read", "read"]),
    "members added": (update_command("Team", "t1", members=add("e3", "e4")), ["read", "commit"]),
    "links added and removed": (
        update_command("Project", "p1", people=ToManyCommand(add=["e3"], remove=["e2"])),
        ["read", "are_linked", "commit"],
    ),
    "parts of parts changed, made and ended": (
        update_command(
            "Project",
            "p1",
            tasks=PartsCommand(
                update=[
                    update_command("Task", "k1", subtasks=update(update_command("Task", "k3", name="solder")))
                ],
                create=[create_command("Task", name="new", assignee=point("e1"))],
                delete=["k2"],
            ),
        ),
        ["read", "commit"],
    ),
    "a partner exchanged": (
        update_command("Employee", "e1", leads=point("t3")),
        ["read", "linked", "read", "commit"],
    ),
    "deleted alone": (delete_command("Label", "l2"), ["read", "commit"]),
    "deleted with parts and their parts": (
        delete_command("Project", "p1"),
        ["read", "read", "read", "commit"],
    ),
    "a missing object is deleted": (delete_command("Project", "p9"), ["read"]),
}


@each_row(("command", "expected"), CALLS.values())
def test_a_write_makes_these_calls(command: Command, expected: list[str]) -> None:
    assert calls(command) == expected


@each_row("number", [2, 40])
def test_the_calls_do_not_grow_with_the_number_of_objects(number: int) -> None:
    scenario = CompanyScenario()
    ids = [f"x{n}" for n in range(number)]
    for id_ in ids:
        reference = Reference("Address", id_)
        scenario.entities.objects[reference] = Entity(
            reference, {"_id": id_, "street": "s", "employee": "e2"}
        )
    whole = scenario.entities.objects[Reference("Employee", "e2")]
    state = {**whole.state, "addresses": ids}
    scenario.entities.objects[whole.reference] = replace(whole, state=state)

    parts = [update_command("Address", id_, street="new", guests=add("e3")) for id_ in ids[1:]]
    command = update_command("Employee", "e2", addresses=PartsCommand(update=parts, delete=ids[:1]))

    assert calls(command, scenario) == ["read", "are_linked", "commit"]


def between(scenario: CompanyScenario, *others: Command) -> None:
    """Run other writes once between reading and committing."""

    def write() -> None:
        scenario.entities.before_commit = lambda: None
        for other in others:
            scenario.write(other)

    scenario.entities.before_commit = write


def refusal(scenario: CompanyScenario, command: Command) -> list[tuple[object, ...]]:
    """Return the issues of a command, which must be refused."""
    with pytest.raises(Refused) as refused:
        scenario.write(command)
    return [issue_summary(issue) for issue in refused.value.issues]


def test_a_write_is_planned_again_after_a_concurrent_write() -> None:
    """The other adds a part and a link, too; all must be there."""
    scenario = CompanyScenario()
    between(
        scenario,
        update_command(
            "Employee", "e1", addresses=create(create_command("Address", street="theirs")), friends=add("e3")
        ),
    )

    mine = create(create_command("Address", street="mine"))
    scenario.write(update_command("Employee", "e1", addresses=mine, friends=add("e3", "e4")))

    employee = scenario.entities.objects[Reference("Employee", "e1")]
    ids = employee.state["addresses"]
    assert isinstance(ids, list)
    streets = [scenario.entities.objects[Reference("Address", id_)].state["street"] for id_ in ids]
    assert streets == ["1st", "2nd", "theirs", "mine"]


RACES: dict[str, tuple[Command, Command, tuple[object, ...]]] = {
    "the target goes": (
        update_command("Employee", "e3", team=point("t3")),
        delete_command("Team", "t3"),
        ("ENTITY_NOT_FOUND", "Employee", "e3", "team", "data.team"),
    ),
    "the object goes": (
        update_command("Employee", "e3", team=point("t3")),
        delete_command("Project", "p1"),
        (),
    ),
    "the whole of the part goes": (
        update_command("Customer", "c1", addresses=update(update_command("Address", "a4", street="new"))),
        delete_command("Project", "p1"),
        (),
    ),
    "the partner is taken": (
        update_command("Team", "t3", lead=point("e3")),
        update_command("Employee", "e3", leads=point("t3")),
        (),
    ),
    "the partner is taken by another": (
        update_command("Team", "t3", lead=point("e3")),
        create_command("Team", name="other", lead=point("e3")),
        ("ROLE_CARDINALITY", "Team", "t3", "lead", "data.lead"),
    ),
    "the partner is taken by another, seen from the other side": (
        update_command("Employee", "e3", leads=point("t3")),
        update_command("Team", "t3", lead=point("e4")),
        ("ROLE_CARDINALITY", "Employee", "e3", "leads", "data.leads"),
    ),
    "the last but one goes": (
        update_command("Project", "p1", people=remove("e1")),
        update_command("Project", "p1", people=remove("e2")),
        ("ROLE_CARDINALITY", "Project", "p1", "people", "data.people"),
    ),
    "another object comes to require it": (
        delete_command("Customer", "c2"),
        update_command("Project", "p1", customer=point("c2")),
        ("ROLE_CARDINALITY", "Project", "p1", "customer", "_id"),
    ),
}


@each_row(("command", "other", "issue"), RACES.values())
def test_a_lost_race_is_refused_like_a_later_write(
    command: Command, other: Command, issue: tuple[object, ...]
) -> None:
    scenario = CompanyScenario()
    between(scenario, other)

    if issue:
        assert refusal(scenario, command) == [issue]
    else:
        scenario.write(command)


def test_parts_of_a_concurrently_deleted_whole_are_not_written() -> None:
    scenario = CompanyScenario()
    between(scenario, delete_command("Project", "p1"))

    command = update_command("Project", "p1", tasks=update(update_command("Task", "k1", name="new")))

    assert refusal(scenario, command) == [("ENTITY_NOT_FOUND", "Project", "p1", "data._id")]


def test_a_write_gives_up_after_repeated_conflicts() -> None:
    scenario = CompanyScenario()

    def other_write() -> None:
        (employee,) = scenario.entities.read([Reference("Employee", "e1")])
        assert employee is not None
        scenario.entities.objects[employee.reference] = replace(
            employee, commit_ids=(scenario.services.ids.new(),)
        )

    scenario.entities.before_commit = other_write
    with pytest.raises(Unavailable):
        scenario.write(update_command("Employee", "e1", team=point("t3")))
    assert scenario.entities.commits == []


def test_a_write_with_unknown_outcome_is_not_retried() -> None:
    scenario = CompanyScenario()
    attempts: list[None] = []
    scenario.entities.before_commit = lambda: attempts.append(None)
    scenario.entities.refuse = Unavailable(verbatim("unknown"))

    for command in (update_command("Employee", "e1", team=point("t3")), delete_command("Project", "p1")):
        with pytest.raises(Unavailable, match="unknown"):
            scenario.write(command)
    assert len(attempts) == 2


def test_a_too_large_change_is_reported_with_its_role_and_advice() -> None:
    scenario = CompanyScenario()
    role = RoleName("Employee", "friends")
    scenario.entities.refuse = TooLarge(verbatim("Too large."), cause=SizeCause(role, 33))

    (issue,) = scenario.refusal(
        update_command("Employee", "e1", addresses=create(create_command("Address", street="x")))
    )

    assert issue.message == "Too large. Add or remove at most 33 objects in Employee.friends at a time."


def test_deeply_nested_parts_are_written() -> None:
    """They are written in a loop and not by recursion."""
    task = create_command("Task", name="last", assignee=point("e1"))
    for _ in range(450):
        task = create_command("Task", name="x", assignee=point("e1"), subtasks=create(task))
    scenario = CompanyScenario()

    changes = scenario.changes(update_command("Project", "p1", tasks=create(task)))

    assert len(scenario.entities.commits[-1].effects) == 452
    assert changes["Project.p1.tasks"] == ["k1", "k2", "id1"]
    scenario.write(delete_command("Project", "p1"))
    assert not [reference for reference in scenario.entities.objects if reference.class_name == "Task"]
