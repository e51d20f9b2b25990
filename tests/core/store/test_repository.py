"""Objects in a repository: round trips, expectations and size limits."""

from dataclasses import replace
from typing import Any

import orjson
import pytest

from stratabase.core.domain.objects.change import Effect, Modification
from stratabase.core.domain.objects.commit_refusals import Conflict, TooLarge
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.limits import MAX_OBJECT_BYTES
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.store.engine.port import MAX_ACTIONS, Engine
from stratabase.core.store.layout import keys
from tests.contract.engine.engines import SEQUENTIAL, engine_fixture, scope_of_shared_engine
from tests.core.store.stores import Store, fresh_class
from tests.core.store.watched_engine import WatchedEngine

engine = engine_fixture(SEQUENTIAL, scope_of_shared_engine)


@pytest.fixture
def store(engine: Engine) -> Store:
    """A store of its own in the shared engine."""
    return Store(engine, fresh_class(("code",)))


@pytest.fixture
def watched() -> WatchedEngine:
    """An engine whose items are visible."""
    return WatchedEngine()


def test_a_repository_implements_the_entities_port(store: Store) -> None:
    port: EntityRepository = store.entities
    assert port.read([]) == []


def test_objects_are_read_in_the_requested_order(store: Store) -> None:
    store.create("b")
    store.create("a")
    references = [store.entity(id_).reference for id_ in ("a", "missing", "b", "a")]
    found = store.entities.read(references)
    assert [entity and entity.reference.id for entity in found] == ["a", None, "b", "a"]


def test_nulls_and_the_id_are_not_stored(watched: WatchedEngine) -> None:
    store = Store(watched, fresh_class())
    store.create("x", name="Ada", count=None, good=False)
    (item,) = watched.items.values()
    assert item.key == (f"{store.class_.name}#x", "V#~")
    assert item.places == {"index1": (store.class_.name, "x")}
    assert orjson.loads(item.state or "") == {"name": "Ada", "good": False}
    assert store.get("x").state == {"_id": "x", "name": "Ada", "good": False}


def test_an_update_replaces_the_state_and_keeps_everything_else_of_the_head(watched: WatchedEngine) -> None:
    """For example, a lock that was taken in the meantime is kept."""
    store = Store(watched, fresh_class())
    store.create("x", name="Ada")
    update = store.update("x", name=None, count=1)
    (key, item) = next(iter(watched.items.items()))
    watched.items[key] = replace(item, attributes={**item.attributes, "lockOwner": "m1"})
    store.commit(update)
    assert watched.items[key].attributes["lockOwner"] == "m1"
    assert store.get("x").state == {"_id": "x", "count": 1}


def test_an_empty_change_commits_nothing(watched: WatchedEngine) -> None:
    Store(watched, fresh_class()).commit()
    assert not watched.commits


def test_attributes_unknown_to_the_model_are_kept(engine: Engine) -> None:
    """An attribute leaves the model, the object is written, the attribute comes back: so does its value."""
    class_ = fresh_class(("code",))
    store = Store(engine, class_)
    store.create("x", name="Ada", notes="old")
    known = {name: each for name, each in class_.attributes.items() if name != "notes"}
    poorer = Store(engine, replace(class_, attributes=known))
    assert poorer.get("x").state["notes"] == "old"
    before = poorer.get("x")
    poorer.commit(Modification(before, replace(before, state={"_id": "x", "name": "Eva"})))
    assert store.get("x").state == {"_id": "x", "name": "Eva", "notes": "old"}


def test_an_attribute_of_the_model_can_be_cleared(store: Store) -> None:
    store.create("x", notes="old")
    before = store.get("x")
    store.commit(Modification(before, replace(before, state={"_id": "x"})))
    assert store.get("x").state == {"_id": "x"}


def test_the_last_eight_commits_are_remembered(store: Store) -> None:
    store.commit(store.creation("x"), commit_id="c0")
    for number in range(1, 10):
        store.commit(store.update("x", count=number), commit_id=f"c{number}")
    assert store.get("x").commit_ids == tuple(f"c{number}" for number in range(2, 10))


def _stale_update(store: Store) -> Effect:
    return store.update("x", name="mine")


def _stale_deletion(store: Store) -> Effect:
    return store.deletion("x")


@pytest.mark.parametrize("stale", [_stale_update, _stale_deletion])
@pytest.mark.parametrize("meanwhile", [_stale_update, _stale_deletion])
def test_a_concurrent_write_is_a_conflict(store: Store, stale: Any, meanwhile: Any) -> None:
    store.create("x", name="Ada")
    effect = stale(store)
    store.commit(meanwhile(store))
    after = store.find("x")
    with pytest.raises(Conflict):
        store.commit(effect)
    assert store.find("x") == after


def test_a_taken_id_is_a_conflict(store: Store) -> None:
    store.create("x", name="Ada")
    with pytest.raises(Conflict):
        store.create("x", name="Eva")
    assert store.get("x").state["name"] == "Ada"


def test_a_retry_of_a_committed_change_succeeds_without_effect(store: Store) -> None:
    """The answer was lost; meanwhile another even wrote."""
    store.commit(store.creation("x", code="a"), commit_id="mine")
    store.commit(store.update("x", count=1))
    store.commit(store.creation("x", code="a"), commit_id="mine")
    update = store.update("x", count=2)
    store.commit(update, commit_id="again")
    store.commit(store.update("x", count=3))
    store.commit(update, commit_id="again")
    assert store.get("x").state["count"] == 3


def test_the_largest_object_is_written_and_a_larger_one_is_refused(store: Store) -> None:
    frame = len(b'{"notes":""}')
    store.create("x", notes="é" * ((MAX_OBJECT_BYTES - frame) // 2))
    with pytest.raises(TooLarge) as refusal:
        store.create("y", notes="é" * ((MAX_OBJECT_BYTES - frame) // 2 + 1))
    assert str(refusal.value) == (f"The {store.class_.name} has 358,402 bytes. The maximum is 358,400 bytes.")
    assert store.find("y") is None


def test_an_update_to_a_too_large_object_is_refused(store: Store) -> None:
    """Attributes that the model does not know count too."""
    store.create("x", unknown="u" * (MAX_OBJECT_BYTES - 100))
    before = store.get("x")
    with pytest.raises(TooLarge):
        store.commit(Modification(before, replace(before, state={"_id": "x", "notes": "n" * 100})))
    assert store.get("x") == before


def test_a_change_of_too_many_objects_is_refused(store: Store) -> None:
    """A unique value counts as well."""
    effects = [store.creation(str(number), code=str(number)) for number in range(MAX_ACTIONS // 2)]
    store.commit(*effects)
    more = [store.creation(f"more{number}", code=f"m{number}") for number in range(MAX_ACTIONS // 2)]
    with pytest.raises(TooLarge, match=r"101 objects, links, and unique values\. The maximum is 100\."):
        store.commit(*more, store.creation("last"))
    assert store.find("more0") is None


def test_a_change_of_too_many_bytes_is_refused(store: Store) -> None:
    large = "n" * (MAX_OBJECT_BYTES - 1000)
    effects = [store.creation(str(number), notes=large) for number in range(12)]
    with pytest.raises(TooLarge, match=r"The write has 4,\d+,\d+ bytes. The maximum is 4,194,304 bytes"):
        store.commit(*effects)
    store.commit(*effects[:11])


def test_a_head_key_converts_back_to_its_reference() -> None:
    reference = Reference("Thing", "x")
    assert keys.reference_of(keys.head(reference)) == reference
