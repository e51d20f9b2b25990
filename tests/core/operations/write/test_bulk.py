"""updateBulk and deleteBulk: one write per object, limited in number and time."""

from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.issues.issue import Issue, IssueType
from stratabase.core.domain.issues.refusals import ReadBudgetExceeded, Refused, Unavailable, Unfinished
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.filter import Comparison
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.domain.write.commands import UpdateBulk
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.write.bulk import BulkOutcome
from stratabase.core.operations.write.bulk_issues import FirstIssues
from stratabase.core.operations.write.options import WriteOutcome, WriteResult
from stratabase.core.operations.write.pipeline import Write
from stratabase.values.messages import verbatim
from tests.fakes import unlimited_budget
from tests.graphs.commands import add, delete_command, point, update_command
from tests.graphs.company_scenario import CompanyScenario, issue_summary

EVERYBODY = Query("Employee", Order(), window=Window(10_000))
LABELS = Query("Label", Order(), window=Window(10_000))


def refusal(work: object) -> tuple[Issue, ...]:
    with pytest.raises(Refused) as refused:
        work()  # type: ignore[operator]
    return refused.value.issues


def scene_with(**limits: Any) -> CompanyScenario:
    """Return a scenario with other limits."""
    scenario = CompanyScenario()
    scenario.services = replace(scenario.services, bulk=scenario.services.bulk._replace(**limits))
    return scenario


def labelled(scenario: CompanyScenario, number: int) -> None:
    """Add a number of labels to the existing ones."""
    for index in range(number):
        reference = Reference("Label", f"x{index:03}")
        scenario.entities.objects[reference] = Entity(
            reference, {"_id": reference.id, "name": "old"}, ("before",)
        )


def names(scenario: CompanyScenario) -> list[object]:
    return [
        entity.state.get("name")
        for entity in scenario.entities.objects.values()
        if entity.reference.class_name == "Label"
    ]


def test_unchanged_objects_count_but_are_not_written() -> None:
    scenario = CompanyScenario()
    command = UpdateBulk("Label", {"name": "hot"})

    assert len(scenario.update_bulk(command, LABELS).results) == 2
    assert len(scenario.entities.commits) == 1


def test_too_many_objects_are_refused_even_if_they_cannot_be_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scenario = scene_with(objects=1)
    page = scenario.entities.page

    def uncountable(query: Query, *value: object) -> object:
        if query.fields.total_count:
            raise ReadBudgetExceeded("Label")
        return page(query, unlimited_budget())

    monkeypatch.setattr(scenario.entities, "page", uncountable)
    (issue,) = refusal(lambda: scenario.delete_bulk(LABELS))

    assert issue.message.startswith("Too many Label objects match")


def test_a_refused_object_does_not_block_the_others() -> None:
    scenario = CompanyScenario()

    done, stopped = scenario.delete_bulk(EVERYBODY)

    assert done == [Reference("Employee", "e4")]
    assert stopped is not None
    summary, *issues = stopped.issues
    assert summary.message.startswith("1 of 4 Employee objects were deleted")
    assert {issue_summary(issue)[0] for issue in issues} == {"ROLE_CARDINALITY"}
    assert Reference("Employee", "e4") not in scenario.entities.objects
    assert Reference("Employee", "e1") in scenario.entities.objects


def test_an_issue_about_another_object_names_that_of_the_run() -> None:
    issues = FirstIssues()
    reference = Reference("Employee", "e1")
    for class_name, id_, text in (
        ("Employee", None, "Wrong."),
        ("Employee", "e1", "Wrong, too."),
        ("Task", "t1", "Locked."),
        ("Task", "t1", 'Employee "e1" needs it.'),
    ):
        issue = Issue(IssueType.ENTITY_DOMAIN, verbatim(text), entity_name=class_name, entity_id=id_)
        issues.add(reference, [issue])

    assert [(issue.message, issue.entity_id) for issue in issues.issues] == [
        ("Wrong.", "e1"),
        ("Wrong, too.", "e1"),
        ('Employee "e1": Locked.', "t1"),
        ('Employee "e1" needs it.', "t1"),
    ]


def test_an_issue_of_many_objects_names_the_first_ones() -> None:
    issues = FirstIssues({"age"})
    for number in range(12):
        issue = Issue(
            IssueType.ATTRIBUTE_RANGE, verbatim("Low."), entity_name="Employee", path=("data", "age")
        )
        issues.add(Reference("Employee", f"e{number}"), [issue])

    (found,) = issues.issues
    assert found.entity_id is None
    assert found.message == (
        "Low. This applies to 12 objects, such as e0, e1, e2, e3, e4, e5, e6, e7, e8, and e9."
    )


def test_a_timeout_reports_progress_and_the_service_can_be_repeated() -> None:
    scenario = scene_with(seconds=20)
    labelled(scenario, 6)
    command = UpdateBulk("Label", {"name": "new"})

    def time_goes_by() -> None:
        scenario.clock.instant += 9_000

    def run() -> BulkOutcome[WriteResult]:
        return scenario.update_bulk(command, LABELS)

    scenario.entities.before_commit = time_goes_by
    done, stopped = run()

    assert len(done) == 3
    assert isinstance(stopped, Unfinished)
    (issue,) = stopped.issues
    assert "3 of 8 Label objects were updated" in issue.message
    assert issue.type is IssueType.SERVICE_HANDLER_ERROR
    assert names(scenario).count("new") == 3
    assert isinstance(run().refusal, Unfinished)
    assert len(run().results) == 8
    assert set(names(scenario)) == {"new"}


