"""Deletions larger than one commit: the object is deleted first, its parts soon after."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.change import Change, Deletion, Effect, Modification
from stratabase.core.domain.objects.commit_refusals import RequiredRoleEmpty, SizeCause, TooLarge
from stratabase.core.jobs.runner import JobsFailed
from stratabase.core.model.model import Model, Unique
from stratabase.core.store.engine.port import Batch, DeleteItem, Engine, Key
from stratabase.core.store.layout import keys
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.store.write import cleanup
from stratabase.values.messages import verbatim
from tests.core.store.graphs import Objects, class_with, key, many, parts, whole
from tests.core.store.watched_engine import WatchedEngine
from tests.models import model
from tests.soak import count

MODEL = model(
    class_with("Order", parts("lines", "Line", "order_"), many("tags", "Tag", "orders")),
    class_with(
        "Line",
        whole("order_", "Order", "lines"),
        parts("notes", "Note", "line_"),
        key("product", "Product", "lines"),
        many("marks", "Tag", "marked"),
    ),
    class_with("Note", whole("line_", "Line", "notes")),
    class_with("Product", many("lines", "Line", "product")),
    class_with("Tag", many("orders", "Order", "tags"), many("marked", "Line", "marks")),
)
LARGE = count(130, 10_000)
"""Parts of a whole that cannot be deleted as one."""


@pytest.fixture
def watched() -> WatchedEngine:
    """An engine whose items are visible."""
    return WatchedEngine()


def ordered(objects: Objects, id_: str, lines: Sequence[str], **state: object) -> None:
    """Create an order with a number of lines."""
    objects.create("Product", f"{id_} product")
    objects.create("Order", id_, lines=[*lines])
    for first in range(0, len(lines), 40):
        chosen = lines[first : first + 40]
        objects.create("Line", *chosen, order_=id_, product=f"{id_} product", **state)


def whole_deletion(objects: Objects, id_: str) -> list[Deletion]:
    """Return the deletions of an order and all of its parts, as operations request them."""
    order = objects.get("Order", id_)
    lines = [objects.get("Line", line) for line in ids_in(order.state.get("lines"))]
    notes = [objects.get("Note", note) for line in lines for note in ids_in(line.state.get("notes"))]
    return [Deletion(each) for each in (order, *lines, *notes)]


def ids_in(value: object) -> list[str]:
    return value if isinstance(value, list) else []


def left_over(engine: WatchedEngine, *names: str) -> list[str]:
    """Return the keys of an engine's items, except for the heads of some classes."""
    return sorted(
        f"{key.partition} {key.sort}"
        for key in engine.items
        if not (key.sort == keys.HEAD and key.partition.startswith(names))
    )


def test_a_small_deletion_is_one_batch(watched: WatchedEngine) -> None:
    objects = Objects(watched, MODEL)
    ordered(objects, "o", ["a", "b", "c"])
    before = len(watched.commits)
    objects.commit(*whole_deletion(objects, "o"))
    assert len(watched.commits) == before + 1
    assert left_over(watched, "Product") == []


@pytest.mark.soak
def test_a_whole_of_any_size_is_deleted_with_all_its_parts(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "objects.db")
    objects = Objects(engine, MODEL)
    lines = [f"{number:05}" for number in range(LARGE)]
    ordered(objects, "o", lines)
    ordered(objects, "other", ["z"])
    objects.commit(*whole_deletion(objects, "o"))
    objects.entities.sweep()
    assert objects.find("Order", "o") is None
    references = [objects.reference("Line", line) for line in (*lines, "z")]
    assert [entity and entity.reference.id for entity in objects.entities.read(references)] == [
        *[None] * LARGE,
        "z",
    ]
    assert objects.linked("Product", "lines", "o product") == ""
    assert objects.linked("Product", "lines", "other product") == "z"
    assert [*engine.range(keys.LISTING, keys.PURGES)] == []
    engine.close()


