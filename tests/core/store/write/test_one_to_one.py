"""One-to-one associations: one key per target, found in reverse by its guard."""

import pytest

from stratabase.core.domain.query.page import IdRange
from stratabase.core.store.engine.port import Engine, Item, Put
from stratabase.core.store.layout import keys
from tests.contract.engine.engine_calls import commit
from tests.contract.engine.engines import SEQUENTIAL, engine_fixture, scope_of_shared_engine
from tests.core.store.graphs import Objects, associated
from tests.core.store.watched_engine import WatchedEngine

engine = engine_fixture(SEQUENTIAL, scope_of_shared_engine)


@pytest.fixture
def couples(engine: Engine) -> Objects:
    """A leads to B, and B back to A."""
    return Objects(engine, associated("one to one"))


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