def test_an_object_that_no_longer_matches_is_skipped() -> None:
    """The page may be outdated: here, one object has another name, and one was deleted."""
    scenario = CompanyScenario()
    labelled(scenario, 3)
    query = replace(LABELS, filter=Comparison("name", Operator.EQ, "old"))

    def others() -> None:
        scenario.entities.before_commit = lambda: None
        scenario.write(update_command("Label", "x001", name="precious"))
        scenario.write(delete_command("Label", "x002"))

    scenario.entities.before_commit = others
    assert len(scenario.delete_bulk(query).results) == 1
    assert sorted(map(str, names(scenario))) == ["cold", "hot", "precious"]


def test_an_object_changed_before_its_write_is_read_again() -> None:
    scenario = CompanyScenario()
    labelled(scenario, 1)
    query = replace(LABELS, filter=Comparison("name", Operator.EQ, "old"))

    def other() -> None:
        scenario.entities.before_commit = lambda: None
        scenario.write(update_command("Label", "x000", name="precious"))

    scenario.entities.before_commit = other
    assert len(scenario.delete_bulk(query).results) == 0


def test_a_store_failure_reports_progress() -> None:
    scenario = CompanyScenario()
    labelled(scenario, 2)

    def trouble() -> None:
        if len(scenario.entities.commits) == 2:
            raise Unavailable(verbatim("Too busy."), retry_after=5)

    scenario.entities.before_commit = trouble
    deleted, stopped = scenario.delete_bulk(LABELS)

    assert len(deleted) == 2
    assert isinstance(stopped, Unfinished)
    assert [issue.message for issue in stopped.issues] == ["2 of 4 Label objects were deleted."]
    assert isinstance(stopped.cause, Unavailable)


def test_a_store_failure_before_the_first_object_is_raised() -> None:
    scenario = CompanyScenario()
    scenario.entities.refuse = Unavailable(verbatim("Too busy."))

    with pytest.raises(Unavailable, match="Too busy"):
        scenario.delete_bulk(LABELS)


def test_a_store_failure_ends_a_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = CompanyScenario()
    rehearse, before = Write.rehearse, [*names(scenario)]

    def rehearse_once(write: Write) -> WriteOutcome:
        if not before:
            raise Unavailable(verbatim("Too busy."))
        before.clear()
        return rehearse(write)

    monkeypatch.setattr(Write, "rehearse", rehearse_once)
    with pytest.raises(Unavailable, match=r"^Too busy\.$"):
        scenario.validate_bulk(None, LABELS)


def test_a_bulk_validation_writes_nothing() -> None:
    scenario = scene_with(objects=4)

    assert list(scenario.validate_bulk(None, LABELS)) == []
    wrong = UpdateBulk("Employee", {"age": -1}, {"team": point("t9")})
    issues = scenario.validate_bulk(wrong, EVERYBODY)

    assert [(*issue_summary(issue)[:3], issue.message) for issue in issues] == [
        (
            "ATTRIBUTE_RANGE",
            "Employee",
            None,
            "Employee.age: -1 is too low. The minimum is 0. This applies to 4 objects: e1, e2, e3, and e4.",
        ),
        (
            "ENTITY_NOT_FOUND",
            "Employee",
            None,
            'Employee.team: Team "t9" does not exist. This applies to 4 objects: e1, e2, e3, and e4.',
        ),
    ]
    assert scenario.entities.commits == []


def test_the_first_of_many_issues_are_reported_and_the_others_counted() -> None:
    scenario = CompanyScenario()
    command = UpdateBulk("Employee", {}, {"friends": add(*(f"none{number}" for number in range(120)))})
    more = "Only 100 of 120 issues are listed. 20 more issues were found."

    summary, *result = refusal(lambda: scenario.update_bulk(command, EVERYBODY))
    *found, last = scenario.validate_bulk(command, EVERYBODY)

    none = "0 of 4 Employee objects were updated. For the rest, see the other issues."
    assert summary.message == f"{none} {more}"
    assert (last.message, last.type, last.path) == (more, IssueType.SERVICE_HANDLER_ERROR, ("options",))
    assert result == found
    assert len({issue.message for issue in result}) == 100
    assert all(issue.message.endswith(" This applies to 4 objects: e1, e2, e3, and e4.") for issue in result)


def test_a_taken_unique_value_is_reported_once() -> None:
    """The issue does not depend on the objects that should have the value."""
    same = UpdateBulk("Employee", {"email": "ada@x.org"}, {})
    (issue,) = CompanyScenario().validate_bulk(same, EVERYBODY)
    assert (issue.type, issue.entity_id) == (IssueType.ENTITY_UNIQUE, None)
    assert issue.message.endswith(" This applies to 3 objects: e2, e3, and e4.")


def test_object_specific_issues_are_reported_per_object() -> None:
    """That a role would be left empty; and of one object alone, whatever is wrong."""
    scenario = CompanyScenario()
    empty = UpdateBulk("Project", {}, {"customer": point(None)})
    one = replace(EVERYBODY, filter=Comparison("_id", Operator.EQ, "e2"))
    wrong = UpdateBulk("Employee", {"age": -1}, {})

    def found(command: UpdateBulk, query: Query = EVERYBODY) -> list[tuple[str, str | None]]:
        query = replace(query, class_name=command.class_name)
        issues = scenario.validate_bulk(command, query)
        return [(issue.type.name, issue.entity_id) for issue in issues]

    assert found(empty) == [("ROLE_CARDINALITY", "p1")]
    assert found(wrong, one) == [("ATTRIBUTE_RANGE", "e2")]


def test_the_number_of_issues_is_worded_correctly() -> None:
    issues = FirstIssues()
    issues.add(
        Reference("Label", "l1"),
        [Issue(IssueType.ENTITY_DOMAIN, verbatim(str(number))) for number in range(101)],
    )

    assert issues.cut_message == "Only 100 of 101 issues are listed. 1 more issue was found."