def test_a_large_object_is_deleted_on_every_engine(engine: Engine) -> None:
    objects = Objects(engine, MODEL)
    lines = [f"{number:03}" for number in range(60)]
    ordered(objects, "o", lines)
    objects.commit(*whole_deletion(objects, "o"))
    assert objects.find("Order", "o") is None
    assert [objects.find("Line", line) for line in lines] == [None] * len(lines)
    assert objects.linked("Product", "lines", "o product") == ""
    objects.entities.sweep()


def tagged(objects: Objects, class_name: str, role: str, id_: str, number: int) -> list[str]:
    """Link an object to many tags."""
    tags = [f"tag{each:03}" for each in range(number)]
    for first in range(0, number, 20):
        chosen = tags[first : first + 20]
        objects.create("Tag", *(tag for tag in chosen if objects.find("Tag", tag) is None))
        objects.commit(*objects.linking(class_name, role, id_, *chosen))
    return tags


class StoppingEngine(WatchedEngine):
    """An engine that accepts a number of commits, and then none."""

    def __init__(self) -> None:
        super().__init__()
        self.left: int | None = None

    def commit(self, batch: Batch) -> None:
        if self.left == 0:
            raise Unavailable(verbatim("dead"))
        if self.left is not None:
            self.left -= 1
        super().commit(batch)


def test_a_purge_stopped_at_any_step_resumes() -> None:
    """The deletion itself is done all the same, and nothing of it is ever half there."""
    for survived in range(1, 12):
        engine = StoppingEngine()
        objects = Objects(engine, MODEL)
        lines = [f"{number:03}" for number in range(110)]
        ordered(objects, "o", lines)
        tagged(objects, "Line", "marks", "000", 60)
        deletion = whole_deletion(objects, "o")
        engine.left = survived
        objects.commit(*deletion)
        engine.left = None
        assert objects.find("Order", "o") is None
        objects.under(MODEL).entities.sweep()
        assert left_over(engine, "Tag", "Product") == [], survived
        assert [objects.find("Line", line) for line in lines] == [None] * 110


def test_a_purge_may_run_concurrently(watched: WatchedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)
    objects = Objects(watched, MODEL)
    ordered(objects, "o", [f"{number:03}" for number in range(110)])
    tagged(objects, "Order", "tags", "o", 30)
    objects.commit(*whole_deletion(objects, "o"))
    sweepers = [objects.under(MODEL).entities for _ in range(3)]
    turns = [each.sweep_steps() for each in sweepers]
    while turns:
        turns = [each for each in turns if next(each, "done") != "done"]
    assert left_over(watched, "Tag", "Product") == []


