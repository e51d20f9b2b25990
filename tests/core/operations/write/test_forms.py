"""Forms are previewed and never stored."""

from stratabase.core.domain.objects.change import LinkCreation
from stratabase.core.operations.write.services import preview, validate
from tests.fakes import ADMINISTRATOR
from tests.graphs.commands import add, create_command, point
from tests.graphs.company_scenario import CompanyScenario, issue_summary


def test_a_form_is_shown_with_its_associated_objects() -> None:
    scenario = CompanyScenario()

    shown, _ = preview(
        scenario.services,
        create_command("Leave", "f", days=3, employee=point("e1"), deputies=add("e2", "e3")),
        ADMINISTRATOR,
    )

    assert (shown.state["days"], shown.state["employee"]) == (3, "e1")
    assert [effect.other for effect in shown.effects if isinstance(effect, LinkCreation)] == ["e2", "e3"]
    assert scenario.entities.commits == []


def test_all_issues_of_a_form_are_reported_together() -> None:
    issues = validate(
        CompanyScenario().services,
        create_command("Leave", days="x", employee=point("e9"), deputies=add("e1", "e8")),
        ADMINISTRATOR,
    )

    assert sorted(issue_summary(issue) for issue in issues) == [
        ("DATA_TYPE", "Leave", None, "days", "data.days"),
        ("ENTITY_NOT_FOUND", "Leave", None, "deputies", "data.deputies"),
        ("ENTITY_NOT_FOUND", "Leave", None, "employee", "data.employee"),
    ]


def test_a_form_needs_its_required_values() -> None:
    (issue,) = validate(CompanyScenario().services, create_command("Leave", days=1), ADMINISTRATOR)

    assert issue_summary(issue) == ("ROLE_CARDINALITY", "Leave", None, "employee", "data.employee")
