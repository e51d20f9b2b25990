"""Associations from the side without a key: links, their order and their targets."""

from collections.abc import Iterator, Sequence

import pytest

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.query.page import IdRange
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import ClassKind
from stratabase.core.store.engine.port import Engine, Item, Key
from stratabase.core.store.layout import keys
from stratabase.core.store.repository import Repository
from stratabase.evolution.backfill.reindex import Reindex
from tests.contract.engine.engines import SEQUENTIAL, engine_fixture, scope_of_shared_engine
from tests.core.store.graphs import KINDS, Objects, associated, class_with, key, many, parts, whole
from tests.core.store.watched_engine import WatchedEngine
from tests.fakes import unlimited_budget
from tests.models import model

engine = engine_fixture(SEQUENTIAL, scope_of_shared_engine)

TEAMS = model(
    class_with("Employee", key("team", "Team", "members"), key("mentor", "Employee")),
    class_with("Team", many("members", "Employee", "team")),
)
TAGS = model(
    class_with("Note", many("tags", "Tag", "notes"), many("likes", "Tag")),
    class_with("Tag", many("notes", "Note", "tags")),
)


@pytest.fixture
def teams(engine: Engine) -> Objects:
    """Employees whose keys lead to teams."""
    return Objects(engine, TEAMS)


@pytest.fixture
def tags(engine: Engine) -> Objects:
    """Notes and tags, many to many."""
    return Objects(engine, TAGS)


def links(engine: WatchedEngine) -> set[Key]:
    """Return the keys of all links."""
    return {key for key in engine.items if key.sort.startswith("L#")}


def test_links_are_read_in_order_from_a_start_up_to_a_limit(teams: Objects) -> None:
    ids = [f"{number:03}" for number in range(0, 400, 2)]
    teams.create("Team", "t")
    for first in range(0, len(ids), 40):
        teams.create("Employee", *ids[first : first + 40], team="t")
    role = teams.role("Team", "members")

    def read(start: str | None, limit: int | None, *, backward: bool) -> Sequence[str]:
        return teams.entities.linked(role, ["t"], IdRange(start, limit, backward))[0]

    for start in (None, "", "000", "001", "199", "200", "398", "399", "~"):
        after = [id_ for id_ in ids if start is None or id_ > start]
        before = [id_ for id_ in reversed(ids) if start is None or id_ < start]
        for limit in (None, 0, 1, 7, 500):
            assert read(start, limit, backward=False) == tuple(after[:limit])
            assert read(start, limit, backward=True) == tuple(before[:limit])


def test_links_of_roles_with_a_common_name_prefix_are_distinguished(engine: Engine) -> None:
    note = class_with("Note", many("tag", "Note"), many("tags", "Note"), many("Tag", "Note"))
    notes = Objects(engine, model(note))
    notes.create("Note", "a", "b", "c", "d")
    for role, other in (("tag", "b"), ("tags", "c"), ("Tag", "d")):
        notes.commit(*notes.linking("Note", role, "a", other))
    assert [notes.linked("Note", role, "a") for role in ("tag", "tags", "Tag")] == ["b", "c", "d"]


def test_adding_a_link_changes_no_object(tags: Objects) -> None:
    """A caller that has read an object can still write it."""
    tags.create("Tag", "x")
    tags.create("Note", "a")
    update, deletion = tags.update("Note", "a", name="new"), tags.update("Tag", "x", name="new")
    tags.commit(*tags.linking("Note", "tags", "a", "x"))
    tags.commit(update, deletion)
    assert tags.linked("Note", "tags", "a") == "x"


def test_are_linked_returns_whether_links_exist(tags: Objects) -> None:
    tags.create("Tag", "x", "y")
    tags.create("Note", "a")
    tags.commit(*tags.linking("Note", "tags", "a", "x"))
    joined = tags.entities.are_linked
    assert joined(tags.role("Note", "tags"), [("a", "x"), ("a", "y"), ("b", "x")]) == [True, False, False]
    assert joined(tags.role("Tag", "notes"), [("x", "a"), ("a", "x")]) == [True, False]
    assert joined(tags.role("Note", "tags"), []) == []


def test_a_link_added_during_deletion_of_its_object_is_not_left_over() -> None:
    """The deletion is decided anew: it must not forget a link that it did not see."""
    engine = WatchedEngine()
    tags = Objects(engine, TAGS)
    tags.create("Tag", "x")
    tags.create("Note", "a")
    deletion = tags.deletion("Tag", "x")
    engine.before_commit = lambda: tags.commit(*tags.linking("Note", "tags", "a", "x"))
    with pytest.raises(Conflict):
        tags.commit(deletion)
    tags.delete("Tag", "x")
    assert links(engine) == set()


def test_roles_stored_in_the_state_need_no_links(teams: Objects, engine: Engine) -> None:
    wholes = Objects(
        engine, model(class_with("W", parts("ps", "P", "w_")), class_with("P", whole("w_", "W", "ps")))
    )
    for objects, role in (
        (teams, teams.role("Employee", "team")),
        (wholes, wholes.role("W", "ps")),
        (wholes, wholes.role("P", "w_")),
    ):
        with pytest.raises(ValueError, match=f"What {role} leads to stands in the object itself"):
            objects.entities.linked(role, ["x"])


def test_reading_links_counts_towards_the_read_budget(teams: Objects) -> None:
    teams.create("Team", "t")
    teams.create("Employee", *"abcdefgh", team="t")
    budget = unlimited_budget()
    assert teams.linked("Team", "members", "t", budget=budget) == "a b c d e f g h"
    assert budget.bytes_read > 8 * 100
    spent = ReadBudget(budget.bytes_read - 1, 1, clock=lambda: 0.0)
    with pytest.raises(ReadBudgetExceeded):
        teams.linked("Team", "members", "t", budget=spent)
    with pytest.raises(ReadBudgetExceeded, match="reached its read limit"):
        teams.linked("Team", "members", "none", budget=spent)


