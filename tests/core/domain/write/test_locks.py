"""Locks that block a write: those on all objects that it names or changes."""

from functools import partial
from typing import NamedTuple

import pytest

from stratabase.core.domain.objects.entity import Reference, describe_object
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.domain.write.commands import Command, PartsCommand, ToManyCommand
from tests.fakes import NOON
from tests.graphs.commands import (
    add,
    create,
    create_command,
    delete,
    delete_command,
    point,
    remove,
    update,
    update_command,
)
from tests.graphs.company_scenario import CompanyScenario, issue_summary
from tests.rows import each_row

BOBS = Lock("m2", "bob", NOON + 600_000)


class Case(NamedTuple):
    """A command, what it writes or writes through, and what it only names: that the commit does not ask."""

    command: Command
    written: str
    named: str = ""

    @property
    def asked(self) -> list[str]:
        """All objects whose locks the command must respect."""
        return sorted((*self.written.split(), *self.named.split()))


CASES: dict[str, Case] = {
    "values": Case(update_command("Employee", "e1", name="Eve"), "Employee.e1"),
    "unchanged values": Case(update_command("Employee", "e1", name="Ada"), "", "Employee.e1"),
    "a key": Case(update_command("Employee", "e1", team=point("t2")), "Employee.e1"),
    "a part": Case(
        update_command("Employee", "e1", addresses=update(update_command("Address", "a2", street="new"))),
        "Employee.e1 Address.a2",
    ),
    "an unchanged part": Case(
        update_command("Employee", "e1", addresses=update(update_command("Address", "a2", street="2nd"))),
        "",
        "Employee.e1 Address.a2",
    ),
    "a part of a part": Case(
        update_command(
            "Project",
            "p1",
            tasks=update(
                update_command("Task", "k1", subtasks=update(update_command("Task", "k3", name="solder")))
            ),
        ),
        "Project.p1 Task.k1 Task.k3",
    ),
    "a part of a part beside a part that stays": Case(
        update_command(
            "Project",
            "p1",
            tasks=update(
                update_command("Task", "k1", subtasks=update(update_command("Task", "k3", name="solder"))),
                update_command("Task", "k2", name="fly"),
            ),
        ),
        "Project.p1 Task.k1 Task.k3",
        "Task.k2",
    ),
    "a new part": Case(
        update_command("Employee", "e1", addresses=create(create_command("Address", street="new"))),
        "Employee.e1",
    ),
    "a part of a part that is new": Case(
        update_command(
            "Employee",
            "e1",
            addresses=update(
                update_command("Address", "a1", rooms=create(create_command("Room", name="new")))
            ),
        ),
        "Employee.e1 Address.a1",
    ),
    "a deleted part": Case(
        update_command("Employee", "e1", addresses=delete("a1")),
        "Employee.e1 Address.a1 Room.r1 Room.r2",
    ),
    "all parts deleted": Case(
        update_command("Employee", "e1", addresses=PartsCommand(delete_all=True)),
        "Employee.e1 Address.a1 Address.a2 Room.r1 Room.r2",
    ),
    "a link of a part": Case(
        update_command("Employee", "e1", addresses=update(update_command("Address", "a1", guests=add("e2")))),
        "Employee.e1 Address.a1",
    ),
    "the key of a part, from its other side": Case(
        update_command(
            "Employee",
            "e1",
            addresses=update(
                update_command(
                    "Address", "a1", rooms=update(update_command("Room", "r2", before=point(None)))
                )
            ),
        ),
        "Employee.e1 Address.a1 Room.r2 Room.r1",
    ),
    "members added and removed": Case(
        update_command("Team", "t1", members=ToManyCommand(add=["e3"], remove=["e2"])),
        "Team.t1 Employee.e3 Employee.e2",
    ),
    "members added again": Case(update_command("Team", "t1", members=add("e1")), "", "Team.t1"),
    "missing members removed": Case(update_command("Team", "t1", members=remove("e3")), "", "Team.t1"),
    "a partner": Case(update_command("Employee", "e1", leads=point("t3")), "Employee.e1 Team.t1 Team.t3"),
    "links": Case(
        update_command("Employee", "e1", friends=ToManyCommand(add=["e3"], remove=["e2"])), "Employee.e1"
    ),
    "links added again": Case(update_command("Employee", "e1", friends=add("e2")), "", "Employee.e1"),
    "a singleton": Case(update_command("Office", "1", name="new"), "Office.1"),
    "links of a singleton": Case(update_command("Office", "1", guests=add("e1")), "Office.1"),
    "a new object with references": Case(
        create_command("Employee", name="Eve", team=point("t1"), friends=add("e1"), favourite=point("a1")),
        "",
    ),
    "a new object that others reference": Case(
        create_command("Team", name="new", members=add("e1")),
        "Employee.e1",
    ),
    "an end": Case(delete_command("Label", "l1"), "Label.l1"),
    "a deletion with all parts": Case(
        delete_command("Project", "p1"),
        "Project.p1 Charter.h1 Task.k1 Task.k2 Task.k3",
    ),
    "a deletion of a missing object": Case(delete_command("Project", "p9"), ""),
    "a deletion of a referenced object": Case(delete_command("Employee", "e4"), "Employee.e4"),
}
EACH = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def locked(scenario: CompanyScenario, *references: Reference) -> None:
    """Lock objects as another member."""
    scenario.entities.locks |= dict.fromkeys(references, BOBS)