def test_a_purge_deletes_concurrently_added_links(
    watched: WatchedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part is there until it is purged."""
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)
    objects = Objects(watched, MODEL)
    ordered(objects, "o", [f"{number:03}" for number in range(110)])
    objects.create("Tag", "t")
    objects.commit(*whole_deletion(objects, "o"))
    for index, _ in enumerate(objects.entities.sweep_steps()):
        line = f"{109 - index:03}"
        if objects.find("Line", line):
            watched.before_commit = lambda line=line: objects.commit(
                *objects.linking("Line", "marks", line, "t")
            )
    assert left_over(watched, "Tag", "Product") == []


def needing(role_required: bool) -> Model:
    """Return a model in which a product requires lines, and a claim may require a line."""
    return model(
        class_with("Order", parts("lines", "Line", "order_")),
        class_with("Line", whole("order_", "Order", "lines"), key("product", "Product", "lines")),
        class_with("Product", many("lines", "Line", "product", required=True)),
        class_with("Claim", key("line", "Line", required=role_required)),
    )


@pytest.mark.parametrize("number", [20, 110])
def test_a_part_required_by_another_object_prevents_deletion_of_its_whole(
    watched: WatchedEngine, number: int
) -> None:
    """This does not depend on the size of the whole."""
    objects = Objects(watched, needing(role_required=True))
    lines = [f"{each:03}" for each in range(number)]
    objects.create("Product", "p")
    objects.create("Order", "o", lines=lines)
    for first in range(0, number, 40):
        objects.create("Line", *lines[first : first + 40], order_="o")
    objects.create("Line", "kept", product="p")
    objects.commit(objects.update("Line", "007", product="p"))
    objects.create("Claim", "c", line="003")
    deletion = [Deletion(objects.get("Order", "o")), *(Deletion(objects.get("Line", line)) for line in lines)]
    assert objects.refused(*deletion) == {
        RequiredRoleEmpty(objects.reference("Line", "003"), objects.role("Claim", "line"))
    }
    objects.commit(*deletion, objects.deletion("Claim", "c"))
    objects.entities.sweep()
    assert [objects.find("Line", line) for line in lines] == [None] * number
    assert objects.linked("Product", "lines", "p") == "kept"


def test_a_part_that_is_the_last_of_a_required_role_prevents_deletion_of_its_whole(
    watched: WatchedEngine,
) -> None:
    objects = Objects(watched, needing(role_required=False))
    lines = [f"{each:03}" for each in range(110)]
    objects.create("Product", "p")
    objects.create("Order", "o", lines=lines)
    for first in range(0, 110, 40):
        objects.create("Line", *lines[first : first + 40], order_="o", product="p")
    deletion = [Deletion(objects.get("Order", "o")), *(Deletion(objects.get("Line", line)) for line in lines)]
    assert objects.refused(*deletion) == {
        RequiredRoleEmpty(objects.reference("Product", "p"), objects.role("Product", "lines"))
    }
    objects.commit(*deletion, objects.deletion("Product", "p"))
    objects.entities.sweep()
    assert len(watched.items) == 0


def test_a_part_that_becomes_required_while_awaiting_purge_is_deleted(
    watched: WatchedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its whole is deleted, so the new key leads to nothing."""
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)
    objects = Objects(watched, needing(role_required=True))
    lines = [f"{each:03}" for each in range(110)]
    objects.create("Order", "o", lines=lines)
    for first in range(0, 110, 40):
        objects.create("Line", *lines[first : first + 40], order_="o")
    objects.commit(
        Deletion(objects.get("Order", "o")), *(Deletion(objects.get("Line", line)) for line in lines)
    )
    objects.create("Claim", "late", line="050")
    objects.entities.sweep()
    assert len(left_over(watched, "Claim")) == 1  # the link of the key
    objects.commit(objects.update("Claim", "late", name="new"))
    objects.delete("Claim", "late")
    assert len(watched.items) == 0


def test_too_many_links_that_must_end_in_the_same_batch_are_refused(watched: WatchedEngine) -> None:
    """One batch can check only a limited number of required roles."""
    result = model(
        class_with("Note", many("tags", "Tag", "notes", required=True)),
        class_with("Tag", many("notes", "Note", "tags")),
    )
    objects = Objects(watched, result)
    objects.create("Tag", "t", "u")
    notes = [f"{number:03}" for number in range(60)]
    for first in range(0, 60, 20):
        chosen = notes[first : first + 20]
        links = [link for note in chosen for link in objects.linking("Note", "tags", note, "t", "u")]
        objects.commit(*(objects.creation("Note", note) for note in chosen), *links[:20])
        objects.commit(*links[20:])
    with pytest.raises(
        TooLarge, match=r"^The write has at least 181 objects, links, and unique values"
    ) as refusal:
        objects.delete("Tag", "t")
    assert refusal.value.cause == SizeCause(objects.role("Tag", "notes"), 33)
    assert objects.find("Tag", "t") is not None
    for first in range(0, 60, 33):
        objects.commit(*objects.unlinking("Tag", "notes", "t", *notes[first : first + 33]))
    objects.delete("Tag", "t")


