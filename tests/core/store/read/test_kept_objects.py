"""Objects are read by key once while nothing is written, and never outdated."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.store.engine.port import Engine, Item, Key
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.read import context
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.stores import Store, fresh_class
from tests.fakes import unlimited_budget
from tests.soak import count as soak_count

OBJECTS = 12
IDS = [f"{n:02}" for n in range(OBJECTS)]


class RecordingEngine(DelegatingEngine):
    """An engine that records the keys that it reads, and calls a function before it does."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.keys: list[Key] = []
        self.before_get: Callable[[], None] = lambda: None

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        self.keys += keys
        self.before_get()
        return super().get(keys, places=places)


class Stores:
    """The same class in two engines on one file, like those of two processes."""

    def __init__(self, path: Path) -> None:
        class_ = fresh_class(indexes=[("count",)])
        self.engine, self.other_engine = (RecordingEngine(SqliteEngine(path)) for _ in range(2))
        self.store, self.other = Store(self.engine, class_), Store(self.other_engine, class_)
        self.store.fill({"_id": id_, "count": 0} for id_ in IDS)

    def counts(self, ids: Sequence[str] = IDS, budget: ReadBudget | None = None) -> list[Any]:
        """Return the counts of objects as the first store reads them, None for each missing object."""
        return [entity and entity.state["count"] for entity in read(self.store, ids, budget)]

    def reads(self, ids: Sequence[str] = IDS) -> int:
        """Return how many items the first engine reads for some objects."""
        self.engine.keys.clear()
        self.counts(ids)
        return len(self.engine.keys)


def read(store: Store, ids: Sequence[str], budget: ReadBudget | None = None) -> list[Entity | None]:
    """Return what a store reads by key for a request."""
    references = [Reference(store.class_.name, id_) for id_ in ids]
    return store.entities.read(references, budget or unlimited_budget())


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    stores = Stores(tmp_path / "store.db")
    yield stores
    stores.engine.close()
    stores.other_engine.close()


def test_an_object_is_read_once(stores: Stores) -> None:
    assert stores.reads(IDS[:8]) == 8
    assert stores.reads(IDS[:8]) == 0
    assert stores.reads(IDS[4:]) == OBJECTS - 8, "only the others"
    assert stores.reads(IDS[3:4]) == 0


