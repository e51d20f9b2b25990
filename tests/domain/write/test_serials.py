"""Serials are given to what is made, in the order of the request, and to nothing that is refused."""

from stratabase.domain.objects.serials import SerialName
from tests.graphs.commands import change, create, make
from tests.graphs.company_scenario import CompanyScenario

INVOICE, LINE = SerialName("Invoice", "number"), SerialName("Line", "number")


def test_new_objects_are_numbered_in_order() -> None:
    scenario = CompanyScenario()
    lines = create(make("Line", text="a"), make("Line", text="b"))

    changes = scenario.changes(make("Invoice", lines=lines))

    assert changes["Invoice.id1.number"] == 1
    assert [changes[f"Line.{id_}.number"] for id_ in changes["Invoice.id1.lines"]] == [1, 2]
    assert (
        scenario.changes(change("Invoice", "id1", lines=create(make("Line", text="c"))))["Line.id5.number"]
        == 3
    )


def test_refused_and_existing_objects_take_no_number() -> None:
    scenario = CompanyScenario()

    scenario.refusal(make("Invoice", lines=create(make("Line"))))
    scenario.refusal(make("Invoice"))
    scenario.write(change("Invoice", "i1", lines=create()))

    assert scenario.entities.serials == {}


def test_a_number_is_kept_through_all_rounds() -> None:
    scenario = CompanyScenario()

    def other_write() -> None:
        scenario.entities.before_commit = lambda: None
        scenario.write(change("Invoice", "i1", lines=create(make("Line", text="by another"))))

    scenario.entities.before_commit = other_write
    scenario.write(change("Invoice", "i1", lines=create(make("Line", text="mine"))))

    assert scenario.entities.serials == {LINE: 2}
    lines = [each for each in scenario.entities.objects.values() if each.reference.class_name == "Line"]
    # The first was there before anything was numbered.
    assert sorted(str(line.state["number"]) for line in lines) == ["1", "1", "2"]
