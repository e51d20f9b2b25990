"""Preview and validation: the outcome of a write without writing."""

from collections.abc import Sequence

import pytest

from stratabase.core.domain.issues.issue import Issue
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.write.commands import Command, Create, ToManyCommand, Update
from stratabase.core.operations.write.services import preview, validate
from tests.fakes import ADMINISTRATOR
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

BROKEN: dict[str, Command] = {
    "wrong values": create_command("Employee", name=3, age=-1),
    "no such object": update_command("Employee", "e9", name="Eve"),
    "no such target": create_command("Employee", name="Eve", team=point("t9")),
    "a partner that is taken": create_command("Team", name="new", lead=point("e1")),
    "values that are taken": create_command("Employee", name="Eve", email="ada@x.org"),
    "an empty required role": update_command("Meeting", "m1", attendees=remove("e1")),
    "a required role": create_command("Project", name="x"),
    "it is needed": delete_command("Employee", "e1"),
    "a contradiction": update_command("Employee", "e1", friends=ToManyCommand(add=["e2"], remove=["e2"])),
    "several things": update_command(
        "Employee", "e2", age=-1, email="ada@x.org", team=point("t9"), leads=point("t1"), friends=add("e9")
    ),
}


@pytest.mark.parametrize("command", BROKEN.values(), ids=BROKEN)
def test_a_validation_reports_the_issues_of_the_write(command: Command) -> None:
    scenario = CompanyScenario()

    issues = validate(scenario.services, command, ADMINISTRATOR)

    assert issues
    assert list(issues) == list(CompanyScenario().refusal(command))
    if isinstance(command, Create | Update):
        assert list(_previewed(scenario, command)) == list(issues)
    assert scenario.entities.commits == []


def _previewed(scenario: CompanyScenario, command: Create | Update) -> Sequence[Issue]:
    """Return the issues of a preview. Only an object that does not exist may make it refuse."""
    try:
        return preview(scenario.services, command, ADMINISTRATOR).issues
    except Refused as refusal:
        (issue,) = refusal.issues
        assert issue.path == ("data", "_id")
        return refusal.issues


def test_all_issues_are_reported_together() -> None:
    issues = validate(CompanyScenario().services, BROKEN["several things"], ADMINISTRATOR)

    assert sorted(issue_summary(issue) for issue in issues) == [
        ("ATTRIBUTE_RANGE", "Employee", "e2", "age", "data.age"),
        ("ENTITY_NOT_FOUND", "Employee", "e2", "friends", "data.friends"),
        ("ENTITY_NOT_FOUND", "Employee", "e2", "team", "data.team"),
        ("ENTITY_UNIQUE", "Employee", "e2", "email", "data.email"),
        ("ROLE_CARDINALITY", "Employee", "e2", "leads", "data.leads"),
    ]


RIGHT: dict[str, Command] = {
    "a creation": create_command("Invoice", lines=create(create_command("Line", text="tea"))),
    "an update": update_command(
        "Employee", "e1", team=point("t2"), addresses=update(update_command("Address", "a1", code="x"))
    ),
    "an update of nothing": update_command("Employee", "e1", name="Ada"),
    "a deletion": delete_command("Project", "p1"),
    "a deletion of nothing": delete_command("Project", "p9"),
}


@pytest.mark.parametrize("command", RIGHT.values(), ids=RIGHT)
def test_a_validation_writes_nothing(command: Command) -> None:
    scenario = CompanyScenario()
    graph, allowances = scenario.entities.graph, len(scenario.entities.allowances)

    assert list(validate(scenario.services, command, ADMINISTRATOR)) == []

    assert scenario.entities.graph is graph
    assert scenario.entities.commits == []
    assert scenario.entities.serials == {}
    assert len(scenario.entities.allowances) == allowances
    scenario.write(command)


def test_a_preview_shows_the_future_object_without_serial_numbers() -> None:
    scenario = CompanyScenario()

    shown, _ = preview(
        scenario.services,
        create_command("Invoice", "mine", lines=create(create_command("Line", text="tea"))),
        ADMINISTRATOR,
    )

    assert shown.state.get("number") is None
    assert shown.client_ids == {shown.reference: "mine"}
    created = [effect.after for effect in shown.effects if isinstance(effect, Creation)]
    assert [each.reference.class_name for each in created] == ["Invoice", "Line"]
    assert shown.state["lines"] == [created[1].reference.id]


def test_a_preview_of_an_update_shows_unchanged_and_changed_values() -> None:
    shown, _ = preview(
        CompanyScenario().services, update_command("Employee", "e1", name="Eve"), ADMINISTRATOR
    )

    assert shown.state["name"] == "Eve"
    assert shown.state["email"] == "ada@x.org"
    assert shown.state["_lastmodifiedby"] == "ada"


def test_a_validation_is_repeated_after_a_concurrent_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store then has newer values than those that were read."""
    scenario = CompanyScenario()
    rehearse = scenario.entities.dry_run

    def other_write(asked: Change) -> None:
        monkeypatch.undo()
        scenario.write(update_command("Employee", "e1", name="Other"))
        rehearse(asked)

    monkeypatch.setattr(scenario.entities, "dry_run", other_write)
    shown, _ = preview(scenario.services, update_command("Employee", "e1", age=3), ADMINISTRATOR)

    assert (shown.state["name"], shown.state["age"]) == ("Other", 3)
