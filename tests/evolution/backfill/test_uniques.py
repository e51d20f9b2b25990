"""A uniqueness constraint on older objects becomes READY only if no two share values."""

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.objects.change import Change, Deletion, Effect, Modification, Restoration
from stratabase.core.domain.objects.commit_refusals import Conflict, UniqueNotBuilt, UniqueViolation
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.model.model import Class, Unique
from stratabase.core.model.types import TYPES
from stratabase.core.store.engine.port import Engine, Item, Key
from stratabase.core.store.indexes.entries import directive_label
from stratabase.core.store.indexes.registry_cache import MAX_AGE, RegistryCache
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.object_items import guard_holder, unique_constraint
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.store.write.guard_writes import unique_claims
from stratabase.evolution.backfill.reindex import Reindex, ReindexOutcome
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.clocks import Time
from tests.core.store.interrupted import Interrupted
from tests.core.store.stores import Store, fresh_class, use_registry
from tests.core.store.watched_engine import WatchedEngine
from tests.evolution.backfill.unique_cases import CODE, is_guarded, reindex, with_uniques
from tests.models import model
from tests.rows import each_row
from tests.soak import count, seed

LOADED = count(60, 3000)
"""Objects that are reindexed under load."""
TURNS = count(60, 1500)
"""Writes of each writer meanwhile."""


def retyped(class_: Class, **types: str) -> Class:
    """Return a copy of a class in which some attributes have other types."""
    changed = {name: replace(class_.attributes[name], type=TYPES[type_]) for name, type_ in types.items()}
    return replace(class_, attributes={**class_.attributes, **changed})


def shared(outcome: ReindexOutcome) -> list[tuple[str, dict[str, Any], tuple[str, ...]]]:
    """Return what several objects have, as plain values."""
    return [(directive_label(each.unique), dict(each.values), each.ids) for each in outcome.duplicates]


class FormerObjects:
    """Objects that were written under a model without constraints, and the class with constraints."""

    def __init__(self, engine: Engine, *uniques: Sequence[str], **codes: str | None) -> None:
        self.engine = engine
        self.bare = fresh_class()
        self.class_ = with_uniques(self.bare, *(uniques or (("code",),)))
        self.before = Store(engine, self.bare)
        for id_, code in codes.items():
            self.before.create(id_, code=code)

    @property
    def now(self) -> Store:
        """A new process under the model with the constraints."""
        return Store(self.engine, self.class_)

    @property
    def still(self) -> Store:
        """A new process under the model without constraints."""
        return Store(self.engine, self.bare)

    def reindex(self, **more: Any) -> ReindexOutcome:
        """Reindex the class without waiting."""
        return reindex(self.engine, self.class_, **more)


def guards_of(class_: Class, entity: Entity) -> list[Key]:
    """Return the guards that an object needs."""
    return list(unique_claims([unique_constraint(class_, unique) for unique in class_.uniques], entity))


def assert_exact(engine: Engine, class_: Class) -> None:
    """Assert that each existing object holds the guards of all its values, and that there are guards."""
    assert count_exact_guards(engine, class_) > 0


def count_exact_guards(engine: Engine, class_: Class) -> int:
    """Return how many guards there are; the object that has the values of one must hold it."""
    guarded = 0
    store = Store(engine, class_)
    for page in engine.range(keys.LISTING, keys.listing_partition(class_.name)):
        entities = entities_of(store, page)
        assert len(entities) == len(page)
        for entity in entities:
            held = engine.get(guards_of(class_, entity))
            assert [guard_holder(guard) for guard in held] == [entity.reference.id] * len(held)
            guarded += len(held)
    return guarded


def entities_of(store: Store, page: Sequence[Item]) -> list[Entity]:
    """Return the present objects of a page of the listing."""
    found = store.entities.read([Reference(store.class_.name, keys.id_of(item.key)) for item in page])
    return [entity for entity in found if entity is not None]


def test_a_new_class_is_ready_immediately(engine: Engine) -> None:
    assert is_guarded(engine, fresh_class(("code",)))


def test_a_constraint_on_a_class_that_was_served_is_ready_after_a_reindex(engine: Engine) -> None:
    former = FormerObjects(engine, x="a", y="b", z=None)
    assert not is_guarded(engine, former.class_)
    assert former.reindex() == ReindexOutcome()
    assert is_guarded(engine, former.class_)
    former.now.create("new", code="c")
    assert_exact(engine, former.class_)
    for taken in ("a", "b", "c"):
        with pytest.raises(UniqueViolation):
            former.now.create("other", code=taken)


