"""Singletons exist before their first write."""

from stratabase.core.domain.objects.entity import Reference
from tests.graphs.commands import add, point, update_command
from tests.graphs.company_scenario import CompanyScenario

OFFICE = Reference("Office", "1")


def test_a_first_update_that_changes_nothing_writes_nothing() -> None:
    scenario = CompanyScenario()

    scenario.write(update_command("Office", "1"))
    scenario.write(update_command("Office", "1", name=None, manager=point(None), guests=add()))

    assert scenario.entities.commits == []


def test_concurrent_first_updates_are_both_kept() -> None:
    scenario = CompanyScenario()

    def other_write() -> None:
        scenario.entities.before_commit = lambda: None
        scenario.write(update_command("Office", "1", name="theirs"))

    scenario.entities.before_commit = other_write
    scenario.write(update_command("Office", "1", manager=point("e1")))

    state = scenario.entities.objects[OFFICE].state
    assert (state["name"], state["manager"]) == ("theirs", "e1")
