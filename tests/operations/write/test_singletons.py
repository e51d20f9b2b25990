"""Singletons are there before they are first written."""

from stratabase.domain.objects.entity import Reference
from tests.fakes import NOON
from tests.graphs.commands import add, change, create, make, point
from tests.graphs.scene import Scene, issue_summary

OFFICE = Reference("Office", "1")


def test_the_first_update_creates_the_singleton_and_records_its_author() -> None:
    scene = Scene()
    scene.write(
        change(
            "Office",
            "1",
            name="HQ",
            manager=point("e1"),
            guests=add("e2"),
            address=create(make("Address", street="x")),
        )
    )
    scene.clock.instant = NOON + 5

    scene.write(change("Office", "1", name="Main"))

    state = scene.entities.objects[OFFICE].state
    assert (state["name"], state["manager"]) == ("Main", "e1")
    assert (state["_createdby"], state["_createdon"]) == ("ada", "2020-01-01T12:00:00.000Z")
    assert state["_lastmodifiedby"] == "ada"


def test_a_first_update_that_changes_nothing_writes_nothing() -> None:
    scene = Scene()

    scene.write(change("Office", "1"))
    scene.write(change("Office", "1", name=None, manager=point(None), guests=add()))

    assert scene.entities.commits == []


def test_a_singleton_may_only_be_linked_before_its_first_write() -> None:
    assert Scene().changes(change("Office", "1", guests=add("e2"))) == {"Office.guests 1 e2": True}


def test_concurrent_first_updates_are_both_kept() -> None:
    scene = Scene()

    def other_write() -> None:
        scene.entities.before_commit = lambda: None
        scene.write(change("Office", "1", name="theirs"))

    scene.entities.before_commit = other_write
    scene.write(change("Office", "1", manager=point("e1")))

    state = scene.entities.objects[OFFICE].state
    assert (state["name"], state["manager"]) == ("theirs", "e1")


def test_a_refusal_has_the_path_of_the_role() -> None:
    (issue,) = Scene().refusal(change("Office", "1", manager=point("e9")))

    assert issue_summary(issue) == ("ENTITY_NOT_FOUND", "Office", "1", "manager", "data.manager")