def test_objects_older_than_the_registry_may_lack_guards() -> None:
    engine = WatchedEngine()
    former = FormerObjects(engine, x="a")
    del engine._items[keys.REGISTRY]
    assert not is_guarded(engine, former.class_)


def test_a_registry_of_an_earlier_version_is_read(engine: Engine) -> None:
    """It has no constraints, so it is unknown whether old objects comply with them."""
    registry = WatchedEngine()
    state = '{"lastNumber": 0, "classes": {"Thing": []}}'
    registry._items[keys.REGISTRY] = Item(keys.REGISTRY, {"revision": 1}, state)
    assert not is_guarded(registry, replace(fresh_class(("code",)), name="Thing"))


def test_the_order_of_the_attributes_does_not_matter(engine: Engine) -> None:
    class_ = fresh_class(("code", "name"))
    assert is_guarded(engine, class_, Unique(("code", "name")))
    assert is_guarded(engine, with_uniques(class_, ("name", "code")), Unique(("name", "code")))


def test_duplicates_are_found_over_several_attributes_and_after_nfc(engine: Engine) -> None:
    former = FormerObjects(engine, ("name", "code"))
    former.before.create("x", code="e\u0301", name="n")
    former.before.create("y", code="é", name="n")
    former.before.create("z", code="é", name="m")
    former.before.create("null", code="é")
    ((constraint, values, ids),) = shared(former.reindex())
    assert (constraint, values["name"], ids) == ("@unique(name, code)", "n", ("x", "y"))


def test_all_objects_with_the_same_value_are_reported(engine: Engine) -> None:
    """More than are read or written together."""
    former = FormerObjects(engine)
    former.before.fill({"_id": f"{number:03}", "code": f"{number % 3}"} for number in range(150))
    former.before.fill({"_id": f"single{number:03}", "code": f"s{number}"} for number in range(30))
    found = {values["code"]: ids for _, values, ids in shared(former.reindex())}
    assert found == {str(n): tuple(f"{number:03}" for number in range(n, 150, 3)) for n in range(3)}
    assert_exact_but(former, {"0", "1", "2"})


def assert_exact_but(former: FormerObjects, codes: set[str]) -> None:
    """Make sure that every object holds its guard, but those with some codes, of which one does each."""
    held: dict[str, int] = dict.fromkeys(codes, 0)
    now = former.now
    for page in former.engine.range(keys.LISTING, keys.listing_partition(former.class_.name)):
        entities = entities_of(now, page)
        assert len(entities) == len(page)
        needed = [key for entity in entities for key in guards_of(former.class_, entity)]
        for entity, guard in zip(entities, former.engine.get(needed), strict=True):
            code = str(entity.state["code"])
            own = guard_holder(guard) == entity.reference.id
            assert own or code in codes
            if code in codes:
                held[code] += own
    assert held == dict.fromkeys(codes, 1)


def test_stale_guards_of_an_earlier_constraint_are_replaced() -> None:
    """`x` holds "a" but has "b" since; `gone` holds "c" and is deleted."""
    engine = WatchedEngine()
    class_ = fresh_class(("code",))
    store = Store(engine, class_)
    store.create("x", code="a")
    store.create("gone", code="c")
    without = Store(engine, with_uniques(class_))
    without.commit(without.update("x", code="b"), without.deletion("gone"))
    without.create("y", code="a")
    without.create("z", code="c")
    assert reindex(engine, class_) == ReindexOutcome()
    assert is_guarded(engine, class_)
    assert_exact(engine, class_)


def test_a_model_without_the_constraint_keeps_guards_and_refuses_no_write(engine: Engine) -> None:
    """A duplicate that it writes is noted with it, so that the constraint is built again."""
    class_ = fresh_class(("code",))
    Store(engine, class_).create("x", code="a")
    without = Store(engine, with_uniques(class_))
    without.create("y", code="b")
    without.create("w", code="c")
    without.commit(without.update("w", code="d"))
    assert is_guarded(engine, class_)
    assert_exact(engine, class_)
    without.create("z", code="a")
    without.commit(without.creation("v", code="e"), without.creation("u", code="e"))
    assert not is_guarded(engine, class_)
    for taken in "abde":
        with pytest.raises(UniqueViolation):
            Store(engine, class_).create("other", code=taken)
    store = Store(engine, class_)
    store.create("other", code="c")
    assert sorted(shared(reindex(engine, class_)), key=str) == [
        ("@unique(code)", {"code": "a"}, ("x", "z")),
        ("@unique(code)", {"code": "e"}, ("u", "v")),
    ]
    store = Store(engine, class_)
    store.commit(store.deletion("z"), store.deletion("u"))
    assert reindex(engine, class_) == ReindexOutcome()
    assert is_guarded(engine, class_)
    assert_exact(engine, class_)


