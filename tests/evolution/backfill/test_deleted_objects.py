"""Listings of deleted objects: when they are READY, and how a reindex builds them."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Event, Thread

import orjson
import pytest

from stratabase.core.domain.objects.commit_refusals import Conflict, DeletedNotListed
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.store.engine.actions import new_commit_id
from stratabase.core.store.engine.port import Batch, Engine, Item, Patch, Put
from stratabase.core.store.indexes.entries import BuildState
from stratabase.core.store.indexes.registry_cache import RegistryCache
from stratabase.core.store.layout import keys
from stratabase.core.store.repository import Repository
from stratabase.evolution.backfill import deleted_objects
from stratabase.evolution.backfill.reindex import Reindex
from stratabase.evolution.backfill.resharding import OF_LISTING, Resharding
from tests.contract.engine.engine_calls import settle
from tests.contract.engine.engines import DISTANT, EngineImplementation
from tests.contract.engine.reference import ReferenceEngine
from tests.contract.versions.models import COMPANY
from tests.contract.versions.versioned_objects import VersionedObjects
from tests.core.store.clocks import Time
from tests.fakes import unlimited_budget
from tests.soak import count, mostly, seed

GONE = 7


def filled(engine: Engine) -> None:
    """Create and delete some employees."""
    objects = VersionedObjects(Repository(engine, COMPANY))
    for number in range(GONE):
        objects.create("Employee", f"e{number}", name="a")
        objects.delete("Employee", f"e{number}")


def listed(engine: Engine) -> list[str]:
    """Return the deleted employees, the oldest deletion first. Raises DeletedNotListed."""
    batches = Repository(engine, COMPANY).deleted("Employee", None, unlimited_budget(), oldest_first=True)
    return [gone.reference.id for batch in batches for gone, _ in batch]


def run_as_an_earlier_version(engine: Engine) -> None:
    """Take the positions of tombstones, and write the registry without what an earlier version ignores."""
    for page in list(engine.scan()):
        for item in page:
            if item.key == keys.REGISTRY:
                content = orjson.loads(item.state or "{}")
                content = {name: content[name] for name in ("lastNumber", "classes", "uniques", "roles")}
                _commit(engine, Put(Item(item.key, item.attributes, orjson.dumps(content).decode())))
            elif "deleted" in item.attributes:
                _commit(engine, Patch(item.key, places=dict.fromkeys(item.places)))


def _commit(engine: Engine, action: Put | Patch) -> None:
    engine.commit(Batch(new_commit_id("test"), (action,)))


def reindex(
    engine: Engine, time: Time, has_time: Callable[[], bool] = lambda: True, name: str = "Employee"
) -> bool:
    """Run a reindex of a class; return whether it was finished."""
    built = Reindex(engine, COMPANY, now=time.milliseconds, sleep=time.sleep, has_time=has_time)
    return not built.run(name).is_stopped


def state(engine: Engine) -> BuildState:
    return RegistryCache(engine, COMPANY).registry().deleted["Employee"].state


def test_a_class_without_objects_starts_ready() -> None:
    engine = ReferenceEngine()
    assert listed(engine) == []
    filled(engine)
    assert listed(engine) == [f"e{number}" for number in range(GONE)]


def test_after_an_earlier_version_has_written_the_registry_the_listing_must_be_built_again() -> None:
    engine = ReferenceEngine()
    filled(engine)
    run_as_an_earlier_version(engine)
    with pytest.raises(DeletedNotListed, match="stratabase reindex"):
        listed(engine)
    assert reindex(engine, Time())
    assert listed(engine) == [f"e{number}" for number in range(GONE)]


def test_one_reindex_builds_the_listings_of_all_classes() -> None:
    engine, time = ReferenceEngine(), Time()
    filled(engine)
    run_as_an_earlier_version(engine)
    time.seconds += 100
    RegistryCache(engine, COMPANY, now=time.milliseconds).registry()
    assert reindex(engine, time)
    entries = RegistryCache(engine, COMPANY).registry().deleted
    assert {entry.state for entry in entries.values()} == {BuildState.READY}


def test_a_ready_listing_hides_the_marks_of_served_models_from_earlier_versions() -> None:
    """So an earlier version that serves writes the registry within seconds, without the listing."""
    engine = ReferenceEngine()
    filled(engine)
    cache = RegistryCache(engine, COMPANY)
    cache.update(lambda registry: registry.with_served("m", 5, forget_before=0))
    (item,) = engine.get([keys.REGISTRY])
    assert item is not None
    assert "served" not in orjson.loads(item.state or "{}")
    assert cache.update(lambda registry: registry).served == {"m": 5}
    run_as_an_earlier_version(engine)
    cache.update(lambda registry: cache.add_missing(registry).with_served("m", 6, forget_before=0))
    (item,) = engine.get([keys.REGISTRY])
    assert item is not None
    assert orjson.loads(item.state or "{}")["served"] == {"m": 6}


@pytest.mark.parametrize("dies", [False, True])
def test_a_stopped_reindex_goes_on(monkeypatch: pytest.MonkeyPatch, *, dies: bool) -> None:
    monkeypatch.setattr(deleted_objects, "_ITEMS_PER_CHECKPOINT", 1)
    engine, time, left = ReferenceEngine(), Time(), 1
    filled(engine)
    run_as_an_earlier_version(engine)

    def has_time() -> bool:
        nonlocal left
        left -= 1
        if dies and left < 0:
            raise KeyboardInterrupt
        return left >= 0

    try:
        assert not reindex(engine, time, has_time)
    except KeyboardInterrupt:
        assert dies
    assert state(engine) is BuildState.BUILDING
    filled_again = VersionedObjects(Repository(engine, COMPANY))
    filled_again.create("Employee", "later", name="a")
    filled_again.delete("Employee", "later")
    assert reindex(engine, time)
    assert {*listed(engine)} == {"later", *(f"e{number}" for number in range(GONE))}


@pytest.mark.soak
@pytest.mark.parametrize("kind", mostly(DISTANT, "dynamodb-ministack"), ids=lambda kind: kind.name)
def test_deletions_and_restorations_while_a_reindex_runs(kind: EngineImplementation, tmp_path: Path) -> None:
    for number in range(count(2, 40)):
        (folder := tmp_path / str(number)).mkdir()
        engine, time = kind.open(folder), Time()
        filled(engine)
        run_as_an_earlier_version(engine)
        RegistryCache(engine, COMPANY, now=time.milliseconds).registry()
        time.seconds += 100
        is_built = Event()
        writers = [Thread(target=_write, args=(engine, each, is_built)) for each in range(2)]
        for writer in writers:
            writer.start()
        try:
            assert reindex(engine, time)
        finally:
            is_built.set()
            for writer in writers:
                writer.join()
        settle(engine)
        references = [Reference("Employee", f"e{each}") for each in range(GONE)]
        gone = Repository(engine, COMPANY).tombstones(references)
        assert sorted(listed(engine)) == sorted(each.reference.id for each in gone if each is not None)
        engine.close()


def _write(engine: Engine, writer: int, is_built: Event) -> None:
    """Restore and delete some employees in turns until a reindex has ended, and a few times more."""
    objects, random, left = VersionedObjects(Repository(engine, COMPANY)), Random(seed() + writer), 5
    objects.clock += 1000 * (GONE + 1)
    while left:
        left -= is_built.is_set()
        id_ = f"e{random.randrange(writer, GONE, 2)}"
        try:
            if objects.find("Employee", id_) is None:
                objects.restore("Employee", id_, name="b")
            else:
                objects.delete("Employee", id_)
        except Conflict:
            continue  # the reindex was first


def test_a_changed_number_of_shards_moves_the_positions() -> None:
    engine, time = ReferenceEngine(), Time()
    filled(engine)
    Resharding(engine, COMPANY, now=time.milliseconds, sleep=time.sleep).begin("Employee", {OF_LISTING: 4})
    with pytest.raises(DeletedNotListed):
        listed(engine)
    assert reindex(engine, time)
    assert listed(engine) == [f"e{number}" for number in range(GONE)]
    listing = RegistryCache(engine, COMPANY).write_schema().deleted_listing("Employee")
    assert listing is not None
    assert len(listing.partitions) == 4
    assert sum(bool([*engine.range(keys.LISTING, each)]) for each in listing.partitions) > 1


def test_a_dropped_class_has_no_listing_any_more() -> None:
    engine = ReferenceEngine()
    filled(engine)
    registry = RegistryCache(engine, COMPANY).update(lambda registry: registry.without_class("Employee"))
    assert "Employee" not in registry.deleted


def test_a_class_that_is_not_versioned_has_no_listing() -> None:
    deleted = RegistryCache(ReferenceEngine(), COMPANY).registry().deleted
    versioned = {class_.name for class_ in COMPANY.classes.values() if class_.versioned and class_.exposed}
    assert deleted.keys() <= versioned < COMPANY.classes.keys()
