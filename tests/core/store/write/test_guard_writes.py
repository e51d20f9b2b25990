"""Unique values: one holder each, despite concurrent changes and changing models."""

import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.objects.change import Effect
from stratabase.core.domain.objects.commit_refusals import Conflict, UniqueViolation
from stratabase.core.model.model import Unique
from stratabase.core.store.engine.port import DeleteItem, Engine, Item, Put
from stratabase.core.store.layout import keys
from tests.contract.engine.engines import SEQUENTIAL, engine_fixture, scope_of_shared_engine
from tests.core.store.stores import Store, fresh_class
from tests.core.store.watched_engine import WatchedEngine

engine = engine_fixture(SEQUENTIAL, scope_of_shared_engine)

CODE = Unique(("code",))


@pytest.fixture
def store(engine: Engine) -> Store:
    """A store whose codes are unique."""
    return Store(engine, fresh_class(("code",)))


@pytest.fixture
def watched() -> WatchedEngine:
    """An engine whose items are visible, and that runs other writes before a commit."""
    return WatchedEngine()


def refused(store: Store, *effects: Effect) -> tuple[tuple[str, Unique], ...]:
    """Return the conflicting ids and constraints. Assert that nothing was written."""
    with pytest.raises(UniqueViolation) as refusal:
        store.commit(*effects)
    return tuple((reference.id, unique) for reference, unique in refusal.value.violations)


def holders(engine: WatchedEngine) -> dict[str, int]:
    """Return how many guards each object holds."""
    held = [str(item.attributes["holder"]) for key, item in engine.items.items() if key.sort == "U"]
    return {holder: held.count(holder) for holder in held}


def test_a_value_stays_reserved_after_other_changes_of_its_object(store: Store) -> None:
    store.create("x", code="a", count=1)
    store.commit(store.update("x", count=2))
    assert refused(store, store.creation("y", code="a"))


def test_values_with_a_null_are_never_duplicates(engine: Engine) -> None:
    store = Store(engine, fresh_class(("name", "count")))
    store.create("x", name="a", count=1)
    store.create("y", name="a")
    store.create("z", name="a")
    store.create("zz", name="a", count=2)
    taken = refused(store, store.creation("last", name="a", count=1))
    assert taken == (("last", Unique(("name", "count"))),)


@pytest.mark.parametrize("value", ["é", "한", "ﬁ", "Å", "e\u0301\u0327"])
def test_texts_compare_after_nfc(store: Store, value: str) -> None:
    store.create("x", code=unicodedata.normalize("NFC", value))
    assert refused(store, store.creation("y", code=unicodedata.normalize("NFD", value)))
    assert store.get("x").state["code"] == unicodedata.normalize("NFC", value)


def test_texts_are_stored_unchanged(store: Store) -> None:
    store.create("x", code="e\u0301")
    assert store.get("x").state["code"] == "e\u0301"
    store.commit(store.update("x", code="é"))
    assert store.get("x").state["code"] == "é"
    assert refused(store, store.creation("y", code="e\u0301"))


def test_texts_differ_by_case_and_type_matters(engine: Engine) -> None:
    store = Store(engine, fresh_class(("code", "count"), ("count", "good")))
    store.create("x", code="a", count=1, good=True)
    store.create("y", code="A", count=1, good=False)
    store.create("z", code="1", count=0)


def test_all_taken_values_are_reported(engine: Engine) -> None:
    store = Store(engine, fresh_class(("code",), ("name",)))
    store.create("x", code="a")
    store.create("y", name="n")
    taken = refused(store, store.creation("z", code="a", name="n"), store.creation("free", code="b"))
    assert set(taken) == {("z", CODE), ("z", Unique(("name",)))}


def test_a_change_has_one_action_per_key_and_none_for_unchanged_guards(watched: WatchedEngine) -> None:
    store = Store(watched, fresh_class(("code",), ("name",)))
    store.create("x", code="a", name="n")
    store.create("y", code="b", name="m")
    store.commit(store.update("x", code="b"), store.update("y", code="a"))
    assert len(watched.commits[-1].actions) == 4
    store.commit(store.update("x", code="c"))
    assert [type(action) for action in watched.commits[-1].actions[1:]] == [Put, DeleteItem]
    store.commit(store.update("x", count=1))
    assert len(watched.commits[-1].actions) == 1


def test_a_conflict_takes_precedence_over_a_taken_value(store: Store) -> None:
    """The change is then planned again with the current objects."""
    store.create("x", code="a")
    store.create("y", code="b")
    stale = store.update("x", code="b")
    store.commit(store.update("x", count=1))
    with pytest.raises(Conflict):
        store.commit(stale)


def test_exactly_one_of_racing_creations_succeeds(engine: Engine) -> None:
    store, racers = Store(engine, fresh_class(("code",))), 8
    start = Barrier(racers)

    def race(id_: str) -> bool:
        start.wait()
        try:
            store.create(id_, code="a")
        except UniqueViolation:
            return False
        return True

    with ThreadPoolExecutor(racers) as threads:
        won = list(threads.map(race, map(str, range(racers))))
    assert sum(won) == 1
    assert [store.find(str(number)) is not None for number in range(racers)] == won


def test_an_object_older_than_the_constraint_can_be_written(watched: WatchedEngine) -> None:
    """It has no guard for its value, so there is no guard to delete or to move."""
    store = Store(watched, fresh_class(("code",)))
    old = store.unguarded()
    for id_ in "xyz":
        old.create(id_, code=id_)
    store.commit(store.update("x", code="a"))
    store.commit(store.deletion("y"))
    store.commit(store.update("z", code=None), store.creation("y", code="z"))
    assert holders(watched) == {"x": 1, "y": 1}


