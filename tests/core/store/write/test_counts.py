"""Required roles without a key, and targets of required keys, are never left empty."""

from collections.abc import Callable, Sequence

import pytest

from stratabase.core.domain.objects.change import LinkCreation
from stratabase.core.domain.objects.commit_refusals import RequiredRoleEmpty, TargetNotFound
from stratabase.core.store.engine.port import Engine, Item, Key
from stratabase.core.store.layout import codec, keys
from tests.contract.engine.engines import SEQUENTIAL, engine_fixture, scope_of_shared_engine
from tests.core.store.graphs import Objects, associated
from tests.core.store.watched_engine import WatchedEngine

engine = engine_fixture(SEQUENTIAL, scope_of_shared_engine)


def open_(engine: Engine, kind: str) -> Objects:
    """Return a store with one kind of association, whose roles are `to` and possibly `of`."""
    return Objects(engine, associated(kind))


def counts(objects: Objects, class_name: str, id_: str) -> dict[str, int]:
    """Return the counts of an object by the names of the roles."""
    return {role.role_name: number for role, number in objects.get(class_name, id_).counts.items()}


def linked_both(objects: Objects, owner: str, *others: str) -> None:
    """Create an A with links to some new B."""
    objects.commit(
        objects.creation("A", owner),
        *(objects.creation("B", other) for other in others if objects.find("B", other) is None),
        *objects.linking("A", "to", owner, *others),
    )


def test_counting_changes_neither_state_nor_index_places() -> None:
    engine = WatchedEngine()
    objects = open_(engine, "required key and list")
    objects.create("B", "b")
    before, update = (
        engine.items[keys.head(objects.reference("B", "b"))],
        objects.update("B", "b", name="new"),
    )
    objects.create("A", "a", to="b")
    after = engine.items[keys.head(objects.reference("B", "b"))]
    assert (after.state, after.places) == (before.state, before.places)
    assert after.attributes[codec.COMMIT_IDS] == before.attributes[codec.COMMIT_IDS]
    objects.commit(update)
    assert objects.get("B", "b").counts == {objects.role("A", "to"): 1}


def test_an_object_is_written_and_counted_in_one_action(engine: Engine) -> None:
    """One action on its head does both."""
    objects = open_(engine, "both required")
    objects.commit(objects.creation("A", "x", to="b"), objects.creation("B", "b"))
    objects.commit(objects.update("B", "b", name="new"), objects.creation("A", "y", to="b"))
    assert objects.get("B", "b").state["name"] == "new"
    assert counts(objects, "B", "b") == {"to": 2, "of": 2}


def test_a_concurrent_change_of_the_target_does_not_refuse_a_link(engine: Engine) -> None:
    """Counting expects nothing of the object itself."""
    objects = open_(engine, "both required")
    objects.commit(objects.creation("A", "x", to="b"), objects.creation("B", "b"))
    stale = objects.creation("A", "y", to="b")
    objects.commit(objects.update("B", "b", name="new"))
    objects.commit(stale)
    assert counts(objects, "B", "b") == {"to": 2, "of": 2}


def test_a_refusal_reports_every_violation(engine: Engine) -> None:
    objects = open_(engine, "both required")
    objects.commit(
        *(objects.creation("B", id_) for id_ in "bc"),
        *(objects.creation("A", id_, to=to) for id_, to in ("xb", "yc", "zc")),
    )
    result = objects.refused(
        objects.update("A", "x", to="nowhere"), objects.deletion("B", "c"), objects.update("A", "y", to="b")
    )
    assert result == {
        TargetNotFound(objects.reference("B", "nowhere")),
        RequiredRoleEmpty(objects.reference("B", "c"), objects.role("A", "to")),
    }


def test_an_uncounted_list_is_counted_when_first_needed(engine: Engine) -> None:
    """The existing links are counted, because a later model may require the role."""
    old = open_(engine, "key and list")
    old.create("B", "b", "c")
    old.create("A", "x", "y", to="b")
    old.create("A", "z", to="c")
    new = old.under(associated("key and required list")).as_built()
    assert counts(new, "B", "b") == {}
    new.delete("A", "x")
    assert counts(new, "B", "b") == {"of": 1}
    for id_, last in (("b", "y"), ("c", "z")):
        assert new.refused(new.deletion("A", last)) == {
            RequiredRoleEmpty(new.reference("B", id_), new.role("B", "of"))
        }
    new.create("A", "w", to="c")
    assert counts(new, "B", "c") == {"of": 2}


