"""Serials are given to what is made, in the order of the request, and to nothing that is refused."""

from stratabase.domain.objects.serials import SerialName
from tests.graphs.commands import change, create, make
from tests.graphs.scene import Scene

INVOICE, LINE = SerialName("Invoice", "number"), SerialName("Line", "number")


def test_new_objects_are_numbered_in_order() -> None:
    scene = Scene()
    lines = create(make("Line", text="a"), make("Line", text="b"))

    changes = scene.changes(make("Invoice", lines=lines))

    assert changes["Invoice.id1.number"] == 1
    assert [changes[f"Line.{id_}.number"] for id_ in changes["Invoice.id1.lines"]] == [1, 2]
    assert (
        scene.changes(change("Invoice", "id1", lines=create(make("Line", text="c"))))["Line.id5.number"] == 3
    )


def test_refused_and_existing_objects_take_no_number() -> None:
    scene = Scene()

    scene.refusal(make("Invoice", lines=create(make("Line"))))
    scene.refusal(make("Invoice"))
    scene.write(change("Invoice", "i1", lines=create()))

    assert scene.entities.serials == {}


def test_a_number_is_kept_through_all_rounds() -> None:
    scene = Scene()

    def other_write() -> None:
        scene.entities.before_commit = lambda: None
        scene.write(change("Invoice", "i1", lines=create(make("Line", text="by another"))))

    scene.entities.before_commit = other_write
    scene.write(change("Invoice", "i1", lines=create(make("Line", text="mine"))))

    assert scene.entities.serials == {LINE: 2}
    lines = [each for each in scene.entities.objects.values() if each.reference.class_name == "Line"]
    # The first was there before anything was numbered.
    assert sorted(str(line.state["number"]) for line in lines) == ["1", "1", "2"]
