"""Singletons exist before their first write."""

from stratabase.core.domain.objects.entity import Reference
from tests.fakes import NOON
from tests.graphs.commands import add, create, create_command, point, update_command
from tests.graphs.company_scenario import CompanyScenario

OFFICE = Reference("Office", "1")


def test_the_first_update_creates_the_singleton_and_records_its_author() -> None:
    scenario = CompanyScenario()
    scenario.write(
        update_command(
            "Office",
            "1",
            name="HQ",
            manager=point("e1"),
            guests=add("e2"),
            address=create(create_command("Address", street="x")),
        )
    )
    scenario.clock.instant = NOON + 5

    scenario.write(update_command("Office", "1", name="Main"))

    state = scenario.entities.objects[OFFICE].state
    assert (state["name"], state["manager"]) == ("Main", "e1")
    assert (state["_createdby"], state["_createdon"]) == ("ada", "2020-01-01T12:00:00.000Z")
    assert state["_lastmodifiedby"] == "ada"


def test_a_first_update_that_changes_nothing_writes_nothing() -> None:
    scenario = CompanyScenario()

    scenario.write(update_command("Office", "1"))
    scenario.write(update_command("Office", "1", name=None, manager=point(None), guests=add()))

    assert scenario.entities.commits == []


def test_a_singleton_may_only_be_linked_before_its_first_write() -> None:
    assert CompanyScenario().changes(update_command("Office", "1", guests=add("e2"))) == {
        "Office.guests 1 e2": True
    }


def test_concurrent_first_updates_are_both_kept() -> None:
    scenario = CompanyScenario()

    def other_write() -> None:
        scenario.entities.before_commit = lambda: None
        scenario.write(update_command("Office", "1", name="theirs"))

    scenario.entities.before_commit = other_write
    scenario.write(update_command("Office", "1", manager=point("e1")))

    state = scenario.entities.objects[OFFICE].state
    assert (state["name"], state["manager"]) == ("theirs", "e1")
