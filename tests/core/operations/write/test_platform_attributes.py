"""Platform attributes are recorded on exactly the objects that a request changes."""

from dataclasses import replace

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Create, Update
from stratabase.core.operations.write.services import save
from tests.fakes import ADMINISTRATOR, NOON
from tests.graphs.commands import add, create, create_command, point, update, update_command
from tests.graphs.company_scenario import CompanyScenario

BOB = replace(ADMINISTRATOR, username="bob")


def recorded(command: Create | Update) -> set[str]:
    """Return the objects whose last change is attributed to a command."""
    scenario = CompanyScenario()
    scenario.clock.instant = NOON + 1
    before = dict(scenario.entities.objects)
    save(scenario.services, command, BOB)
    return {
        reference.id
        for reference, entity in scenario.entities.objects.items()
        if entity.state.get("_lastmodifiedby") == "bob" and before.get(reference) != entity
    }


def test_a_key_set_from_the_other_side_changes_its_object() -> None:
    assert recorded(update_command("Team", "t2", members=add("e1", "e3"))) == {"e1", "e3"}


def test_adding_a_part_changes_the_whole_and_creates_the_part() -> None:
    assert recorded(
        update_command("Employee", "e1", addresses=create(create_command("Address", street="x")))
    ) == {
        "e1",
        "id1",
    }


def test_changing_a_part_does_not_change_its_whole() -> None:
    assert recorded(
        update_command("Employee", "e1", addresses=update(update_command("Address", "a1", street="x")))
    ) == {"a1"}


def test_changes_of_links_do_not_change_an_object() -> None:
    assert recorded(update_command("Employee", "e1", friends=add("e3"))) == set()


def test_setting_equal_values_does_not_change_an_object() -> None:
    assert (
        recorded(update_command("Employee", "e1", name="Ada", team=point("t1"), friends=add("e2"))) == set()
    )


def test_all_objects_of_a_request_have_one_instant() -> None:
    scenario = CompanyScenario()
    scenario.write(
        create_command(
            "Employee", name="Eve", addresses=create(create_command("Address", street="x")), friends=add("e1")
        )
    )

    created = [
        scenario.entities.objects[Reference("Employee", "id1")],
        scenario.entities.objects[Reference("Address", "id2")],
    ]
    assert created[0].state["_createdon"] == "2020-01-01T12:00:00.000Z"
    assert [each.state["_createdby"] for each in created] == ["ada", "ada"]