def test_an_object_that_is_read_alone_is_kept_from_the_second_time_on(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [stores.reads(["00"]) for _ in range(3)] == [1, 1, 0]
    assert [stores.reads(["none"]) for _ in range(3)] == [1, 1, 1]
    stores.other.create("new", count=1)
    assert [stores.reads(["00"]) for _ in range(3)] == [1, 0, 0]
    monkeypatch.setattr(context, "_MAX_NOTED", 2)
    for id_ in IDS:
        stores.counts([id_])
        assert len(stores.store.entities._store.kept_objects._noted) <= 2


def test_a_write_reads_each_object_and_keeps_none(stores: Stores) -> None:
    references = [Reference(stores.store.class_.name, id_) for id_ in IDS]
    assert stores.reads(["00"]) == 1
    for number in range(3):
        stores.engine.keys.clear()
        assert stores.store.entities.read(references) == read(stores.other, IDS)
        assert len(stores.engine.keys) == OBJECTS, number
    assert stores.reads(["01"]) == 1


def test_an_engine_without_versions_reads_each_time() -> None:
    engine = RecordingEngine(ReferenceEngine())
    store = Store(engine, fresh_class())
    store.create("a", count=1)
    engine.keys.clear()
    for number in (1, 2):
        read(store, ["a", "b"])
        assert len(engine.keys) == 2 * number


def test_each_commit_is_seen(stores: Stores) -> None:
    assert stores.counts(["00", "new"]) == [0, None]
    stores.store.commit(stores.store.update("00", count=1))
    assert stores.counts(["00", "new"]) == [1, None]
    stores.other.commit(stores.other.update("00", count=2))
    assert stores.counts(["00", "new"]) == [2, None]
    stores.other.create("new", count=3)
    assert stores.counts(["00", "new"]) == [2, 3]
    stores.store.commit(stores.store.deletion("00"))
    stores.other.commit(stores.other.deletion("new"))
    assert stores.counts(["00", "new"]) == [None, None]


def test_locks_are_seen(stores: Stores) -> None:
    reference = Reference(stores.store.class_.name, "00")
    lock = Lock("1", "ada", 10)
    assert stores.store.get("00").lock is None
    stores.other.entities.lock("l1", [reference], lock, 1)
    assert stores.store.get("00").lock == lock
    stores.other.entities.unlock("l2", [reference], "1", 2)
    assert stores.store.get("00").lock is None


def test_what_was_read_before_a_commit_is_not_kept(stores: Stores) -> None:
    stores.counts(["02"])  # what the store reads once

    def write() -> None:
        stores.engine.before_get = lambda: None
        stores.other.commit(stores.other.update("00", count=7))

    stores.engine.before_get = write
    stores.counts(["00", "01"])
    assert stores.counts(["00", "01"]) == [7, 0]


def test_kept_objects_and_those_read_beside_them_are_of_one_moment(stores: Stores) -> None:
    stores.counts(["00", "01"])

    def write() -> None:
        stores.engine.before_get = lambda: None
        stores.other.commit(*(stores.other.update(id_, count=7) for id_ in ("00", "02")))

    stores.engine.before_get = write
    assert stores.counts(["00", "01", "02"]) == [7, 0, 7]


def test_another_thread_does_not_take_an_outdated_object(stores: Stores) -> None:
    """Each thread has its own connection, with its own numbers of versions."""
    found: list[Any] = []
    for number in range(4):
        stores.other.commit(stores.other.update("00", count=number))
        for _ in range(2):
            thread = Thread(target=lambda: found.append(stores.counts(["00"])))
            thread.start()
            thread.join()
            found.append(stores.counts(["00"]))
        assert found == [[number]] * 4
        found.clear()


def test_kept_objects_are_charged_like_others(stores: Stores) -> None:
    budgets = [unlimited_budget() for _ in range(3)]
    for budget in budgets:
        stores.counts([*IDS, "none"], budget)
    stores.counts()
    assert len({budget.bytes_read for budget in budgets}) == 1
    assert budgets[0].bytes_read > 200 * OBJECTS


def test_kept_objects_use_up_a_budget(stores: Stores) -> None:
    stores.store.fill({"_id": f"more{n:03}", "count": n} for n in range(150))
    ids = [f"more{n:03}" for n in range(150)]
    for _ in range(2):
        with pytest.raises(ReadBudgetExceeded):
            stores.counts(ids, ReadBudget(100, 1, lambda: 0))
        assert stores.counts(ids) == [*range(150)]


def test_objects_are_forgotten_when_their_memory_is_full(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    object_bytes = 4_000
    monkeypatch.setattr(context, "MAX_KEPT_BYTES", 8 * object_bytes)
    monkeypatch.setattr(context, "_MAX_SHARE", 1)
    kept = stores.store.entities._store.kept_objects
    stores.counts(["00", "01"])
    for id_ in IDS:
        stores.counts([id_, id_])
        assert stores.reads(["00"]) == 0, "it is used all the time"
        assert len([*kept._latest]) <= 8
    assert stores.reads(IDS[-1:]) == 0
    assert stores.reads(IDS[1:2]) == 1


def test_large_objects_and_missing_ones_are_not_kept(stores: Stores) -> None:
    stores.store.create("large", count=1, text="x" * (context.MAX_KEPT_BYTES // 50))
    assert [stores.reads(["large", "none", "00"]), stores.reads(["large", "none", "00"])] == [3, 2]


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(soak_count(3, 200)))
def test_kept_objects_are_never_outdated(stores: Stores, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Two engines write and read in turn, some of it while the other reads; dicts have what was written."""
    monkeypatch.setattr(context, "MAX_KEPT_BYTES", 30_000)
    monkeypatch.setattr(context, "_MAX_SHARE", 1)
    chance, both = Random(seed), (stores.store, stores.other)
    states: dict[str, Any] = dict.fromkeys(IDS, 0)
    kept = 0

    def write(writer: Store) -> None:
        id_ = chance.choice(IDS)
        if id_ not in states:
            writer.create(id_, count=chance.randrange(100))
        elif chance.random() < 0.3:
            writer.commit(writer.deletion(id_))
        else:
            writer.commit(writer.update(id_, count=chance.randrange(100)))
        entity = writer.find(id_)
        states.pop(id_, None)
        if entity is not None:
            states[id_] = entity.state["count"]

    for _ in range(60):
        reader, other = chance.sample(both, 2)
        if chance.random() < 0.3:
            write(chance.choice(both))
        ids = chance.choices(IDS, k=chance.randrange(1, 9))
        engine = stores.engine if reader is stores.store else stores.other_engine
        before = dict(states)
        if chance.random() < 0.2:

            def write_meanwhile(engine: RecordingEngine = engine, other: Store = other) -> None:
                engine.before_get = lambda: None
                write(other)

            engine.before_get = write_meanwhile
        engine.keys.clear()
        found = [entity and entity.state["count"] for entity in read(reader, ids)]
        kept += len(engine.keys) < len(ids)
        engine.before_get = lambda: None
        assert found in ([before.get(id_) for id_ in ids], [states.get(id_) for id_ in ids])
        if before == states:
            assert read(reader, ids) == reader.entities._store.read_all(
                [Reference(reader.class_.name, id_) for id_ in ids]
            )
    assert kept > 2
