"""Who wrote what, and when, is recorded of every object that a request changes, and of no other."""

from dataclasses import replace

from stratabase.domain.objects.entity import Reference
from stratabase.domain.write.commands import Create, Update
from stratabase.operations.write.services import save
from tests.fakes import ADMINISTRATOR, NOON
from tests.graphs.commands import add, change, create, make, point, update
from tests.graphs.scene import Scene

BOB = replace(ADMINISTRATOR, username="bob")


def recorded(command: Create | Update) -> set[str]:
    """Return the objects whose last change a command records as its own."""
    scene = Scene()
    scene.clock.instant = NOON + 1
    before = dict(scene.entities.objects)
    save(scene.services, command, BOB)
    return {
        reference.id
        for reference, entity in scene.entities.objects.items()
        if entity.state.get("_lastmodifiedby") == "bob" and before.get(reference) != entity
    }


def test_an_object_whose_key_is_asked_from_the_other_side_is_changed() -> None:
    assert recorded(change("Team", "t2", members=add("e1", "e3"))) == {"e1", "e3"}


def test_a_whole_that_gets_a_part_is_changed_and_the_part_made() -> None:
    assert recorded(change("Employee", "e1", addresses=create(make("Address", street="x")))) == {"e1", "id1"}


def test_a_whole_of_which_a_part_is_changed_is_not() -> None:
    assert recorded(change("Employee", "e1", addresses=update(change("Address", "a1", street="x")))) == {"a1"}


def test_links_of_an_object_are_no_part_of_it() -> None:
    assert recorded(change("Employee", "e1", friends=add("e3"))) == set()


def test_what_is_asked_and_so_already_is_no_change() -> None:
    assert recorded(change("Employee", "e1", name="Ada", team=point("t1"), friends=add("e2"))) == set()


def test_all_objects_of_a_request_are_of_one_instant() -> None:
    scene = Scene()
    scene.write(
        make("Employee", name="Eve", addresses=create(make("Address", street="x")), friends=add("e1"))
    )

    made = [
        scene.entities.objects[Reference("Employee", "id1")],
        scene.entities.objects[Reference("Address", "id2")],
    ]
    assert made[0].state["_createdon"] == "2020-01-01T12:00:00.000Z"
    assert [each.state["_createdby"] for each in made] == ["ada", "ada"]
