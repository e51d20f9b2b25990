"""Serial numbers go to created objects in request order, and not to refused ones."""

from stratabase.core.domain.objects.entity import SerialName
from tests.graphs.commands import create, create_command, update_command
from tests.graphs.company_scenario import CompanyScenario

INVOICE, LINE = SerialName("Invoice", "number"), SerialName("Line", "number")


def test_new_objects_are_numbered_in_order() -> None:
    scenario = CompanyScenario()
    lines = create(create_command("Line", text="a"), create_command("Line", text="b"))

    changes = scenario.changes(create_command("Invoice", lines=lines))

    assert changes["Invoice.id1.number"] == 1
    assert [changes[f"Line.{id_}.number"] for id_ in changes["Invoice.id1.lines"]] == [1, 2]
    assert (
        scenario.changes(update_command("Invoice", "id1", lines=create(create_command("Line", text="c"))))[
            "Line.id5.number"
        ]
        == 3
    )


def test_refused_and_existing_objects_take_no_number() -> None:
    scenario = CompanyScenario()

    scenario.refusal(create_command("Invoice", lines=create(create_command("Line"))))
    scenario.refusal(create_command("Invoice"))
    scenario.write(update_command("Invoice", "i1", lines=create()))

    assert scenario.entities.serials == {}


def test_a_number_is_kept_through_all_rounds() -> None:
    scenario = CompanyScenario()

    def other_write() -> None:
        scenario.entities.before_commit = lambda: None
        scenario.write(
            update_command("Invoice", "i1", lines=create(create_command("Line", text="by another")))
        )

    scenario.entities.before_commit = other_write
    scenario.write(update_command("Invoice", "i1", lines=create(create_command("Line", text="mine"))))

    assert scenario.entities.serials == {LINE: 2}
    lines = [each for each in scenario.entities.objects.values() if each.reference.class_name == "Line"]
    # The first was there before anything was numbered.
    assert sorted(str(line.state["number"]) for line in lines) == ["1", "1", "2"]
