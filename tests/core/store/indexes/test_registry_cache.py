"""Slots: an index keeps its slot, and is used only when every object is in it."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Event, Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.model.model import Class, Index, Unique
from stratabase.core.store.engine.port import Batch, Engine, Item, Key
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.indexes.entries import BuildState
from stratabase.core.store.indexes.registry import Registry, parse_registry, registry_put
from stratabase.core.store.indexes.registry_cache import MAX_AGE, RegistryCache
from stratabase.core.store.layout import keys
from stratabase.evolution.backfill.reindex import SETTLED, Reindex, ReindexOutcome
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.clocks import Time
from tests.core.store.stores import Store, fresh_class, use_registry
from tests.core.store.watched_engine import WatchedEngine
from tests.models import THING, model
from tests.soak import count

LOADED = count(200, 10_000)
"""Objects that are reindexed under load."""
NAMES = ("name", "count", "price", "good", "day", "hour", "vintage", "notes", "code")


def indexed(class_: Class, *indexes: Sequence[str]) -> Class:
    """Return a class with other indexes."""
    return replace(class_, indexes=tuple(Index(tuple(each)) for each in indexes))


def slots_of(engine: Engine, class_: Class) -> dict[tuple[str, ...], tuple[str, BuildState]]:
    """Return which slot each index has, and its state."""
    found = RegistryCache(engine, model(class_)).registry().classes[class_.name]
    return {
        tuple(column.attribute for column in slot.columns): (slot.index_name, slot.state) for slot in found
    }


def reindex(engine: Engine, class_: Class, time: Time | None = None) -> ReindexOutcome:
    """Reindex a class without waiting."""
    time = time or Time()
    return Reindex(engine, model(class_), now=time.milliseconds, sleep=time.sleep).run(class_.name)


@pytest.mark.soak
@given(
    st.lists(
        st.lists(st.sampled_from(NAMES).map(lambda name: (name,)), unique=True, max_size=7),
        min_size=2,
        max_size=6,
    )
)
def test_no_change_of_the_model_moves_the_slot_of_an_index(models: list[list[tuple[str, ...]]]) -> None:
    """Indexes come, go, and change places; none shares its slot, none takes that of the listing."""
    engine, known = ReferenceEngine(), dict[tuple[str, ...], str]()
    for indexes in models:
        slots = {name: slot for name, (slot, _) in slots_of(engine, indexed(THING, *indexes)).items()}
        assert known.items() <= slots.items()
        assert len(set(slots.values())) == len(slots)
        assert "index1" not in slots.values()
        known = slots


def test_the_eighth_index_waits_until_a_reindex_frees_a_slot() -> None:
    engine, time = ReferenceEngine(), Time()
    class_ = indexed(THING, *((name,) for name in NAMES[:7]))
    slots_of(engine, class_)
    changed = indexed(THING, *((name,) for name in NAMES[1:8]))
    assert (NAMES[7],) not in slots_of(engine, changed)
    assert reindex(engine, changed, time).interrupted == (f"@index({NAMES[7]})",)
    assert slots_of(engine, changed)[(NAMES[0],)] == ("index2", BuildState.RETIRED)
    time.sleep(SETTLED)
    assert reindex(engine, changed, time) == ReindexOutcome()
    assert slots_of(engine, changed)[(NAMES[7],)] == ("index2", BuildState.READY)


class WithoutIndexes(DelegatingEngine):
    """Refuses to commit and to read indexes, as the role of the function for downloads makes DynamoDB do."""

    def commit(self, batch: Batch) -> None:
        raise AssertionError(batch)

    def range(self, index: str, *_: Any, **__: Any) -> Any:
        raise AssertionError(index)


def test_a_read_only_process_needs_no_index_to_know_a_new_class() -> None:
    engine, new = ReferenceEngine(), indexed(fresh_class(("code",)), ["count"])
    Store(engine, fresh_class()).create("a", count=1)
    cache = RegistryCache(WithoutIndexes(engine), model(new), read_only=True)
    assert [slot.state for slot in cache.registry().classes[new.name]] == [BuildState.BUILDING]


def test_an_empty_class_is_ready_and_one_with_objects_is_not() -> None:
    engine = ReferenceEngine()
    assert slots_of(engine, indexed(THING, ["count"])) == {("count",): ("index2", BuildState.READY)}
    assert slots_of(engine, indexed(THING, ["count"], ["name"]))[("name",)] == ("index3", BuildState.BUILDING)


def test_objects_older_than_the_registry_are_not_yet_indexed() -> None:
    engine = WatchedEngine()
    store = Store(engine, THING)
    store.create("x")
    del engine._items[next(key for key in engine._items if key.partition == "META")]
    assert slots_of(engine, indexed(THING, ["count"]))[("count",)][1] is BuildState.BUILDING


def test_another_storage_format_is_another_index() -> None:
    """An Int that becomes a Text lies elsewhere; a String that becomes a Text does not."""
    engine = ReferenceEngine()
    class_ = indexed(THING, ["count"], ["name"])
    slots_of(engine, class_)
    text = {name: replace(THING.attributes[name], type=THING.attributes["notes"].type) for name in NAMES[:2]}
    changed = replace(class_, attributes={**class_.attributes, **text})
    columns = [slot.columns for slot in RegistryCache(engine, model(changed)).registry().classes["Thing"]]
    assert [column.storage.name for (column,) in columns] == ["whole", "text", "text"]


BY_COUNT = Order.of([OrderTerm("count")])


def counts(store: Store) -> list[Any]:
    """Return the counts of all objects, by count."""
    return [entity.state["count"] for entity in store.page(Query("", BY_COUNT, window=Window(1000))).items]


def test_pages_are_correct_before_and_after_a_reindex_and_then_cheap() -> None:
    engine = WatchedEngine()
    class_ = fresh_class()
    Store(engine, class_).fill({"_id": f"{n:03}", "count": n * 7 % 100} for n in range(100))
    store = Store(engine, indexed(class_, ["count"]))
    store.create("new", count=50)
    assert counts(store) == sorted([*range(100), 50])
    reindex(engine, store.class_)
    after = Store(engine, store.class_)
    assert counts(after) == sorted([*range(100), 50])
    engine.items_read = 0
    after.page(Query("", BY_COUNT, window=Window(4)))
    assert engine.items_read <= 5


def test_a_stopped_reindex_resumes_and_a_repeated_one_writes_nothing() -> None:
    engine = WatchedEngine()
    class_ = fresh_class()
    Store(engine, class_).fill({"_id": f"{n:03}", "count": n} for n in range(10))
    changed, commits = indexed(class_, ["count"]), 0

    def power_cut() -> None:
        raise KeyboardInterrupt

    slots_of(engine, changed)
    commits = len(engine.commits)
    for _ in range(3):
        engine.before_commit = None
        reindex_until(engine, changed, 2, power_cut)
    assert len(engine.commits) == commits + 6
    assert slots_of(engine, changed)[("count",)][1] is BuildState.BUILDING
    reindex(engine, changed)
    assert len(engine.commits) == commits + 10
    assert counts(Store(engine, changed)) == list(range(10))
    reindex(engine, changed)
    assert len(engine.commits) == commits + 10


def reindex_until(engine: WatchedEngine, class_: Class, commits: int, stop: Any) -> None:
    """Reindex, and stop after some commits."""
    done = len(engine.commits)
    plain = engine.commit

    def commit(batch: Batch) -> None:
        if len(engine.commits) - done == commits:
            stop()
        plain(batch)

    engine.commit = commit  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        reindex(engine, class_)
    engine.commit = plain  # type: ignore[method-assign]


def test_an_object_written_during_a_reindex_keeps_its_new_place() -> None:
    engine = WatchedEngine()
    class_ = fresh_class()
    Store(engine, class_).fill([{"_id": "x", "count": 1}])
    store = Store(engine, indexed(class_, ["count"]))
    engine.before_commit = lambda: store.commit(store.update("x", count=2))
    reindex(engine, store.class_)
    assert counts(Store(engine, store.class_)) == [2]
    assert store.get("x").state["count"] == 2


def test_writers_with_an_old_registry_finish_before_a_reindex_starts() -> None:
    """A process that does not know of the index yet goes on writing for as long as it may."""
    engine, time = ReferenceEngine(), Time()
    class_ = fresh_class()
    old = Store(engine, class_)
    use_registry(old.entities, RegistryCache(engine, model(class_), clock=time, now=time.milliseconds))
    old.create("a", count=1)
    changed = indexed(class_, ["count"])

    def sleep(seconds: float) -> None:
        assert seconds >= MAX_AGE
        if old.find("b") is not None:  # it waits until the index shows what was built
            return
        old.create("b", count=2)
        time.sleep(seconds)
        old.create("c", count=3)

    Reindex(engine, model(changed), now=time.milliseconds, sleep=sleep).run(class_.name)
    assert slots_of(engine, changed)[("count",)][1] is BuildState.READY
    assert counts(Store(engine, changed)) == [1, 2, 3]
    time.sleep(MAX_AGE)
    old.commit(old.update("a", count=9))
    assert counts(Store(engine, changed)) == [2, 3, 9]


class _RegistryReads(ReferenceEngine):
    """Counts the reads of items by key."""

    reads = 0

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        self.reads += 1
        return super().get(keys, places=places)


def test_a_fleet_that_starts_together_does_not_read_the_registry_together() -> None:
    """Each process reads it again at its own time, and none later than MAX_AGE."""
    engine, time = _RegistryReads(), Time()
    fleet = [RegistryCache(engine, model(THING), clock=time, now=time.milliseconds) for _ in range(40)]
    ages: list[set[float]] = [set() for _ in fleet]
    for cache in fleet:
        cache.write_schema()
    began = [time()] * len(fleet)
    for _ in range(400):
        time.sleep(MAX_AGE / 100)
        for number, cache in enumerate(fleet):
            before = engine.reads
            cache.write_schema()
            if engine.reads > before:
                ages[number].add(time() - began[number])
                began[number] = time()
    seen = set[float]().union(*ages)
    assert all(ages)
    assert max(seen) <= MAX_AGE * 1.01
    assert min(seen) >= MAX_AGE / 2
    assert len({round(age, 6) for age in seen}) > 5


def test_an_unchanged_registry_keeps_its_schema() -> None:
    """So what was derived from it is derived once."""
    engine, time = ReferenceEngine(), Time()
    cache = RegistryCache(engine, model(THING), clock=time, now=time.milliseconds)
    schema = cache.write_schema()
    time.sleep(2 * MAX_AGE)
    assert cache.write_schema() is schema
    RegistryCache(engine, model(fresh_class(indexes=[("count",)])), now=time.milliseconds).write_schema()
    time.sleep(2 * MAX_AGE)
    assert cache.write_schema() is not schema


def test_remains_of_an_earlier_index_in_a_slot_are_not_found() -> None:
    engine, time = ReferenceEngine(), Time()
    class_ = fresh_class(indexes=[("count",)])
    Store(engine, class_).fill({"_id": f"{n}", "count": n} for n in range(5))
    without, back = indexed(class_), class_
    reindex(engine, without, time)
    time.sleep(SETTLED)
    reindex(engine, without, time)
    assert slots_of(engine, without) == {}
    store = Store(engine, without)
    store.commit(store.update("0", count=7), store.deletion("1"))
    slots_of(engine, back)
    reindex(engine, back, time)
    assert counts(Store(engine, back)) == [2, 3, 4, 7]


@pytest.mark.soak
def test_pages_are_complete_at_every_moment_of_a_reindex_under_load(engine: Engine) -> None:
    """Four clients write on: whose `count` stays is on every page, before and after; nobody is twice."""
    class_ = fresh_class()
    Store(engine, class_).fill({"_id": f"{n:05}", "count": n} for n in range(LOADED))
    changed, done = indexed(class_, ["count"]), Event()
    threads = [Thread(target=_write_on, args=(engine, changed, n, done)) for n in range(4)]
    for thread in threads:
        thread.start()
    staying = [f"{n:05}" for n in range(0, LOADED, 2)]
    still = set(staying)
    try:
        pages = [_ids(engine, changed) for _ in range(3)]
        reindex(engine, changed)
        pages += [_ids(engine, changed) for _ in range(3)]
    finally:
        done.set()
        for thread in threads:
            thread.join()
    for page in [*pages, _ids(engine, changed)]:
        assert [id_ for id_ in page if id_ in still] == staying
        assert len(set(page)) == len(page)
    assert len(_ids(engine, changed)) == LOADED


def _ids(engine: Engine, class_: Class) -> list[str]:
    """Return the ids of all objects, by count, as a process sees it that has just started."""
    page = Store(engine, class_).page(Query("", BY_COUNT, window=Window(LOADED + 1)))
    return [entity.reference.id for entity in page.items]


def _write_on(engine: Engine, class_: Class, number: int, done: Event) -> None:
    """Write here and there: what is odd moves in the index, what is even does not."""
    store = Store(engine, class_)
    for turn in range(300):
        if done.is_set():
            return
        at = (number * LOADED // 4 + turn * 7) % LOADED
        changes = {"count": LOADED * turn + at} if at % 2 else {"name": str(turn)}
        with suppress(Conflict):
            store.commit(store.update(f"{at:05}", **changes))


def test_the_registry_reads_back_what_it_writes() -> None:
    """Versions of the service that do not know ENFORCED take it for BUILDING."""
    class_ = replace(indexed(THING, ["count"], ["name"]), uniques=tuple(map(Unique, (("code",), ("day",)))))
    ready = Registry(7).with_class(class_, BuildState.READY, now=1)
    written = ready.with_violations("Thing", {one.number for one in ready.uniques["Thing"][:1]}, now=2)
    item = registry_put(written).item
    assert parse_registry(item) == replace(written, revision=8)
    kept = json.loads(item.state or "")["uniques"]["Thing"]
    assert [one["state"] for one in kept] == ["BUILDING", "READY"]
    assert [one.state for one in written.uniques["Thing"]] == [BuildState.ENFORCED, BuildState.READY]


def test_a_read_only_cache_writes_nothing_and_uses_no_index_that_it_adds() -> None:
    """Another process may give the index to another slot, and write objects before this one notices."""
    engine, class_ = ReferenceEngine(), indexed(fresh_class(), ("name",))
    cache = RegistryCache(engine, model(class_), read_only=True)

    assert [slot.state for slot in cache.registry().classes[class_.name]] == [BuildState.BUILDING]
    assert engine.get([keys.REGISTRY]) == [None]
    assert [path.ready for path in cache.paths(class_.name)] == [True, False]
    assert [state for _, state in slots_of(engine, class_).values()] == [BuildState.READY]
    cache.invalidate()
    assert [path.ready for path in cache.paths(class_.name)] == [True, True]
