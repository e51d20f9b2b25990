"""Lookup by unique values: by guard if all objects are guarded, otherwise by a page."""

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.change import Modification
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Unique
from stratabase.core.store.engine.port import Engine
from tests.core.store.stores import Store, fresh_class
from tests.core.store.watched_engine import WatchedEngine
from tests.evolution.backfill.unique_cases import is_guarded, reindex, with_uniques
from tests.fakes import unlimited_budget
from tests.rows import each_row

CODE = Unique(("code",))


def holder(store: Store, **values: Any) -> str | None:
    """Return the id of the object that has these unique values."""
    found = store.entities.find_by_unique(
        store.class_.name, Unique(tuple(values)), values, unlimited_budget()
    )
    return None if found is None else found.reference.id


def guarded(engine: Engine) -> Store:
    return Store(engine, fresh_class(("code",), ("name", "count")))


def older_than_its_constraints(engine: Engine) -> Store:
    """Return a store whose objects, some of them duplicates, are older than its constraints."""
    class_ = fresh_class()
    before, both = Store(engine, class_), {"code": "both", "name": "both", "count": 0}
    before.fill({"_id": id_, **both} for id_ in ("old", "older"))
    constrained = with_uniques(class_, ("code",), ("name", "count"))
    reindex(engine, constrained)
    return Store(engine, constrained)


@pytest.mark.parametrize("created", [guarded, older_than_its_constraints])
def test_an_object_is_found_by_its_unique_values(engine: Engine, created: Callable[[Engine], Store]) -> None:
    store = created(engine)
    store.create("a", code="x", name="n", count=1)
    store.create("b", code="y", name="n", count=2)
    store.create("c", code=None, name=None, count=3)

    assert is_guarded(engine, store.class_) is (created is guarded)
    assert (holder(store, code="x"), holder(store, code="y"), holder(store, code="z")) == ("a", "b", None)
    assert (holder(store, name="n", count=2), holder(store, name="n", count=3)) == ("b", None)
    assert holder(store, code=None) is None
    assert holder(store, name=None, count=3) is None
    store.commit(store.update("a", code="new"))
    assert (holder(store, code="x"), holder(store, code="new")) == (None, "a")
    store.commit(store.deletion("a"))
    assert holder(store, code="new") is None


@pytest.mark.parametrize("created", [guarded, older_than_its_constraints])
def test_texts_are_compared_after_normalization(engine: Engine, created: Callable[[Engine], Store]) -> None:
    store = created(engine)
    store.create("a", code=unicodedata.normalize("NFD", "é"))
    store.create("b", code=unicodedata.normalize("NFC", "ü"))

    assert [holder(store, code=unicodedata.normalize("NFC", text)) for text in "éü"] == ["a", "b"]
    assert [holder(store, code=unicodedata.normalize("NFD", text)) for text in "éü"] == ["a", "b"]


def test_values_of_older_objects_are_found_before_and_after_a_reindex(engine: Engine) -> None:
    class_ = fresh_class()
    Store(engine, class_).create("old", code="x")
    store = Store(engine, with_uniques(class_, ("code",)))
    before = holder(store, code="x")

    reindex(engine, store.class_)

    assert is_guarded(engine, store.class_)
    assert (before, holder(Store(engine, store.class_), code="x")) == ("old", "old")


def test_a_lookup_by_guard_costs_two_reads_and_no_page() -> None:
    engine = WatchedEngine()
    store = guarded(engine)
    store.create("a", code="x")
    engine.keys_got.clear()
    read = engine.items_read

    assert holder(store, code="x") == "a"

    assert [key.partition[:2] for key in engine.keys_got] == ["U#", f"{store.class_.name}#"[:2]]
    assert engine.items_read == read


class EarlyGuardEngine(WatchedEngine):
    """An engine that shows a guard of a commit before its objects, a number of times."""

    def __init__(self) -> None:
        super().__init__()
        self.before: dict[Any, Any] = {}
        self.times = 0

    def get(self, keys: Any, *, places: bool = True) -> list[Any]:
        found = super().get(keys, places=places)
        if self.times and all(not key.partition.startswith("U#") for key in keys):
            self.times -= 1
            return [self.before.get(key, item) for key, item in zip(keys, found, strict=True)]
        return found


@each_row(("times", "found"), [(1, "b"), (3, "b"), (4, None)])
def test_an_object_without_the_guarded_values_is_read_again(times: int, found: str | None) -> None:
    """Reads are not isolated from commits everywhere: one commit moved the values from `a` to `b`."""
    engine = EarlyGuardEngine()
    store = guarded(engine)
    store.create("a", code="x")
    store.create("b", code="y")
    old = store.get("b")
    (key,) = [key for key in engine.items if key.partition.endswith("#b")]
    engine.before[key] = engine.items[key]
    a = store.get("a")
    taken = [Modification(a, _coded(a, "z")), Modification(old, _coded(old, "x"))]
    store.commit(*taken)
    engine.times = times

    assert holder(store, code="x") == found


def _coded(entity: Entity, code: str) -> Entity:
    return Entity(entity.reference, {**entity.state, "code": code}, entity.commit_ids)


def test_a_lookup_counts_towards_the_read_budget(engine: Engine) -> None:
    store = guarded(engine)
    store.create("a", code="x")
    budget = ReadBudget(300, 1, lambda: 0)

    def find() -> Entity | None:
        return store.entities.find_by_unique(store.class_.name, CODE, {"code": "x"}, budget)

    assert find() is not None
    assert budget.bytes_read > 300
    with pytest.raises(ReadBudgetExceeded):
        find()


def test_many_objects_are_read_in_batches_within_the_read_budget() -> None:
    """All requested objects together may be larger than the memory."""
    engine = WatchedEngine()
    store = Store(engine, fresh_class())
    store.fill([{"_id": f"{number:03}"} for number in range(250)])
    references = [store.entity(f"{number:03}").reference for number in range(250)]
    engine.keys_got.clear()
    few = ReadBudget(150 * 200, 1, lambda: 0)

    found = store.entities.read(references, unlimited_budget())
    assert [entity and entity.reference for entity in found] == references
    assert len(engine.keys_got) == 250
    with pytest.raises(ReadBudgetExceeded):
        store.entities.read(references, few)
    assert len(engine.keys_got) == 250 + 200