class Counting(WatchedEngine):
    """An engine that counts ranges."""

    def __init__(self) -> None:
        super().__init__()
        self.ranges = 0

    def range(self, *arguments: object, **more: object) -> Iterator[Sequence[Item]]:
        self.ranges += 1
        return super().range(*arguments, **more)


def test_link_ranges_are_read_by_the_given_parallel_runner() -> None:
    """Side by side, for instance; a single one too."""
    engine, asked = Counting(), list[int]()
    teams = Objects(engine, TEAMS)
    teams.create("Team", "t", "u")
    teams.create("Employee", "a", team="t")

    def together(work: object, each: Sequence[object]) -> list[object]:
        asked.append(len(each))
        return [work(one) for one in each]  # type: ignore[operator]

    entities = Repository(engine, teams.model, together)  # type: ignore[arg-type]
    engine.ranges = 0
    assert entities.linked(teams.role("Team", "members"), ["t", "u", "v"]) == [("a",), (), ()]
    assert (asked, engine.ranges) == ([3], 3)


def test_an_object_of_a_page_has_its_keys_and_parts(engine: Engine) -> None:
    """Keys and parts lie in its state."""
    note = class_with(
        "Note", key("to", "Note"), parts("lines", "Line", "note_"), parts("end", "Line", "of_", to_many=False)
    )
    notes = Objects(
        engine, model(note, class_with("Line", whole("note_", "Note", "lines"), whole("of_", "Note", "end")))
    )
    notes.commit(
        notes.creation("Note", "a", to="a", lines=["y", "x"], end="z"),
        *(notes.creation("Line", id_, note_="a") for id_ in "xy"),
        notes.creation("Line", "z", of_="a"),
    )
    state = {"_id": "a", "to": "a", "lines": ["y", "x"], "end": "z"}
    assert notes.get("Note", "a").state == state
    (found,) = notes.page("Note")
    assert found.state == state


def test_roles_unknown_to_the_model_are_kept(engine: Engine) -> None:
    full = model(
        class_with("A", key("to", "B"), parts("ps", "P", "a_")),
        class_with("B"),
        class_with("P", whole("a_", "A", "ps")),
    )
    objects = Objects(engine, full)
    objects.commit(
        objects.creation("B", "b"),
        objects.creation("A", "a", to="b", ps=["p"]),
        objects.creation("P", "p", a_="a"),
    )
    bare = objects.under(model(class_with("A"), class_with("B")))
    before = bare.get("A", "a")
    bare.commit(bare.update("A", "a", to=None, ps=None, name="new"))
    assert bare.get("A", "a").state == {**before.state, "name": "new"}
    objects.commit(objects.update("A", "a", to=None, ps=None))
    assert objects.get("A", "a").state == {"_id": "a", "name": "new"}


def test_a_list_of_one_part_becomes_a_key(engine: Engine) -> None:
    old = model(class_with("A", parts("role", "B", "a_")), class_with("B", whole("a_", "A", "role")))
    objects = Objects(engine, old)
    objects.commit(objects.creation("A", "a", role=["b"]), objects.creation("B", "b", a_="a"))
    new = objects.under(
        model(class_with("A", key("role", "B", "of")), class_with("B", many("of", "A", "role")))
    )
    reindex = Reindex(engine, new.model, sleep=lambda _: None)
    assert not any(reindex.run(name).interrupted for name in new.model.classes)
    new.entities._store.registry.invalidate()
    assert new.get("A", "a").state["role"] == "b"
    assert new.linked("B", "of", "b") == "a"


def test_a_form_has_no_links() -> None:
    """Its objects are never stored, whatever roles it has."""
    form = class_with(
        "Form", key("to", "B", required=True), many("list", "B", required=True), kind=ClassKind.FORM
    )
    engine = WatchedEngine()
    objects = Objects(engine, model(form, class_with("B")))
    objects.create("B", "b")
    objects.delete("B", "b")
    assert len(engine.items) == 0


def test_items_of_an_association_have_the_documented_keys() -> None:
    engine = WatchedEngine()
    teams, tags = Objects(engine, TEAMS), Objects(engine, TAGS)
    teams.create("Team", "t")
    teams.create("Employee", "e", team="t")
    team, note = teams.reference("Team", "t"), tags.reference("Note", "n")
    tags.commit(
        tags.creation("Note", "n"), tags.creation("Tag", "g"), *tags.linking("Note", "tags", "n", "g")
    )
    assert links(engine) == {
        Key(f"{team.class_name}#t", "L#members#e"),
        Key(f"{note.class_name}#n", "L#tags#g"),
        Key(f"{tags.reference('Tag', 'g').class_name}#g", "L#notes#n"),
    }
    assert {key for key in engine.items if key.sort == keys.HEAD} == {
        keys.head(reference)
        for reference in (team, note, teams.reference("Employee", "e"), tags.reference("Tag", "g"))
    }


def test_a_change_without_roles_is_one_write_of_one_item() -> None:
    """It costs half of what a transaction of several items costs."""
    engine = WatchedEngine()
    for kind in KINDS:
        objects = Objects(engine, associated(kind))
        objects.create("B", "b")
        objects.create("A", "a", name="old")
        objects.commit(objects.update("A", "a", name="new"))
        objects.commit(objects.update("B", "b", name="new"))
        objects.delete("A", "a")
        objects.delete("B", "b")
    assert len(engine.commits) == 6 * len(KINDS)
    assert all(len(batch.actions) == 1 for batch in engine.commits)
