"""Objects that are deleted before a bulk service without a filter reaches them."""

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query
from stratabase.core.domain.write.commands import UpdateBulk
from tests.fakes import unlimited_budget
from tests.graphs.commands import delete_command
from tests.graphs.company_scenario import CompanyScenario

LABELS = Query("Label", Order())


def scene_in_which_the_second_ends() -> CompanyScenario:
    """Return a scenario of two labels. The second is deleted before the first is written."""
    scenario = CompanyScenario()

    def another() -> None:
        scenario.entities.before_commit = lambda: None
        scenario.write(delete_command("Label", "l2"))

    scenario.entities.before_commit = another
    return scenario


def test_a_concurrently_deleted_object_is_not_counted_as_deleted() -> None:
    scenario = scene_in_which_the_second_ends()

    assert len(scenario.delete_bulk(LABELS).results) == 1


def test_a_concurrently_deleted_object_is_skipped_by_an_update() -> None:
    scenario, command = scene_in_which_the_second_ends(), UpdateBulk("Label", {"name": "new"})

    done = scenario.update_bulk(command, LABELS)

    assert [each.reference for each in done.results] == [Reference("Label", "l1")]


def test_a_concurrently_deleted_object_is_not_reported_by_a_validation() -> None:
    scenario = CompanyScenario()
    page = scenario.entities.page(LABELS, unlimited_budget())
    scenario.write(delete_command("Label", "l2"))
    scenario.entities.page = lambda *_: page  # type: ignore[method-assign]
    command = UpdateBulk("Label", {"name": "new"})

    assert scenario.validate_bulk(command, LABELS) == []
