"""One-to-one associations: one key per target, found in reverse by its guard."""

import pytest

from stratabase.core.domain.objects.commit_refusals import AlreadyAssociated, RequiredRoleEmpty, RoleViolation
from stratabase.core.domain.query.id_range import IdRange
from stratabase.core.store.engine.port import Engine, Item, Put
from stratabase.core.store.layout import keys
from tests.contract.engine.engine_calls import commit
from tests.contract.engine.engines import SEQUENTIAL, engine_fixture, scope_of_shared_engine
from tests.core.store.graphs import Objects, associated
from tests.core.store.watched_engine import WatchedEngine

engine = engine_fixture(SEQUENTIAL, scope_of_shared_engine)

ONE_TO_ONE = pytest.mark.parametrize(
    "kind", ["one to one", "one to one, key required", "one to one, other required"]
)


@pytest.fixture
def couples(engine: Engine) -> Objects:
    """A leads to B, and B back to A."""
    return Objects(engine, associated("one to one"))


def coupled(objects: Objects, target: str) -> RoleViolation:
    """Return the violation of a one-to-one association whose target is taken."""
    return AlreadyAssociated(objects.role("A", "to"), target)


@ONE_TO_ONE
def test_two_objects_cannot_reference_one_target(engine: Engine, kind: str) -> None:
    objects = Objects(engine, associated(kind))
    objects.create("B", "b", "c")
    objects.create("A", "x", to="b")
    objects.create("A", "y", to="c")
    assert objects.refused(objects.creation("A", "z", to="b")) == {coupled(objects, "b")}
    assert coupled(objects, "b") in objects.refused(objects.update("A", "y", to="b"))
    objects.create("B", "d")
    both = objects.creation("A", "v", to="d"), objects.creation("A", "w", to="d")
    assert objects.refused(*both) == {coupled(objects, "d")}
    assert [objects.linked("B", "of", id_) for id_ in "bcd"] == ["x", "y", ""]


def test_a_one_to_one_role_is_read_from_the_side_without_the_key(couples: Objects) -> None:
    couples.create("B", "b", "c", "d")
    couples.create("A", "x", to="b")
    couples.create("A", "y", to="c")
    role = couples.role("B", "of")
    assert couples.entities.linked(role, ["c", "d", "b", "none"]) == [("y",), (), ("x",), ()]
    assert couples.entities.linked(role, ["b"], IdRange(start="w")) == [("x",)]
    assert couples.entities.linked(role, ["b"], IdRange(start="x")) == [()]
    assert couples.entities.linked(role, ["b"], IdRange(start="y", backward=True)) == [("x",)]
    assert couples.entities.linked(role, ["b"], IdRange(limit=0)) == [()]


def test_a_target_is_free_again_after_its_key_is_changed_cleared_or_deleted(couples: Objects) -> None:
    couples.create("B", "b", "c")
    couples.create("A", "x", to="b")
    couples.commit(couples.update("A", "x", to="c"))
    couples.create("A", "y", to="b")
    couples.commit(couples.update("A", "y", to=None))
    couples.create("A", "z", to="b")
    couples.delete("A", "z")
    couples.create("A", "w", to="b")
    assert [couples.linked("B", "of", id_) for id_ in "bc"] == ["w", "x"]


def test_two_objects_can_swap_their_targets(couples: Objects) -> None:
    couples.create("B", "b", "c")
    couples.create("A", "x", to="b")
    couples.create("A", "y", to="c")
    couples.commit(couples.update("A", "x", to="c"), couples.update("A", "y", to="b"))
    assert [couples.linked("B", "of", id_) for id_ in "bc"] == ["y", "x"]
    couples.commit(couples.deletion("A", "y"), couples.creation("A", "z", to="b"))
    assert couples.linked("B", "of", "b") == "z"


def test_a_target_stays_reserved_after_other_changes_of_its_holder(couples: Objects) -> None:
    couples.create("B", "b")
    couples.create("A", "x", to="b")
    couples.commit(couples.update("A", "x", name="new"))
    couples.commit(couples.update("B", "b", name="new"))
    assert couples.refused(couples.creation("A", "y", to="b")) == {coupled(couples, "b")}


def test_a_required_side_without_the_key_cannot_be_left_empty(engine: Engine) -> None:
    objects = Objects(engine, associated("one to one, other required"))
    objects.create("B", "b", "c")
    objects.create("A", "x", to="b")
    objects.create("A", "y")
    bereft = {RequiredRoleEmpty(objects.reference("B", "b"), objects.role("B", "of"))}
    assert objects.refused(objects.deletion("A", "x")) == bereft
    assert objects.refused(objects.update("A", "x", to=None)) == bereft
    assert objects.refused(objects.update("A", "x", to="c")) == bereft
    assert objects.refused(objects.update("A", "x", to="c"), objects.update("B", "b", name="new")) == bereft
    objects.commit(objects.update("A", "x", to="c"), objects.update("A", "y", to="b"))
    objects.commit(objects.deletion("A", "x"), objects.deletion("B", "c"))
    objects.delete("B", "b")
    objects.commit(objects.update("A", "y", to=None))


def test_objects_required_by_each_other_must_be_deleted_together(engine: Engine) -> None:
    objects = Objects(engine, associated("one to one, both required"))
    objects.commit(objects.creation("A", "x", to="b"), objects.creation("B", "b"))
    assert objects.refused(objects.deletion("B", "b")) == {
        RequiredRoleEmpty(objects.reference("B", "b"), objects.role("A", "to"))
    }
    assert objects.refused(objects.deletion("A", "x")) == {
        RequiredRoleEmpty(objects.reference("B", "b"), objects.role("B", "of"))
    }
    objects.commit(objects.deletion("A", "x"), objects.deletion("B", "b"))


def test_a_stale_guard_is_replaced() -> None:
    """The guard was left over while the model did not have the role."""
    engine = WatchedEngine()
    objects = Objects(engine, associated("one to one"))
    objects.create("B", "b", "c")
    objects.create("A", "x", to="b")
    objects.create("A", "y", to="c")
    without = objects.under(associated("key"))
    without.commit(without.update("A", "x", to="c"), without.deletion("A", "y"))
    objects.create("A", "z", to="b")
    assert objects.linked("B", "of", "b") == "z"
    objects.commit(objects.update("A", "x", to=None))
    objects.create("A", "w", to="c")
    assert objects.linked("B", "of", "c") == "w"


def test_deleting_one_of_two_holders_of_a_partner_keeps_the_other() -> None:
    """Two lead to one, since when the model allowed that."""
    engine = WatchedEngine()
    old = Objects(engine, associated("key and list"))
    old.create("B", "b")
    old.create("A", "x", "y", to="b")
    guard = keys.one_to_one_guard(old.role("A", "to"), "b")
    commit(engine, Put(Item(guard, {"holder": "y"})))
    new = old.under(associated("one to one, other required")).as_built()
    new.delete("A", "x")
    assert new.linked("B", "of", "b") == "y"
    assert new.refused(new.deletion("A", "y"))


def test_a_guard_names_its_holder() -> None:
    engine = WatchedEngine()
    objects = Objects(engine, associated("one to one"))
    objects.create("B", "b")
    objects.create("A", "x", to="b")
    (guard,) = [item for key, item in engine.items.items() if key.sort == "O"]
    assert guard == Item((f"O#{objects.role('A', 'to')}#b", "O"), {"holder": "x", "start": 0})  # type: ignore[arg-type]
