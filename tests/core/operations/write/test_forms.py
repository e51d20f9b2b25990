"""Forms are previewed and never stored."""

from stratabase.core.domain.objects.change import LinkCreation
from stratabase.core.operations.write.services import preview
from tests.fakes import ADMINISTRATOR
from tests.graphs.commands import add, create_command, point
from tests.graphs.company_scenario import CompanyScenario


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