def test_a_reindex_with_the_served_model_drops_other_constraints(engine: Engine) -> None:
    class_ = fresh_class(("code",))
    Store(engine, class_).create("x", code="a")
    reindex(engine, with_uniques(class_))
    Store(engine, with_uniques(class_)).create("y", code="a")
    assert not is_guarded(engine, class_)
    assert shared(reindex(engine, class_)) == [("@unique(code)", {"code": "a"}, ("x", "y"))]


def test_until_a_constraint_is_built_only_writes_of_its_values_are_refused() -> None:
    """No write reads more than it would without the constraint."""
    engine = WatchedEngine()
    former = FormerObjects(engine, ("code",), ("name", "count"), x="a", y="b", z="c")
    former.still.commit(former.still.update("z", name="n"))
    store = former.now
    store.entities.unbuilt()
    read = engine.items_read
    for refused in (
        lambda: store.creation("new", code="d"),
        lambda: store.creation("new", name="n", count=1),
        lambda: store.update("x", code="d"),
        lambda: store.update("x", code="b"),
        lambda: store.update("z", count=1),
    ):
        with pytest.raises(UniqueNotBuilt) as refusal:
            store.commit(refused())
        ((reference, unique),) = refusal.value.unbuilt
        assert reference.id in {"new", "x", "z"}
        assert unique in former.class_.uniques
    store.commit(store.creation("new", name="n"))
    store.commit(store.update("x", name="m"))
    store.commit(store.update("y", code=None))
    store.commit(store.deletion("z"))
    assert engine.items_read == read
    assert [store.find(id_) is not None for id_ in ("new", "x", "y", "z")] == [True, True, True, False]
    assert former.reindex() == ReindexOutcome()
    assert_exact(engine, former.class_)


def test_a_deleted_object_is_restored_with_its_values_after_the_build() -> None:
    engine = WatchedEngine()
    bare = replace(fresh_class(), versioned=True)
    before = Store(engine, bare)
    before.create("x", code="a")
    after = before.get("x")
    before.entities.commit(Change("gone", 1, (before.deletion("x"),)))
    class_ = with_uniques(bare, ("code",))
    before.create("y", code="b")
    store = Store(engine, class_)
    (gone,) = store.entities.tombstones([after.reference])
    assert gone is not None
    with pytest.raises(UniqueNotBuilt):
        store.entities.commit(Change("back", 2, (Restoration(gone, after),)))
    assert reindex(engine, class_) == ReindexOutcome()
    Store(engine, class_).entities.commit(Change("back", 2, (Restoration(gone, after),)))
    assert_exact(engine, class_)


def test_a_model_without_the_class_leaves_its_constraints_alone(engine: Engine) -> None:
    """Such a model writes no objects of the class."""
    class_ = fresh_class(("code",))
    assert is_guarded(engine, class_)
    Store(engine, fresh_class()).create("x")
    assert is_guarded(engine, class_)


def test_values_that_the_present_type_does_not_read_count_as_null() -> None:
    """Two of them are not duplicates, and neither needs a guard."""
    engine = WatchedEngine()
    bare = fresh_class()
    Store(engine, bare).fill(
        [{"_id": "x", "code": "a"}, {"_id": "y", "code": "a"}, {"_id": "z", "code": "2"}]
    )
    number = retyped(with_uniques(bare, ("code",)), code="Int")
    assert reindex(engine, number) == ReindexOutcome()
    assert is_guarded(engine, number, Unique(("code",)))
    store = Store(engine, number)
    store.create("new", code=1)
    assert_exact(engine, number)
    with pytest.raises(UniqueViolation):
        store.commit(store.update("x", code=2))
    store.commit(store.update("x", code=3))
    with pytest.raises(UniqueViolation):
        store.commit(store.update("y", code=3))


