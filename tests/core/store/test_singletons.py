"""Singletons in a store: they exist before their first write, with keys and links."""

import pytest

from stratabase.core.domain.objects.commit_refusals import Conflict, TargetNotFound
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.model.model import ClassKind
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.layout import keys
from tests.core.store.graphs import Objects, class_with, key, many
from tests.core.store.watched_engine import WatchedEngine
from tests.listing import listing_place
from tests.models import model

MODEL = model(
    class_with(
        "Settings",
        key("chief", "Person", required=True),
        many("friends", "Person"),
        many("favourites", "Person", required=True),
        kind=ClassKind.SINGLETON,
    ),
    class_with("Person"),
)


@pytest.fixture
def objects(engine: Engine) -> Objects:
    """Persons, and settings with links to some of them."""
    return Objects(engine, MODEL)


def test_a_singleton_exists_before_it_is_written(objects: Objects) -> None:
    assert objects.get("Settings", "1") == Entity(objects.reference("Settings", "1"), {"_id": "1"})
    assert objects.find("Settings", "2") is None


def test_the_first_update_of_a_singleton_stores_it(objects: Objects) -> None:
    first, second = objects.update("Settings", "1", name="a"), objects.update("Settings", "1", name="b")
    objects.commit(first, commit_id="c1")
    assert objects.get("Settings", "1") == Entity(
        objects.reference("Settings", "1"), {"_id": "1", "name": "a"}, ("c1",)
    )
    with pytest.raises(Conflict):
        objects.commit(second)
    objects.commit(objects.update("Settings", "1", name="c"))
    assert objects.get("Settings", "1").state["name"] == "c"


def test_the_head_of_a_singleton_is_stored_like_that_of_other_objects() -> None:
    engine = WatchedEngine()
    objects = Objects(engine, MODEL)
    objects.commit(objects.update("Settings", "1", name="a"))
    reference = objects.reference("Settings", "1")
    assert engine.items[keys.head(reference)].places == {keys.LISTING: listing_place(reference)}


def test_a_singleton_can_be_linked_before_it_is_written(objects: Objects) -> None:
    objects.create("Person", "p", "q")
    objects.commit(*objects.linking("Settings", "favourites", "1", "p"))
    objects.commit(*objects.linking("Settings", "favourites", "1", "q"))
    objects.commit(*objects.linking("Settings", "friends", "1", "q"))
    first = objects.update("Settings", "1", name="a", chief="p")
    objects.commit(first)
    with pytest.raises(Conflict):
        objects.commit(first)
    assert objects.linked("Settings", "favourites", "1") == "p q"
    assert objects.linked("Settings", "friends", "1") == "q"
    assert objects.refused(objects.deletion("Person", "p"))
    objects.delete("Person", "q")
    objects.commit(objects.update("Settings", "1", chief=None))
    assert objects.refused(objects.deletion("Person", "p"), *objects.unlinking("Settings", "favourites", "1"))


def test_targets_of_a_singleton_must_exist(objects: Objects) -> None:
    missing = {TargetNotFound(objects.reference("Person", "nobody"))}
    assert objects.refused(objects.update("Settings", "1", chief="nobody")) == missing
    assert objects.refused(*objects.linking("Settings", "favourites", "1", "nobody")) == missing
    assert objects.linked("Settings", "favourites", "1") == ""


def test_a_singleton_can_be_written_and_linked_in_one_commit(objects: Objects) -> None:
    objects.commit(
        objects.creation("Person", "p"),
        objects.update("Settings", "1", chief="p"),
        *objects.linking("Settings", "favourites", "1", "p"),
    )
    assert objects.get("Settings", "1").state["chief"] == "p"
    assert objects.get("Settings", "1").counts == {objects.role("Settings", "favourites"): 1}