def test_a_guard_of_another_object_is_not_released(watched: WatchedEngine) -> None:
    """Two had the same before there was a constraint; one took it since, the other lets it be."""
    store = Store(watched, fresh_class(("code",)))
    old = store.unguarded()
    old.create("x", code="a")
    old.create("y", code="b")
    store.commit(store.update("y", code="a"))
    store.commit(store.update("x", code="c"))
    assert refused(store, store.creation("z", code="a"))
    assert holders(watched) == {"x": 1, "y": 1}


@pytest.fixture
def left_behind(watched: WatchedEngine) -> Store:
    """A store in which `x` has the code "b", but the guard of "a". An update ignored the constraint."""
    store = Store(watched, fresh_class(("code",)))
    store.create("x", code="a")
    old = store.unguarded()
    old.commit(old.update("x", code="b"))
    return store


def test_a_value_with_a_stale_guard_can_be_taken(left_behind: Store) -> None:
    left_behind.create("y", code="a")
    assert refused(left_behind, left_behind.update("x", code="a"))


def test_a_value_with_a_stale_guard_can_be_taken_by_its_holder(left_behind: Store) -> None:
    left_behind.commit(left_behind.update("x", code="a"))
    assert refused(left_behind, left_behind.creation("y", code="a"))


def test_a_value_with_a_stale_guard_of_a_deleted_object_can_be_taken(
    left_behind: Store, watched: WatchedEngine
) -> None:
    old = left_behind.unguarded()
    old.commit(old.deletion("x"))
    left_behind.create("y", code="a")
    assert holders(watched) == {"y": 1}


def test_a_value_with_a_stale_guard_can_be_taken_while_its_holder_is_written(left_behind: Store) -> None:
    left_behind.commit(left_behind.update("x", count=1), left_behind.creation("y", code="a"))
    assert refused(left_behind, left_behind.creation("z", code="a"))


@pytest.mark.parametrize("first", ["holder", "newcomer"])
def test_a_race_for_a_value_with_a_stale_guard_creates_no_duplicate(
    left_behind: Store, watched: WatchedEngine, first: str
) -> None:
    """The holder takes its value again while another takes it for left behind; either may be first."""
    store = left_behind
    effects: dict[str, Effect] = {
        "holder": store.update("x", code="a"),
        "newcomer": store.creation("y", code="a"),
    }
    winner = effects.pop(first)
    (loser,) = effects.values()
    _between_rounds(watched, lambda: store.commit(winner))
    with pytest.raises((UniqueViolation, Conflict)):
        store.commit(loser)
    codes = [entity.state["code"] for entity in map(store.find, "xy") if entity is not None]
    assert codes.count("a") == 1
    assert len(holders(watched)) == 1


def _between_rounds(watched: WatchedEngine, act: Callable[[], None]) -> None:
    """Run an action after the next commit was refused, and before it is retried."""

    def once() -> None:
        watched.before_commit = act

    watched.before_commit = once


def test_a_commit_gives_up_after_repeated_conflicts(watched: WatchedEngine) -> None:
    """The guard is another's at each look, and its holder never there."""
    store = Store(watched, fresh_class(("code",)))
    key = keys.guard(store.class_.name, CODE, {"code": "a"})
    assert key is not None
    names = iter(range(100))

    def meddle() -> None:
        watched.items[key] = Item(key, {"holder": f"ghost{next(names)}"})
        watched.before_commit = meddle

    watched.before_commit = meddle
    with pytest.raises(Conflict):
        store.create("x", code="a")
    assert store.find("x") is None


def test_the_key_of_a_guard_is_independent_of_attribute_order() -> None:
    state: dict[str, Any] = {"code": "a", "count": 1}
    one, other = Unique(("code", "count")), Unique(("count", "code"))
    assert keys.guard("C", one, state) == keys.guard("C", other, state)


def test_the_key_of_a_guard_is_the_digest_of_the_canonical_values() -> None:
    """It must be the same in all versions of the service."""
    digest = sha256('["é",1]'.encode()).hexdigest()
    state: dict[str, Any] = {"code": "e\u0301", "count": 1}
    assert keys.guard("C", Unique(("code", "count")), state) == (f"U#C.code,count#{digest}", "U")


codes = st.sampled_from(["a", "b", "é", "e\u0301", None])
steps = st.lists(
    st.lists(
        st.tuples(st.sampled_from("xyz"), st.none() | codes), min_size=1, max_size=3, unique_by=lambda t: t[0]
    ),
    max_size=8,
)


@pytest.mark.soak
@given(steps)
def test_random_histories_keep_values_unique_and_guards_exact(
    history: list[list[tuple[str, str | None]]],
) -> None:
    """Against a dict: a change is refused exactly when two would have the same; no guard is left over."""
    watched = WatchedEngine()
    store = Store(watched, fresh_class(("code",)))
    expected: dict[str, str | None] = {}
    for step in history:
        wanted = {**expected, **dict(step)}
        effects = [_write(store, id_, code) for id_, code in step]
        if _doubles(wanted):
            assert refused(store, *effects)
        else:
            store.commit(*effects)
            expected = wanted
        assert {id_: store.get(id_).state.get("code") for id_ in expected} == expected
        assert holders(watched) == {id_: 1 for id_, code in expected.items() if code is not None}


def _doubles(codes: dict[str, str | None]) -> bool:
    held = [unicodedata.normalize("NFC", code) for code in codes.values() if code is not None]
    return len(set(held)) < len(held)


def _write(store: Store, id_: str, code: str | None) -> Effect:
    return store.creation(id_, code=code) if store.find(id_) is None else store.update(id_, code=code)