def test_an_uncounted_key_is_counted_when_first_needed(engine: Engine) -> None:
    for before, after in (
        ("key and list", "required key and list"),
        ("one to one", "one to one, key required"),
    ):
        old = open_(engine, before)
        old.create("B", "b", "c", "free")
        old.create("A", "x", to="b")
        old.create("A", "y", to="c")
        new = old.under(associated(after)).as_built()
        assert new.refused(new.deletion("B", "b")) == {
            RequiredRoleEmpty(new.reference("B", "b"), new.role("A", "to"))
        }
        new.delete("A", "y")
        assert counts(new, "B", "c") == {"to": 0}
        for id_ in ("c", "free"):
            new.delete("B", id_)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("key", "required key"),
        ("key", "required key and list"),
        ("key", "both required"),
        ("key", "one to one, key required"),
    ],
)
def test_an_uncounted_key_does_not_decrement_a_count(engine: Engine, before: str, after: str) -> None:
    """The key is older than the count. Counted keys still protect their target."""
    old = open_(engine, before)
    old.create("B", "b", "c")
    old.create("A", "x", "z", to="b")
    new = old.under(associated(after)).as_built()
    new.create("A", "y", to="b")
    new.commit(new.update("A", "x", to="c"))
    new.delete("A", "z")
    bereft = RequiredRoleEmpty(new.reference("B", "b"), new.role("A", "to"))
    assert new.refused(new.deletion("B", "b")) == {bereft}
    assert new.refused(new.deletion("B", "c")) == {
        RequiredRoleEmpty(new.reference("B", "c"), new.role("A", "to"))
    }
    new.commit(new.deletion("A", "y"), new.deletion("B", "b"))
    assert new.find("B", "b") is None


def test_uncounted_links_are_counted_when_first_needed(
    engine: Engine,
) -> None:
    for after in ("many to many, one required", "many to many, both required"):
        old = open_(engine, "many to many")
        old.create("B", "x", "y", "z")
        old.create("A", "a", "b")
        old.commit(*old.linking("A", "to", "a", "x", "y", "z"), *old.linking("A", "to", "b", "x", "y", "z"))
        new = old.under(associated(after)).as_built()
        new.commit(*new.unlinking("A", "to", "a", "x"))
        assert counts(new, "A", "a") == {"to": 2}
        new.delete("B", "y")
        assert (counts(new, "A", "a"), counts(new, "A", "b")) == ({"to": 1}, {"to": 2})
        bereft = {RequiredRoleEmpty(new.reference("A", "a"), new.role("A", "to"))}
        assert new.refused(new.deletion("B", "z")) == bereft
        new.delete("A", "a")


def test_an_empty_list_that_becomes_required_may_stay_empty(engine: Engine) -> None:
    """An empty list stays so, until somebody adds to it."""
    old = open_(engine, "many to many")
    old.create("A", "a")
    new = old.under(associated("many to many, one required")).as_built()
    new.create("B", "x", "y")
    new.commit(new.update("A", "a", name="new"))
    assert counts(new, "A", "a") == {}
    new.commit(*new.linking("A", "to", "a", "x"))
    assert counts(new, "A", "a") == {"to": 1}
    assert new.refused(new.deletion("B", "x"))


def test_only_one_writer_creates_a_count() -> None:
    """The other one continues with the number that the first has written."""
    engine = WatchedEngine()
    old = open_(engine, "key and list")
    old.create("B", "b")
    old.create("A", "x", to="b")
    new = old.under(associated("key and required list")).as_built()
    creation = new.creation("A", "y", to="b")
    rounds: list[Callable[[], None]] = [lambda: new.create("A", "z", to="b")]

    def meddle() -> None:
        engine.before_commit = rounds.pop() if rounds else None

    engine.before_commit = meddle
    new.commit(creation)
    assert not rounds
    assert counts(new, "B", "b") == {"of": 3}


def test_linking_a_concurrently_deleted_object_is_refused_as_missing() -> None:
    engine = WatchedEngine()
    objects = open_(engine, "many to many, one required")
    linked_both(objects, "a", "x")
    objects.create("B", "y")
    link = LinkCreation(objects.role("A", "to"), "a", "y")
    objects.delete("B", "y")
    assert objects.refused(link) == {TargetNotFound(objects.reference("B", "y"))}


class InterruptedReads(WatchedEngine):
    """An engine that calls a function once, before the next read."""

    def __init__(self) -> None:
        super().__init__()
        self.before_get: Callable[[], None] | None = None

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        meddle, self.before_get = self.before_get, None
        if meddle is not None:
            meddle()
        return super().get(keys, places=places)


def test_a_refusal_is_checked_again_and_withdrawn_if_outdated() -> None:
    engine = InterruptedReads()
    objects = open_(engine, "key and required list")
    objects.create("B", "b")
    objects.create("A", "x", to="b")
    deletion = objects.deletion("A", "x")
    engine.before_get = lambda: objects.create("A", "y", to="b")
    objects.commit(deletion)
    assert engine.before_get is None
    assert objects.linked("B", "of", "b") == "y"