def test_values_that_the_present_type_reads_are_unique_by_their_text() -> None:
    engine = WatchedEngine()
    bare = fresh_class()
    Store(engine, bare).fill([{"_id": "x", "code": "5"}])
    number = retyped(bare, code="Int")
    Store(engine, number).create("y", code=5)
    wanted = with_uniques(number, ("code",))
    assert shared(reindex(engine, wanted)) == [("@unique(code)", {"code": 5}, ("x", "y"))]


def test_another_storage_format_makes_another_constraint() -> None:
    """An Int that becomes a String has values that nobody guarded; a String that becomes a Text has none."""
    engine = ReferenceEngine()
    class_ = fresh_class(("count",), ("name",))
    text = retyped(class_, count="String", name="Text")
    Store(engine, class_).create("x", count=1)
    assert not is_guarded(engine, text, Unique(("count",)))
    assert is_guarded(engine, text, Unique(("name",)))
    assert is_guarded(engine, class_, Unique(("count",)))
    assert reindex(engine, text, ahead=True) == ReindexOutcome()
    for each, value in ((text, "3"), (class_, 2)):
        Store(engine, each).create(each.attributes["count"].type.name, count=value)
    for each in (text, class_):
        assert is_guarded(engine, each, Unique(("count",)))
        assert_exact(engine, each)


