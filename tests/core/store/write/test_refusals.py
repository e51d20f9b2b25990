"""The outcome of a change whose response was lost, decided from the heads that were found."""

import pytest

from stratabase.core.domain.objects.change import Change, Creation, Deletion, Effect, Modification
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.store.engine.port import (
    NOT_EXISTS,
    Batch,
    Check,
    ExpectationFailed,
    Failure,
    Item,
    Key,
    OutcomeUnknown,
)
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.codec import COMMIT_IDS, MAX_COMMIT_IDS
from stratabase.core.store.write.refusals import was_committed, was_not_committed
from tests.core.store.stores import Store, fresh_class
from tests.core.store.watched_engine import WatchedEngine
from tests.rows import each_row

X, Y = Reference("Thing", "x"), Reference("Thing", "y")
READ = Entity(X, {"_id": "x"}, ("first", "last"))
AFTER = Entity(X, {"_id": "x", "name": "new"}, ("first", "last"))
CREATION, UPDATE, DELETION = Creation(AFTER), Modification(READ, AFTER), Deletion(READ)
OTHERS = tuple(f"other{number}" for number in range(MAX_COMMIT_IDS))


def change(*effects: Effect) -> Change:
    return Change("mine", 0, effects)


def failure(*commit_ids: str, key: Key = keys.head(X)) -> Failure:  # noqa: B008 - it does not change
    """Return the failure of a check for a free key, which found an item with these commit ids."""
    return Failure(Check(key, NOT_EXISTS), Item(key, {COMMIT_IDS: [*commit_ids]}))


NOTHING = Failure(Check(keys.head(X), NOT_EXISTS), None)


@each_row("effect", [CREATION, UPDATE, DELETION])
@each_row("commit_ids", [("mine",), ("first", "last", "mine"), ("last", "mine", *OTHERS[:6])])
def test_a_head_that_names_a_change_proves_its_commit(effect: Effect, commit_ids: tuple[str, ...]) -> None:
    assert was_committed(change(effect), [failure(*commit_ids)])
    assert not was_not_committed(change(effect), [failure(*commit_ids)])


@each_row("effect", [UPDATE, DELETION])
@each_row("commit_ids", [("first", "last"), ("first", "last", "other"), ("last", *OTHERS[:7])])
def test_a_head_with_only_earlier_changes_disproves_the_commit(
    effect: Effect, commit_ids: tuple[str, ...]
) -> None:
    assert not was_committed(change(effect), [failure(*commit_ids)])
    assert was_not_committed(change(effect), [failure(*commit_ids)])


@each_row("effect", [CREATION, UPDATE, DELETION])
@each_row(
    "found",
    [
        failure(*OTHERS),
        failure(),
        NOTHING,
        failure("first"),
        failure("first", "last", key=keys.head(Y)),
        failure(key=Key("U#Thing.code#1", "U")),
    ],
)
def test_other_heads_prove_nothing(effect: Effect, found: Failure) -> None:
    """This includes an earlier commit than the one that the change expected to be the last."""
    assert not was_committed(change(effect), [found])
    assert not was_not_committed(change(effect), [found])


def test_a_found_new_object_never_disproves_its_creation() -> None:
    assert not was_not_committed(change(CREATION), [failure("first", "last")])


def test_one_head_decides_for_the_whole_change() -> None:
    """A change is committed completely or not at all."""
    both = change(Creation(Entity(Y, {"_id": "y"})), UPDATE)
    assert was_committed(both, [NOTHING, failure("mine", key=keys.head(Y))])
    assert was_not_committed(both, [failure(*OTHERS, key=keys.head(Y)), failure("first", "last", "other")])


class UncertainEngine(WatchedEngine):
    """An engine that never knows whether a refused batch was committed before."""

    def commit(self, batch: Batch) -> None:
        try:
            super().commit(batch)
        except ExpectationFailed as refusal:
            raise OutcomeUnknown(refusal.failures) from refusal


@pytest.fixture
def store() -> Store:
    """A store in such an engine."""
    return Store(UncertainEngine(), fresh_class())


def test_a_doubtful_change_that_was_disproved_is_a_conflict(store: Store) -> None:
    store.create("x")
    stale = store.update("x", count=1)
    store.commit(store.update("x", count=2))
    with pytest.raises(Conflict):
        store.commit(stale)


def test_a_doubtful_change_without_evidence_is_unknown(store: Store) -> None:
    store.create("x")
    stale = store.update("x", count=1)
    store.commit(store.deletion("x"))
    with pytest.raises(OutcomeUnknown, match="might not have been saved"):
        store.commit(stale)


def test_a_doubtful_change_that_was_proved_is_committed(store: Store) -> None:
    store.create("x")
    update = store.update("x", count=1)
    store.commit(update, commit_id="mine")
    store.commit(update, commit_id="mine")
    assert store.get("x").state["count"] == 1


class Recording(WatchedEngine):
    """An engine that records all requested commits, including refused ones."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Batch] = []

    def commit(self, batch: Batch) -> None:
        self.asked.append(batch)
        super().commit(batch)


def test_each_round_of_a_commit_keeps_its_commit_id_and_has_its_own_batch_id() -> None:
    """The engine recognizes an earlier commit, and does not mistake another round for a retry."""
    engine = Recording()
    store = Store(engine, fresh_class(("code",)))
    store.create("x", code="a")
    ((guard, _),) = [each for each in engine.items.items() if each[0].sort == "U"]
    del engine.items[guard]
    engine.asked.clear()
    store.commit(store.update("x", code=None), commit_id="mine")
    assert [(batch.id, batch.attempt, len(batch.actions)) for batch in engine.asked] == [
        ("mine", 0, 2),
        ("mine", 1, 1),
    ]
    assert store.get("x").commit_ids[-1] == "mine"
