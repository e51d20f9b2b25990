"""Objects referenced by their `_clientId` within one request."""

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Update
from tests.graphs.commands import add, create, create_command, point, update, update_command
from tests.graphs.company_scenario import CompanyScenario, issue_summary


def test_new_objects_may_reference_one_another_forward_and_in_cycles() -> None:
    command = create_command(
        "Project",
        name="Mars",
        customer=point("c1"),
        people=add("e1"),
        charter=create(create_command("Charter", text="Go.")),
        tasks=create(
            create_command("Task", "first", name="1", assignee=point("e1"), after=point("last")),
            create_command("Task", "second", name="2", assignee=point("e1"), after=point("first")),
            create_command(
                "Task", "last", name="3", assignee=point("e1"), after=point("second"), related=add("first")
            ),
        ),
    )

    changes = CompanyScenario().changes(command)

    first, second, last = changes["Project.id1.tasks"]
    assert changes[f"Task.{first}.after"] == last
    assert changes[f"Task.{second}.after"] == first
    assert changes[f"Task.{last}.after"] == second
    assert changes[f"Task.related {last} {first}"] is True


def test_a_new_object_may_reference_itself_and_its_parts_and_they_may_reference_it() -> None:
    scenario = CompanyScenario()
    command = create_command(
        "Employee",
        "me",
        name="Eve",
        friends=add("me"),
        favourite=point("here"),
        addresses=create(create_command("Address", "here", street="x", guests=add("me", "e1"))),
    )

    changes = scenario.changes(command)

    assert changes["Employee.friends id1 id1"] is True
    assert changes["Employee.id1.favourite"] == "id2"
    assert changes["Address.guests id2 id1"] is True
    assert changes["Address.guests id2 e1"] is True


def test_a_request_may_set_a_new_association_from_both_ends() -> None:
    rooms = create(
        create_command("Room", "a", name="a", next=point("b")),
        create_command("Room", "b", name="b", before=point("a")),
    )

    changes = CompanyScenario().changes(
        update_command("Employee", "e1", addresses=update(update_command("Address", "a2", rooms=rooms)))
    )

    assert changes["Room.id1.next"] == "id2"


def test_a_client_id_is_unique_per_class() -> None:
    """`_clientId` of an address does not name an employee."""
    command = create_command(
        "Employee", name="Eve", friends=add("x"), addresses=create(create_command("Address", "x", street="x"))
    )

    assert [issue_summary(issue) for issue in CompanyScenario().refusal(command)] == [
        ("ENTITY_NOT_FOUND", "Employee", None, "friends", "data.friends")
    ]


def test_a_client_id_takes_precedence_over_an_equal_id() -> None:
    scenario = CompanyScenario()

    changes = scenario.changes(create_command("Employee", "e1", name="Eve", friends=add("e1")))

    assert changes["Employee.friends id1 id1"] is True


def test_an_existing_object_that_is_saved_may_have_a_client_id() -> None:
    scenario = CompanyScenario()
    command = Update(Reference("Employee", "e3"), {}, "me", {"friends": add("me")})

    assert scenario.changes(command) == {"Employee.friends e3 e3": True}