def test_a_stopped_reindex_resumes_and_a_repeated_one_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stratabase.evolution.backfill.reindex.BATCHES_SIDE_BY_SIDE", 1)
    engine = WatchedEngine()
    former = FormerObjects(engine)
    former.before.fill({"_id": f"{number:04}", "code": f"{number}"} for number in range(230))

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        former.reindex(tell=stop)
    assert not is_guarded(engine, former.class_)
    guards = sum(len(batch.actions) // 2 for batch in engine.commits if batch.id.startswith("reindex"))
    assert guards == 100
    former.reindex()
    assert is_guarded(engine, former.class_)
    guards = sum(len(batch.actions) // 2 for batch in engine.commits if batch.id.startswith("reindex"))
    assert guards == 230
    done = len(engine.commits)
    former.reindex()
    assert len(engine.commits) == done


def changed_code(store: Store) -> None:
    store.commit(store.update("x", code="b"))


def changed_elsewhere(store: Store) -> None:
    store.commit(store.update("x", count=1))


def emptied(store: Store) -> None:
    store.commit(store.deletion("x"), store.creation("y", code="d"))


def replaced(store: Store) -> None:
    store.commit(store.deletion("x"), store.creation("y", code="a"))


@each_row("act", [changed_code, changed_elsewhere, emptied, replaced])
def test_an_object_written_just_before_its_guard_is_guarded_correctly(act: Callable[[Store], None]) -> None:
    engine = WatchedEngine()
    former = FormerObjects(engine, x="a", z="c")
    store = former.still
    engine.before_commit = lambda: act(store)
    assert former.reindex() == ReindexOutcome()
    assert engine.before_commit is None
    assert is_guarded(engine, former.class_)
    assert_exact(engine, former.class_)
    assert sum(1 for key in engine.items if key.sort == "U") == 2


def test_a_concurrently_resolved_duplicate_is_not_reported() -> None:
    """The other object then lacks its guard, which it must get before the constraint is READY."""
    engine = WatchedEngine()
    former = FormerObjects(engine, x="a", y="a")
    store = former.still

    def mend(_: int) -> None:
        assert engine.get([guard("a")]) == [Item(guard("a"), {"holder": "x"})]
        store.commit(store.update("x", code="b"))

    def guard(code: str) -> Key:
        key = keys.guard(former.class_.name, CODE, {"code": code})
        assert key is not None
        return key

    assert former.reindex(tell=mend) == ReindexOutcome()
    assert is_guarded(engine, former.class_)
    assert_exact(engine, former.class_)


def test_an_unguarded_value_can_be_released() -> None:
    engine = WatchedEngine()
    former = FormerObjects(engine, x="a", y="a", z="c")
    assert not is_guarded(engine, former.class_)
    store = former.still
    store.commit(store.update("x", code="b"))
    store.commit(store.update("y", count=1))
    store.commit(store.deletion("z"))
    assert former.reindex() == ReindexOutcome()
    assert_exact(engine, former.class_)


def serving(engine: Engine, class_: Class, time: Time) -> Store:
    """Return a process that goes by a clock and has just read the registry."""
    store = Store(engine, class_)
    use_registry(store.entities, RegistryCache(engine, model(class_), clock=time, now=time.milliseconds))
    store.entities.unbuilt()
    return store


def test_a_process_with_an_earlier_model_maintains_registered_guards() -> None:
    """A reindex waits for that; what was written before then, it sees."""
    engine, time = ReferenceEngine(), Time()
    former = FormerObjects(engine)
    earlier = serving(engine, former.bare, time)
    earlier.create("x", code="a")
    names = iter("bcdefgh")

    def write(_: object = None) -> None:
        name = next(names)
        earlier.create(name, code=name)
        earlier.commit(earlier.update("x", code=f"x{name}"))

    def sleep(seconds: float) -> None:
        time.sleep(MAX_AGE / 2)
        write()
        time.sleep(seconds - MAX_AGE / 2)

    built = Reindex(engine, model(former.class_), now=time.milliseconds, sleep=sleep)
    assert built.run(former.class_.name, write) == ReindexOutcome()
    write()
    assert is_guarded(engine, former.class_)
    assert_exact(engine, former.class_)


def test_a_duplicate_from_a_process_with_an_earlier_model_prevents_readiness() -> None:
    """It is written before the objects are read, during the build, or when the constraint is READY."""
    engine, time = ReferenceEngine(), Time()
    former = FormerObjects(engine, a="a")
    earlier = serving(engine, former.bare, time)
    names = iter("uvwxyz")

    def write(_: object = None) -> None:
        earlier.create(next(names), code="a")

    def sleep(seconds: float) -> None:
        time.sleep(seconds)
        write()

    asleep = Reindex(engine, model(former.class_), now=time.milliseconds, sleep=sleep).run(former.class_.name)
    assert [ids for _, _, ids in shared(asleep)] == [("a", "u")]
    _clear_duplicates(former.now, asleep)
    meanwhile = reindex(engine, former.class_, time, tell=write)
    assert meanwhile == ReindexOutcome(interrupted=("@unique(code)",))
    again = reindex(engine, former.class_, time)
    assert [ids for _, _, ids in shared(again)] == [("a", "v")]
    _clear_duplicates(former.now, again)
    assert reindex(engine, former.class_, time) == ReindexOutcome()
    assert is_guarded(engine, former.class_)
    write()
    assert not is_guarded(engine, former.class_)


def test_two_concurrent_builds_share_the_duplicates_they_find() -> None:
    """The second begins after a duplicate was written that the first has passed by."""
    engine, time = WatchedEngine(), Time()
    former = FormerObjects(engine, a="a", b="b")
    outcomes: list[ReindexOutcome] = []

    def meanwhile(_: object) -> None:
        serving(engine, former.bare, time).create("c", code="a")
        time.sleep(1)
        outcomes.append(reindex(engine, former.class_, time))

    outcomes.append(reindex(engine, former.class_, time, tell=meanwhile))
    assert [ids for _, _, ids in shared(outcomes[0])] == [("a", "c")]
    assert not is_guarded(engine, former.class_)


def test_a_suspended_process_reads_the_registry_again() -> None:
    """On Lambda, its monotonic clock may have stopped in the meantime. The wall clock has not."""
    engine, time = ReferenceEngine(), Time()
    former = FormerObjects(engine, x="a")
    frozen = Store(engine, former.bare)
    use_registry(
        frozen.entities, RegistryCache(engine, model(former.bare), clock=lambda: 0.0, now=time.milliseconds)
    )
    frozen.entities.unbuilt()
    assert reindex(engine, former.class_, time) == ReindexOutcome()
    frozen.create("y", code="b")
    assert_exact(engine, former.class_)


def test_an_embedded_engine_refuses_writes_with_an_outdated_registry(tmp_path: Path) -> None:
    """The build does not need to wait until all processes know a constraint."""
    engine, time = SqliteEngine(tmp_path / "objects.db"), Time()
    former = FormerObjects(engine, x="a", y="b")
    earlier = serving(engine, former.bare, time)
    update = earlier.update("x", code="c")
    assert not is_guarded(engine, former.class_)
    with pytest.raises(Conflict):
        earlier.commit(update)
    earlier.commit(update)
    assert engine.get(guards_of(former.class_, earlier.get("x"))) != [None]

    def sleep(_: float) -> None:
        raise AssertionError("it must not wait")

    built = Reindex(engine, model(former.class_), now=time.milliseconds, sleep=sleep, local=True)
    assert built.run(former.class_.name) == ReindexOutcome()
    assert_exact(engine, former.class_)
    engine.close()


def test_two_concurrent_reindexes_are_correct() -> None:
    engine = WatchedEngine()
    former = FormerObjects(engine, v="b", w="b", x="a", y="c")
    outcomes: list[ReindexOutcome] = []
    engine.before_commit = lambda: outcomes.append(former.reindex())
    outcomes.append(former.reindex())
    expected = [("@unique(code)", {"code": "b"}, ("v", "w"))]
    assert [shared(outcome) for outcome in outcomes] == [expected, expected]
    store = former.now
    store.commit(store.deletion("w"))
    engine.before_commit = lambda: outcomes.append(former.reindex())
    store.commit(store.deletion("y"))
    assert outcomes[-1] == former.reindex() == ReindexOutcome()
    assert_exact(engine, former.class_)


MEANWHILE: dict[str, tuple[str, str, str | None]] = {
    "the first gives way": ("write", "x", "c"),
    "the second gives way": ("write", "y", "c"),
    "the first goes": ("delete", "x", None),
    "the second goes": ("delete", "y", None),
    "another comes": ("write", "new", "a"),
    "its former holder takes it again": ("write", "w", "a"),
    "something else changes": ("elsewhere", "y", None),
}


@pytest.mark.parametrize("operation", MEANWHILE.values(), ids=MEANWHILE)
@pytest.mark.parametrize("first", ["a", "b"], ids=["a duplicate", "no duplicate"])
@pytest.mark.parametrize("names", [True, False], ids=["by this model", "by an earlier model"])
def test_a_reindex_is_correct_despite_a_write_at_any_step(
    operation: tuple[str, str, str | None], first: str, *, names: bool
) -> None:
    """`x` has "a" or "b", `y` has "a", and `w` holds that but has it no more."""
    every = count(3, 1)
    step, reached, guarded = seed() % every, True, 0
    while reached:
        engine = Interrupted()
        class_ = fresh_class(("code",))
        store = Store(engine, class_)
        store.create("w", code="a")
        unguarded = store.unguarded()
        unguarded.commit(unguarded.update("w", code=None))
        unguarded.create("x", code=first)
        unguarded.create("y", code="a")
        unbuilt(engine, class_)
        time = Time()
        writer = serving(engine, class_ if names else with_uniques(class_), time)
        engine.acts = iter([*[None] * step, _acts(writer, [operation])])
        outcome = reindex(engine, class_, time)
        reached = not list(engine.acts)
        assert is_guarded(engine, class_) is (outcome == ReindexOutcome())
        assert all(len(ids) > 1 for _, _, ids in shared(outcome))
        guarded += _resolve_duplicates(engine, class_, outcome)
        step += every
    assert step > 7
    assert guarded > 0


def unbuilt(engine: Engine, class_: Class) -> None:
    """Have a constraint be one that has just been listed."""
    reindex(engine, with_uniques(class_))
    assert not is_guarded(engine, class_)


def _resolve_duplicates(engine: Engine, class_: Class, outcome: ReindexOutcome) -> int:
    """Clear what several objects have until the constraint is READY; return how many guards there are."""
    while outcome != ReindexOutcome():
        _clear_duplicates(Store(engine, class_), outcome)
        outcome = reindex(engine, class_)
    assert is_guarded(engine, class_)
    return count_exact_guards(engine, class_)


IDS = "uvwxyz"
codes = st.sampled_from(["a", "b", "é", "e\u0301", None])
OldWrite = tuple[str, str | None, bool]
"""Which object gets which code, and whether by a process that guards it."""
Interruption = tuple[bool, list[tuple[str, str, str | None]]]
"""What is written between two steps, and whether under the model that names the constraint."""
deeds = st.tuples(st.sampled_from(["write", "delete", "elsewhere"]), st.sampled_from(IDS), codes)


@pytest.mark.soak
def test_a_ready_constraint_is_exact_despite_concurrent_writes() -> None:
    """Old objects with and without guards; processes of both models write between any two steps."""
    guarded: list[int] = []

    @given(
        st.lists(st.tuples(st.sampled_from(IDS), codes, st.booleans()), max_size=12),
        st.lists(
            st.none() | st.tuples(st.booleans(), st.lists(deeds, min_size=1, max_size=2)),
            max_size=20,
        ),
        st.booleans(),
    )
    def check(history: list[OldWrite], meanwhile: list[Interruption | None], again: bool) -> None:
        guarded.append(guards_after_reindex(history, meanwhile, again))

    check()
    assert sum(map(bool, guarded)) > 5


def guards_after_reindex(history: list[OldWrite], meanwhile: list[Interruption | None], again: bool) -> int:
    """Return how many guards there are after a reindex that others write between; all must be exact."""
    engine = Interrupted()
    class_ = fresh_class(("code",))
    store = Store(engine, class_)
    stores = {True: store, False: store.unguarded()}
    models = {True: class_, False: with_uniques(class_)}
    for id_, code, guarded in history:
        _do(stores[guarded], "write", id_, code)
    unbuilt(engine, class_)
    if again:
        reindex(engine, class_)
    time = Time()
    writers = {names: serving(engine, each, time) for names, each in models.items()}
    engine.acts = iter([None if each is None else _acts(writers[each[0]], each[1]) for each in meanwhile])
    outcome = reindex(engine, class_, time)
    engine.acts = iter(())
    assert is_guarded(engine, class_) is (outcome == ReindexOutcome())
    if outcome == ReindexOutcome():
        count_exact_guards(engine, class_)
    return _resolve_duplicates(engine, class_, outcome)


def _acts(store: Store, some: list[tuple[str, str, str | None]]) -> Callable[[], None]:
    def act() -> None:
        for operation, id_, code in some:
            _do(store, operation, id_, code)

    return act


def _do(store: Store, operation: str, id_: str, code: str | None) -> None:
    """Write as a client does, who may be refused."""
    with suppress(UniqueViolation, UniqueNotBuilt, Conflict):
        store.commit(*_effects(store, operation, id_, code))


def _effects(store: Store, operation: str, id_: str, code: str | None) -> list[Effect]:
    before = store.find(id_)
    if before is None:
        return [store.creation(id_, code=code)]
    if operation == "delete":
        return [Deletion(before)]
    changes = {"code": code} if operation == "write" else {"count": 1}
    return [Modification(before, replace(before, state={**before.state, **changes}))]


def _clear_duplicates(store: Store, outcome: ReindexOutcome) -> None:
    """Clear all but one of what several have."""
    for duplicate in outcome.duplicates:
        for id_ in duplicate.ids[1:]:
            if store.find(id_) is not None:
                _do(store, "write", id_, None)


@pytest.mark.soak
def test_a_ready_constraint_is_exact_during_four_concurrent_writers(engine: Engine) -> None:
    """Old objects with duplicates; four clients go on, what several have is mended, until it is READY."""
    _build_under_load(engine, [True] * 4)


@pytest.mark.soak
def test_an_embedded_engine_builds_immediately_despite_writers_of_both_models(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "objects.db")
    _build_under_load(engine, [True, False] * 2, local=True)
    engine.close()


def _build_under_load(engine: Engine, names: Sequence[bool], **options: bool) -> None:
    """Build a constraint while clients write, each under the model that names it, or the earlier one."""
    former = FormerObjects(engine)
    former.before.fill({"_id": f"{n:05}", "code": f"c{n - n % 10 % 2}"} for n in range(LOADED))
    assert not is_guarded(engine, former.class_)
    done = Event()
    stores = [former.now if each else former.still for each in names]
    threads = [Thread(target=_write_on, args=(store, number, done)) for number, store in enumerate(stores)]
    for thread in threads:
        thread.start()
    try:
        outcome = former.reindex(**options)
        while outcome != ReindexOutcome():
            _clear_duplicates(former.now, outcome)
            outcome = former.reindex(**options)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert _resolve_duplicates(engine, former.class_, former.reindex(**options)) > 0


def _write_on(store: Store, number: int, done: Event) -> None:
    """Create, change and delete here and there, with values that others have or want too."""
    chance = random.Random(seed() + number)
    for _ in range(TURNS):
        if done.is_set():
            return
        id_ = f"{chance.randrange(LOADED * 3 // 2):05}"
        operation = chance.choice(["write", "write", "delete", "elsewhere"])
        _do(store, operation, id_, chance.choice([None, f"c{chance.randrange(LOADED * 2)}"]))