def test_a_required_reference_is_reported_before_the_size(watched: WatchedEngine) -> None:
    """Deleting the links in several steps would not help."""
    result = model(
        class_with("Note", many("tags", "Tag", "notes", required=True)),
        class_with("Tag", many("notes", "Note", "tags")),
    )
    objects = Objects(watched, result)
    objects.create("Tag", "t")
    notes = [f"{number:03}" for number in range(40)]
    for first in range(0, 40, 20):
        chosen = notes[first : first + 20]
        links = [link for note in chosen for link in objects.linking("Note", "tags", note, "t")]
        objects.commit(*(objects.creation("Note", note) for note in chosen), *links)
    assert objects.refused(objects.deletion("Tag", "t")) == {
        RequiredRoleEmpty(objects.reference("Note", note), objects.role("Note", "tags")) for note in notes
    }


def test_a_too_large_change_that_is_no_deletion_is_refused(watched: WatchedEngine) -> None:
    objects = Objects(watched, MODEL)
    ordered(objects, "o", [f"{number:03}" for number in range(110)])
    lines = [objects.get("Line", f"{number:03}") for number in range(110)]
    effects: list[Effect] = [Modification(line, line) for line in lines]
    with pytest.raises(TooLarge):
        objects.commit(*effects)
    with pytest.raises(TooLarge):
        objects.commit(*map(Deletion, lines))


def test_unique_values_of_parts_are_free_after_the_purge(watched: WatchedEngine) -> None:
    result = model(
        class_with("Order", parts("lines", "Line", "order_")),
        class_with("Line", whole("order_", "Order", "lines"), uniques=(Unique(("name",)),)),
    )
    objects = Objects(watched, result)
    lines = [f"{number:03}" for number in range(60)]
    objects.create("Order", "o", lines=lines)
    for first in range(0, 60, 20):
        objects.commit(*(objects.creation("Line", each, name=each) for each in lines[first : first + 20]))
    objects.commit(
        Deletion(objects.get("Order", "o")), *(Deletion(objects.get("Line", line)) for line in lines)
    )
    assert len(watched.items) == 0


class LinkingEngine(WatchedEngine):
    """An engine in which another process links a part just before each purge."""

    def __init__(self) -> None:
        super().__init__()
        self.link: Callable[[str], None] | None = None
        self.times = 0

    def commit(self, batch: Batch) -> None:
        meant = [action.key for action in batch.actions if isinstance(action, DeleteItem)]
        ended = [keys.id_of(key) for key in meant if key.sort == keys.HEAD]
        if self.link is not None and self.times and batch.id.startswith("purge") and ended:
            self.times -= 1
            self.link(ended[0])
        super().commit(batch)


@pytest.mark.parametrize(("times", "done"), [(3, True), (1000, False)])
def test_a_part_with_repeated_new_links_is_left_to_the_next_purge(
    monkeypatch: pytest.MonkeyPatch, times: int, *, done: bool
) -> None:
    """The purge stops after several attempts."""
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)
    engine, tags = LinkingEngine(), iter(range(2000))
    objects = Objects(engine, MODEL)
    ordered(objects, "o", [f"{number:03}" for number in range(110)])
    objects.commit(*whole_deletion(objects, "o"))

    def link(line: str) -> None:
        tag = f"tag{next(tags)}"
        objects.commit(objects.creation("Tag", tag), *objects.linking("Line", "marks", line, tag))

    engine.link, engine.times = link, times
    objects.entities.sweep()
    assert (left_over(engine, "Tag", "Product", "Line") == []) == done
    engine.times = 0
    objects.entities.sweep()
    assert left_over(engine, "Tag", "Product") == []


