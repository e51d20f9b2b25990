"""A uniqueness constraint on objects that are older than it: READY only when no two have the same."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Event, Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.domain.change import Conflict, Deletion, Effect, Taken, Update
from stratabase.model.class_ import Class, Index, Unique
from stratabase.model.types import TYPES
from stratabase.store import keys
from stratabase.store.built import shown
from stratabase.store.claims import claims, holder
from stratabase.store.engine import Engine, Item, Key
from stratabase.store.reindex import Outcome, Reindex
from stratabase.store.slots import FRESH, Slots
from tests.contract.engine.reference import ReferenceEngine
from tests.models import model
from tests.soak import count, seed
from tests.store.clocks import Time
from tests.store.passing import PassingEngine
from tests.store.stores import Store, fresh_class
from tests.store.watched_engine import WatchedEngine

CODE = Unique(("code",))
LOADED = count(60, 3000)
"""Objects that are reindexed under load."""
TURNS = count(60, 1500)
"""Writes of each writer meanwhile."""


def with_uniques(class_: Class, *uniques: Sequence[str]) -> Class:
    """Return a class with other uniqueness constraints."""
    return replace(class_, uniques=tuple(Unique(tuple(each)) for each in uniques))


def retyped(class_: Class, **types: str) -> Class:
    """Return a class some of whose attributes have other types."""
    changed = {name: replace(class_.attributes[name], type=TYPES[type_]) for name, type_ in types.items()}
    return replace(class_, attributes={**class_.attributes, **changed})


def reindex(engine: Engine, class_: Class, time: Time | None = None, **more: Any) -> Outcome:
    """Reindex a class without waiting."""
    time = time or Time()
    return Reindex(engine, model(class_), now=time.milliseconds, sleep=time.sleep).of(class_.name, **more)


def is_guarded(engine: Engine, class_: Class, unique: Unique = CODE) -> bool:
    """Return whether a process that has just started takes a constraint for READY."""
    return Slots(engine, model(class_)).is_guarded(class_, unique)


def shared(outcome: Outcome) -> list[tuple[str, dict[str, Any], tuple[str, ...]]]:
    """Return what several objects have, as plain values."""
    return [(shown(each.unique), dict(each.values), each.ids) for each in outcome.duplicates]


class Old:
    """Objects that were written under a model without constraints, and the class under one with them."""

    def __init__(self, engine: Engine, *uniques: Sequence[str], **codes: str | None) -> None:
        self.engine = engine
        self.bare = fresh_class()
        self.class_ = with_uniques(self.bare, *(uniques or (("code",),)))
        self.before = Store(engine, self.bare)
        for id_, code in codes.items():
            self.before.create(id_, code=code)

    @property
    def now(self) -> Store:
        """A process that has just started with the model that has the constraints."""
        return Store(self.engine, self.class_)

    def reindex(self, **more: Any) -> Outcome:
        """Reindex the class without waiting."""
        return reindex(self.engine, self.class_, **more)


def assert_exact(engine: Engine, class_: Class) -> None:
    """Make sure that each living object holds the guards of all its values, so no two have the same."""
    for page in engine.range(keys.LISTING, keys.listing(class_.name)):
        for item in page:
            entity = Store(engine, class_).get(keys.id_of(item.key))
            held = engine.get(list(claims(class_, entity)))
            assert [holder(guard) for guard in held] == [entity.reference.id] * len(held)


def test_a_class_that_is_new_is_ready_at_once(engine: Engine) -> None:
    assert is_guarded(engine, fresh_class(("code",)))


def test_a_constraint_on_a_class_that_was_served_is_ready_after_a_reindex(engine: Engine) -> None:
    old = Old(engine, x="a", y="b", z=None)
    old.now.create("new", code="c")
    assert not is_guarded(engine, old.class_)
    assert old.reindex() == Outcome()
    assert is_guarded(engine, old.class_)
    assert_exact(engine, old.class_)
    for taken in ("a", "b", "c"):
        with pytest.raises(Taken):
            old.now.create("other", code=taken)


def test_objects_older_than_the_registry_may_lack_guards() -> None:
    engine = WatchedEngine()
    old = Old(engine, x="a")
    del engine._items[keys.REGISTRY]
    assert not is_guarded(engine, old.class_)


def test_what_an_earlier_service_wrote_of_the_registry_is_read(engine: Engine) -> None:
    """It knew of no constraints, so nobody knows whether old objects keep to them."""
    registry = WatchedEngine()
    state = '{"lastNumber": 0, "classes": {"Thing": []}}'
    registry._items[keys.REGISTRY] = Item(keys.REGISTRY, {"revision": 1}, state)
    assert not is_guarded(registry, replace(fresh_class(("code",)), name="Thing"))


def test_the_order_of_the_attributes_does_not_matter(engine: Engine) -> None:
    class_ = fresh_class(("code", "name"))
    assert is_guarded(engine, class_, Unique(("code", "name")))
    assert is_guarded(engine, with_uniques(class_, ("name", "code")), Unique(("name", "code")))


def test_values_that_several_have_are_listed_and_the_rest_is_ready(engine: Engine) -> None:
    old = Old(engine, ("code",), ("name",), v="b", w="b", x="a", y="a", z="a", one="c", none=None, nil=None)
    indexed = replace(old.class_, indexes=(Index(("code",)),))
    outcome = reindex(engine, indexed)
    assert sorted(shared(outcome), key=str) == [
        ("@unique(code)", {"code": "a"}, ("x", "y", "z")),
        ("@unique(code)", {"code": "b"}, ("v", "w")),
    ]
    assert outcome.interrupted == ()
    assert not is_guarded(engine, indexed)
    assert is_guarded(engine, indexed, Unique(("name",)))
    assert all(path.ready for path in Slots(engine, model(indexed)).paths(indexed.name))
    assert Slots(engine, model(indexed)).lacking() == (f"{indexed.name} @unique(code)",)


def test_when_they_are_mended_it_is_ready(engine: Engine) -> None:
    """By an update, by clearing, or by deleting; in any order."""
    old = Old(engine, v="b", w="b", x="a", y="a", z="a")
    old.reindex()
    store = old.now
    store.commit(store.update("x", code="c"))
    store.commit(store.deletion("y"))
    assert shared(old.reindex()) == [("@unique(code)", {"code": "b"}, ("v", "w"))]
    store.commit(store.update("v", code=None))
    assert old.reindex() == Outcome()
    assert is_guarded(engine, old.class_)
    assert_exact(engine, old.class_)


def test_several_attributes_and_texts_that_differ_before_nfc(engine: Engine) -> None:
    old = Old(engine, ("name", "code"))
    old.before.create("x", code="e\u0301", name="n")
    old.before.create("y", code="é", name="n")
    old.before.create("z", code="é", name="m")
    old.before.create("null", code="é")
    ((constraint, values, ids),) = shared(old.reindex())
    assert (constraint, values["name"], ids) == ("@unique(name, code)", "n", ("x", "y"))


def test_a_class_of_many_objects_with_the_same_value_is_told_whole(engine: Engine) -> None:
    """More than are read or written together."""
    old = Old(engine)
    old.before.fill({"_id": f"{number:03}", "code": f"{number % 3}"} for number in range(150))
    old.before.fill({"_id": f"single{number:03}", "code": f"s{number}"} for number in range(150))
    found = {values["code"]: ids for _, values, ids in shared(old.reindex())}
    assert found == {str(n): tuple(f"{number:03}" for number in range(n, 150, 3)) for n in range(3)}
    assert_exact_but(old, {"0", "1", "2"})


def assert_exact_but(old: Old, codes: set[str]) -> None:
    """Make sure that every object holds its guard, but those with some codes, of which one does each."""
    held: dict[str, int] = dict.fromkeys(codes, 0)
    for page in old.engine.range(keys.LISTING, keys.listing(old.class_.name)):
        entities = [old.now.get(keys.id_of(item.key)) for item in page]
        for entity in entities:
            (guard,) = old.engine.get(list(claims(old.class_, entity)))
            code = str(entity.state["code"])
            own = holder(guard) == entity.reference.id
            assert own or code in codes
            if code in codes:
                held[code] += own
    assert held == dict.fromkeys(codes, 1)


def test_guards_left_behind_by_an_earlier_constraint_are_taken_over() -> None:
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
    assert reindex(engine, class_) == Outcome()
    assert is_guarded(engine, class_)
    assert_exact(engine, class_)


def test_a_model_without_the_constraint_drops_it_and_it_is_built_again(engine: Engine) -> None:
    class_ = fresh_class(("code",))
    Store(engine, class_).create("x", code="a")
    assert is_guarded(engine, class_)
    without = Store(engine, with_uniques(class_))
    without.create("y", code="b")
    without.create("z", code="a")
    assert not is_guarded(engine, class_)
    assert shared(reindex(engine, class_)) == [("@unique(code)", {"code": "a"}, ("x", "z"))]
    store = Store(engine, class_)
    store.commit(store.deletion("z"))
    assert reindex(engine, class_) == Outcome()
    assert_exact(engine, class_)


def test_a_model_without_the_class_leaves_its_constraints_alone(engine: Engine) -> None:
    """It writes no objects of it."""
    class_ = fresh_class(("code",))
    assert is_guarded(engine, class_)
    Store(engine, fresh_class()).create("x")
    assert is_guarded(engine, class_)


def test_values_of_an_earlier_type_count_as_null() -> None:
    """So two of them are no duplicates, and none of them needs a guard."""
    engine = WatchedEngine()
    bare = fresh_class()
    Store(engine, bare).fill([{"_id": "x", "count": 1}, {"_id": "y", "count": 1}, {"_id": "z", "count": 2}])
    text = retyped(with_uniques(bare, ("count",)), count="String")
    store = Store(engine, text)
    store.create("new", count="1")
    assert reindex(engine, text) == Outcome()
    assert is_guarded(engine, text, Unique(("count",)))
    assert_exact(engine, text)
    store.commit(store.update("x", count="2"))
    with pytest.raises(Taken):
        store.commit(store.update("y", count="2"))


def test_another_way_to_keep_values_makes_another_constraint() -> None:
    """An Int that becomes a String has values that nobody guarded; a String that becomes a Text has none."""
    engine = ReferenceEngine()
    class_ = fresh_class(("count",), ("name",))
    text = retyped(class_, count="String", name="Text")
    for each in (class_, text):
        Store(engine, each).create(
            f"{each.attributes['count'].type.name}", count=1 if each is class_ else "1"
        )
    assert not is_guarded(engine, text, Unique(("count",)))
    assert is_guarded(engine, text, Unique(("name",)))
    assert not is_guarded(engine, class_, Unique(("count",)))
    assert reindex(engine, class_) == Outcome()
    assert is_guarded(engine, class_, Unique(("count",)))


def test_a_reindex_that_was_stopped_goes_on_and_one_that_is_done_writes_nothing() -> None:
    engine = WatchedEngine()
    old = Old(engine)
    old.before.fill({"_id": f"{number:04}", "code": f"{number}"} for number in range(230))

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        old.reindex(tell=stop)
    assert not is_guarded(engine, old.class_)
    guards = sum(len(batch.actions) // 2 for batch in engine.commits if batch.id.startswith("reindex"))
    assert guards == 100
    old.reindex()
    assert is_guarded(engine, old.class_)
    guards = sum(len(batch.actions) // 2 for batch in engine.commits if batch.id.startswith("reindex"))
    assert guards == 230
    done = len(engine.commits)
    old.reindex()
    assert len(engine.commits) == done


def changed_code(store: Store) -> None:
    store.commit(store.update("x", code="b"))


def changed_elsewhere(store: Store) -> None:
    store.commit(store.update("x", count=1))


def emptied(store: Store) -> None:
    store.commit(store.deletion("x"), store.creation("y", code="d"))


def replaced(store: Store) -> None:
    store.commit(store.deletion("x"), store.creation("y", code="a"))


@pytest.mark.parametrize("act", [changed_code, changed_elsewhere, emptied, replaced])
def test_an_object_that_is_written_just_before_its_guard_is(act: Callable[[Store], None]) -> None:
    engine = WatchedEngine()
    old = Old(engine, x="a", z="c")
    store = old.now
    engine.before_commit = lambda: act(store)
    assert old.reindex() == Outcome()
    assert engine.before_commit is None
    assert is_guarded(engine, old.class_)
    assert_exact(engine, old.class_)
    assert sum(1 for key in engine.items if key.sort == "U") == 2


def test_a_duplicate_that_is_mended_meanwhile_is_none() -> None:
    """Its rival loses the guard that was refused to it, which it must have before all is READY."""
    engine = WatchedEngine()
    old = Old(engine, x="a", y="a")
    store = old.now

    def mend(_: int) -> None:
        assert engine.get([guard("a")]) == [Item(guard("a"), {"holder": "x"})]
        store.commit(store.update("x", code="b"))

    def guard(code: str) -> Key:
        key = keys.guard(old.class_.name, CODE, {"code": code})
        assert key is not None
        return key

    assert old.reindex(tell=mend) == Outcome()
    assert is_guarded(engine, old.class_)
    assert_exact(engine, old.class_)


def test_a_value_may_be_given_up_that_was_never_guarded() -> None:
    engine = WatchedEngine()
    old = Old(engine, x="a", y="a", z="c")
    store = old.now
    store.commit(store.update("x", code="b"))
    store.commit(store.update("y", count=1))
    store.commit(store.deletion("z"))
    assert old.reindex() == Outcome()
    assert_exact(engine, old.class_)


def test_it_cannot_become_ready_while_a_process_with_an_earlier_model_writes() -> None:
    """Neither when that writes before the objects are looked at, nor between them; but once it has ended."""
    engine, time = ReferenceEngine(), Time()
    old = Old(engine, x="a")
    earlier = Store(engine, old.bare)
    earlier.entities._slots = Slots(engine, model(old.bare), clock=time, now=time.milliseconds)
    names = iter(range(100))

    def write(_: object = None) -> None:
        name = next(names)
        earlier.create(f"earlier{name}", code=f"{name}")

    def sleep(seconds: float) -> None:
        assert seconds >= FRESH
        time.sleep(seconds)
        write()

    def write_and_serve(_: object) -> None:
        write()
        assert not is_guarded(engine, old.class_)

    asleep = Reindex(engine, model(old.class_), now=time.milliseconds, sleep=sleep).of(old.class_.name)
    assert asleep.interrupted == ("@unique(code)",)
    for act in (write, write_and_serve):
        time.sleep(FRESH)
        assert reindex(engine, old.class_, time, tell=act).interrupted == ("@unique(code)",)
        assert not is_guarded(engine, old.class_)
    assert reindex(engine, old.class_, time) == Outcome()
    assert is_guarded(engine, old.class_)
    assert_exact(engine, old.class_)


def test_who_has_read_the_registry_just_before_writes_before_a_reindex_begins() -> None:
    """A process with an earlier model goes on writing for as long as it may, without dropping anything."""
    engine, time = ReferenceEngine(), Time()
    old = Old(engine)
    earlier = Store(engine, old.bare)
    earlier.entities._slots = Slots(engine, model(old.bare), clock=time, now=time.milliseconds)
    earlier.create("x", code="a")

    def sleep(seconds: float) -> None:
        time.sleep(FRESH / 2)
        earlier.create("y", code="b")
        time.sleep(seconds - FRESH / 2)

    assert (
        Reindex(engine, model(old.class_), now=time.milliseconds, sleep=sleep).of(old.class_.name)
        == Outcome()
    )
    assert is_guarded(engine, old.class_)
    assert_exact(engine, old.class_)


def test_two_reindexes_at_once_do_no_harm() -> None:
    engine = WatchedEngine()
    old = Old(engine, v="b", w="b", x="a", y="c")
    outcomes: list[Outcome] = []
    engine.before_commit = lambda: outcomes.append(old.reindex())
    outcomes.append(old.reindex())
    expected = [("@unique(code)", {"code": "b"}, ("v", "w"))]
    assert [shared(outcome) for outcome in outcomes] == [expected, expected]
    store = old.now
    store.commit(store.deletion("w"))
    engine.before_commit = lambda: outcomes.append(old.reindex())
    store.commit(store.deletion("y"))
    assert outcomes[-1] == old.reindex() == Outcome()
    assert_exact(engine, old.class_)


class Interrupted(PassingEngine):
    """Lets others come between: before each call, what is to be done then is done."""

    def __init__(self) -> None:
        super().__init__(ReferenceEngine())
        self.acts: Iterator[Callable[[], None] | None] = iter(())
        self._acting = False

    def begin(self) -> None:
        """Do what is to be done before a call, unless it is that which calls."""
        if self._acting:
            return
        self._acting = True
        act = next(self.acts, None)
        if act is not None:
            act()
        self._acting = False


MEANWHILE: dict[str, tuple[str, str, str | None]] = {
    "the first gives way": ("write", "x", "c"),
    "the second gives way": ("write", "y", "c"),
    "the first goes": ("delete", "x", None),
    "the second goes": ("delete", "y", None),
    "another comes": ("write", "new", "a"),
    "who held it takes it again": ("write", "w", "a"),
    "something else changes": ("elsewhere", "y", None),
}


@pytest.mark.parametrize("deed", MEANWHILE.values(), ids=MEANWHILE)
@pytest.mark.parametrize("first", ["a", "b"], ids=["a duplicate", "no duplicate"])
def test_at_whatever_step_something_comes_between(deed: tuple[str, str, str | None], first: str) -> None:
    """`x` has "a" or "b", `y` has "a", and `w` holds that but has it no more."""
    step, reached = 0, True
    while reached:
        engine = Interrupted()
        class_ = fresh_class(("code",))
        store = Store(engine, class_)
        store.create("w", code="a")
        without = Store(engine, with_uniques(class_))
        without.commit(without.update("w", code=None))
        without.create("x", code=first)
        without.create("y", code="a")
        assert not is_guarded(engine, class_)
        engine.acts = iter([*[None] * step, _acts(Store(engine, class_), [deed])])
        outcome = reindex(engine, class_)
        reached = not list(engine.acts)
        assert is_guarded(engine, class_) is (outcome == Outcome())
        assert all(len(ids) > 1 for _, _, ids in shared(outcome))
        if outcome == Outcome():
            assert_exact(engine, class_)
        _mend(store, outcome)
        assert reindex(engine, class_) == Outcome()
        assert_exact(engine, class_)
        step += 1
    assert step > 7


IDS = "uvwxyz"
codes = st.sampled_from(["a", "b", "é", "e\u0301", None])
deeds = st.tuples(st.sampled_from(["write", "delete", "elsewhere"]), st.sampled_from(IDS), codes)


@pytest.mark.soak
@given(
    st.lists(st.tuples(st.sampled_from(IDS), codes, st.booleans()), max_size=12),
    st.lists(st.none() | st.lists(deeds, min_size=1, max_size=2), max_size=20),
)
def test_whatever_comes_between_ready_means_that_no_two_have_the_same(
    history: list[tuple[str, str | None, bool]], meanwhile: list[list[tuple[str, str, str | None]] | None]
) -> None:
    """Old objects under models with and without the constraint; others write between any two steps."""
    engine = Interrupted()
    class_ = fresh_class(("code",))
    stores = {True: Store(engine, class_), False: Store(engine, with_uniques(class_))}
    for id_, code, guarded in history:
        stores = {each: Store(engine, store.class_) for each, store in stores.items()}
        _do(stores[guarded], "write", id_, code)
    is_guarded(engine, class_)
    writer = Store(engine, class_)
    engine.acts = iter([None if some is None else _acts(writer, some) for some in meanwhile])
    outcome = reindex(engine, class_)
    engine.acts = iter(())
    assert is_guarded(engine, class_) is (outcome == Outcome())
    _mend(writer, outcome)
    while (outcome := reindex(engine, class_)) != Outcome():
        _mend(writer, outcome)
    assert is_guarded(engine, class_)
    assert_exact(engine, class_)


def _acts(store: Store, some: list[tuple[str, str, str | None]]) -> Callable[[], None]:
    def act() -> None:
        for deed, id_, code in some:
            _do(store, deed, id_, code)

    return act


def _do(store: Store, deed: str, id_: str, code: str | None) -> None:
    """Write as a client does, who may be refused."""
    with suppress(Taken, Conflict):
        store.commit(*_effects(store, deed, id_, code))


def _effects(store: Store, deed: str, id_: str, code: str | None) -> list[Effect]:
    before = store.find(id_)
    if before is None:
        return [store.creation(id_, code=code)]
    if deed == "delete":
        return [Deletion(before)]
    changes = {"code": code} if deed == "write" else {"count": 1}
    return [Update(before, replace(before, state={**before.state, **changes}))]


def _mend(store: Store, outcome: Outcome) -> None:
    """Clear all but one of what several have."""
    for duplicate in outcome.duplicates:
        for id_ in duplicate.ids[1:]:
            if store.find(id_) is not None:
                _do(store, "write", id_, None)


@pytest.mark.soak
def test_ready_is_exact_while_four_write(engine: Engine) -> None:
    """Old objects with duplicates; four clients go on, what several have is mended, until it is READY."""
    old = Old(engine)
    old.before.fill({"_id": f"{n:05}", "code": f"c{n - n % 10 % 2}"} for n in range(LOADED))
    assert not is_guarded(engine, old.class_)
    done = Event()
    threads = [Thread(target=_write_on, args=(old, number, done)) for number in range(4)]
    for thread in threads:
        thread.start()
    try:
        outcome = old.reindex()
        while outcome != Outcome():
            _mend(old.now, outcome)
            outcome = old.reindex()
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert is_guarded(engine, old.class_)
    assert_exact(engine, old.class_)


def _write_on(old: Old, number: int, done: Event) -> None:
    """Create, change and delete here and there, with values that others have or want too."""
    store, chance = old.now, random.Random(seed() + number)
    for _ in range(TURNS):
        if done.is_set():
            return
        id_ = f"{chance.randrange(LOADED * 3 // 2):05}"
        deed = chance.choice(["write", "write", "delete", "elsewhere"])
        _do(store, deed, id_, chance.choice([None, f"c{chance.randrange(LOADED * 2)}"]))