def everything(scenario: CompanyScenario) -> set[Reference]:
    return {*scenario.entities.objects, Reference("Office", "1")}


def reference(text: str) -> Reference:
    return Reference(*text.split("."))


@EACH
def test_all_locked_objects_are_reported_together(case: Case) -> None:
    """An administrator is not an exception; and nothing else is asked."""
    scenario = CompanyScenario()
    locked(scenario, *everything(scenario))
    if not case.asked:
        scenario.write(case.command)
        return
    issues = scenario.refusal(case.command)
    assert {issue.type.name for issue in issues} == {"ENTITY_LOCK_PERSIST"}
    assert sorted(f"{issue.entity_name}.{issue.entity_id}" for issue in issues) == case.asked


@EACH
def test_locks_on_unaffected_objects_do_not_block_a_write(case: Case) -> None:
    scenario = CompanyScenario()
    locked(scenario, *everything(scenario) - {*map(reference, case.asked)})
    scenario.write(case.command)


@EACH
def test_the_commit_checks_the_locks_of_written_objects_again(case: Case) -> None:
    """Each object is locked after everything was read."""
    for each in case.written.split():
        scenario = CompanyScenario()
        scenario.entities.before_commit = partial(locked, scenario, reference(each))
        (issue,) = scenario.refusal(case.command)
        assert issue.type.name == "ENTITY_LOCK_PERSIST"
        assert issue.message == f"{describe_object(reference(each))} is locked by bob until 01/01/2020 12:10."


@EACH
def test_the_commit_checks_no_other_locks(case: Case) -> None:
    scenario = CompanyScenario()
    others = everything(scenario) - {*map(reference, case.written.split())}
    scenario.entities.before_commit = partial(locked, scenario, *others)
    scenario.write(case.command)


PLACES: dict[str, tuple[Command, str, str]] = {
    "the object of the request": (update_command("Employee", "e1", name="Eve"), "Employee.e1", "data"),
    "what it ends": (delete_command("Project", "p1"), "Project.p1", "_id"),
    "a part": (
        update_command("Employee", "e1", addresses=update(update_command("Address", "a2", street="new"))),
        "Address.a2",
        "data.addresses.update.0",
    ),
    "a deleted part": (
        update_command("Employee", "e1", addresses=delete("a2")),
        "Address.a2",
        "data.addresses",
    ),
    "the object with the key": (
        update_command("Team", "t1", members=add("e3")),
        "Employee.e3",
        "data.members",
    ),
}


@each_row(("command", "asked", "place"), PLACES.values())
def test_a_lock_issue_has_the_path_of_the_object_in_the_request(
    command: Command, asked: str, place: str
) -> None:
    scenario = CompanyScenario()
    locked(scenario, reference(asked))
    (issue,) = scenario.refusal(command)
    assert issue_summary(issue) == ("ENTITY_LOCK_PERSIST", *asked.split("."), place)


def test_other_issues_are_reported_together_with_locks() -> None:
    scenario = CompanyScenario()
    locked(scenario, reference("Employee.e1"))
    issues = scenario.refusal(update_command("Employee", "e1", age=-1, team=point("t9")))
    assert {issue.type.name for issue in issues} == {"ENTITY_LOCK_PERSIST", "ATTRIBUTE_RANGE"}


def test_a_caller_s_own_lock_does_not_block_them() -> None:
    scenario = CompanyScenario()
    mine = BOBS._replace(owner="m1")
    scenario.entities.locks |= dict.fromkeys(everything(scenario), mine)
    for case in CASES.values():
        again = CompanyScenario()
        again.entities.locks |= scenario.entities.locks
        again.write(case.command)


def test_an_expired_lock_blocks_nobody() -> None:
    """It expires exactly after its last millisecond."""
    scenario = CompanyScenario()
    locked(scenario, reference("Employee.e1"))
    scenario.clock.instant = BOBS.until - 1
    scenario.refusal(update_command("Employee", "e1", name="Eve"))
    scenario.clock.instant = BOBS.until
    scenario.write(update_command("Employee", "e1", name="Eve"))


def test_a_lock_that_expires_between_read_and_write_blocks_nobody() -> None:
    scenario = CompanyScenario()

    def meanwhile() -> None:
        scenario.entities.before_commit = lambda: None
        locked(scenario, reference("Employee.e1"))
        scenario.clock.instant = BOBS.until

    scenario.entities.before_commit = meanwhile
    scenario.write(update_command("Employee", "e1", friends=add("e3")))
    assert len(scenario.entities.commits) == 1