def test_a_part_with_more_links_than_one_batch_is_purged(
    watched: WatchedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The links must be deleted with the part, because their targets count them."""
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)
    result = model(
        class_with("Order", parts("lines", "Line", "order_")),
        class_with("Line", whole("order_", "Order", "lines"), many("marks", "Tag", "lines")),
        class_with("Tag", many("lines", "Line", "marks", required=True)),
    )
    objects = Objects(watched, result)
    lines = [f"{number:03}" for number in range(110)]
    objects.create("Order", "o", lines=lines)
    for first in range(0, 110, 40):
        objects.create("Line", *lines[first : first + 40], order_="o")
    objects.commit(
        Deletion(objects.get("Order", "o")), *(Deletion(objects.get("Line", line)) for line in lines)
    )
    tagged(objects, "Line", "marks", "055", 60)
    objects.entities.sweep()
    assert left_over(watched, "Tag") == []
    assert objects.get("Tag", "tag000").counts == {objects.role("Tag", "lines"): 0}


def test_purged_parts_are_not_purged_again(watched: WatchedEngine) -> None:
    objects = Objects(watched, MODEL)
    ordered(objects, "o", ["a"])
    assert [*objects.entities.sweep_steps()] == []
    ledger = keys.purge(objects.reference("Order", "o"))
    assert [*objects.entities._purger.steps([ledger])] == []
    assert objects.get("Order", "o").state["lines"] == ["a"]


def test_remains_of_a_class_unknown_to_the_model_wait_without_blocking_others(
    watched: WatchedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are purged when the model has the class again."""
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)
    objects = Objects(watched, MODEL)
    for order in "op":
        ordered(objects, order, [f"{order}{number:03}" for number in range(110)])
    objects.create("Tag", "t")
    objects.commit(*whole_deletion(objects, "o"))
    small = objects.under(model(class_with("Product"), class_with("Tag")))
    left = len(watched.items)
    small.entities.sweep()
    assert len(watched.items) == left
    objects.entities.sweep()
    assert objects.find("Line", "o000") is None
    assert objects.find("Line", "p000") is not None


def test_the_oldest_purge_is_that_of_the_earliest_deletion(
    watched: WatchedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = Objects(watched, MODEL)
    assert objects.entities.oldest_purge() is None
    with monkeypatch.context() as interrupted:
        interrupted.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)
        for instant, order in ((2000, "o"), (1000, "p")):
            ordered(objects, order, [f"{order}{number:03}" for number in range(110)])
            objects.entities.commit(Change(order, instant, tuple(whole_deletion(objects, order))))
    assert objects.entities.oldest_purge() == 1000
    objects.entities.sweep()
    assert objects.entities.oldest_purge() is None


def test_the_rest_of_a_purge_is_announced(watched: WatchedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)
    objects, announced = Objects(watched, MODEL), list[str]()
    (cleanup_jobs,) = (kind for kind in objects.entities.jobs() if kind.on_added is not None)
    assert cleanup_jobs.on_added is not None
    cleanup_jobs.on_added(lambda: announced.append("left"))
    ordered(objects, "o", [f"{number:03}" for number in range(110)])
    objects.commit(*whole_deletion(objects, "o"))
    assert left_over(watched, "Product") != []
    assert announced == ["left"]
    assert len([*objects.entities.sweep_steps()]) > 1
    assert left_over(watched, "Product") == []


def test_a_purge_that_fails_each_time_does_not_stop_the_others(
    watched: WatchedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = Objects(watched, MODEL)
    lines = [f"{id_}{number}" for id_ in "abc" for number in range(101)]
    with monkeypatch.context() as interrupted:
        interrupted.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)
        for id_ in "abc":
            ordered(objects, id_, [line for line in lines if line.startswith(id_)])
            objects.commit(*whole_deletion(objects, id_))
    purge = cleanup.Purger._purge

    def fail(purger: cleanup.Purger, key: Key, waiting: list[Key]) -> cleanup.CleanupSteps:
        if keys.ledger_of(key).id == "b":
            raise ValueError("b")
        return purge(purger, key, waiting)

    monkeypatch.setattr(cleanup.Purger, "_purge", fail)
    with pytest.raises(JobsFailed, match="cleanup: 1"):
        objects.entities.sweep()

    left = {line[0] for line in lines if objects.find("Line", line) is not None}
    assert left == {"b"}
