"""Concurrent callers: no required role is left empty, no target is shared, and both ends agree."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

import pytest

from stratabase.core.domain.objects.change import Effect
from stratabase.core.domain.objects.commit_refusals import Conflict, IntegrityViolation
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.engine_calls import run_concurrently
from tests.core.store.graphs import Objects, associated
from tests.soak import count

TIMES = count(5, 200)
MOST_ROUNDS = 1000


@pytest.fixture
def times(engine: Engine) -> int:
    """Return the number of repetitions: fewer for engines other than a file."""
    return TIMES if isinstance(engine, SqliteEngine) else max(TIMES // 10, 5)


Decide = Callable[[Objects], Sequence[Effect]]


def done(objects: Objects, decide: Decide) -> bool:
    """Plan and commit until no other write interferes. Return whether the write was accepted."""
    for _ in range(MOST_ROUNDS):
        with suppress(Conflict):
            try:
                objects.commit(*decide(objects))
            except IntegrityViolation:
                return False
            return True
    raise AssertionError("others came between for ever")


def raced(engine: Engine, kind: str, prepare: Decide, *rivals: Decide) -> Objects:
    """Run callers in their own processes concurrently. Return the objects, and how many callers succeeded."""
    objects = Objects(engine, associated(kind))
    objects.commit(*prepare(objects))
    processes = [objects.under(associated(kind)) for _ in rivals]
    outcomes = run_concurrently(*(partial(done, *each) for each in zip(processes, rivals, strict=True)))
    objects.outcomes = outcomes
    return objects


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["key and required list", "both required"])
def test_one_of_two_concurrent_deletions_of_the_last_two_members_is_refused(
    engine: Engine, kind: str, times: int
) -> None:
    for _ in range(times):
        objects = raced(
            engine,
            kind,
            lambda objects: [
                objects.creation("B", "b"),
                *(objects.creation("A", id_, to="b") for id_ in "xy"),
            ],
            lambda objects: [objects.deletion("A", "x")],
            lambda objects: [objects.deletion("A", "y")],
        )
        assert sorted(objects.outcomes) == [False, True]
        (left,) = [id_ for id_ in "xy" if objects.find("A", id_)]
        assert objects.linked("B", "of", "b") == left
        assert {*objects.get("B", "b").counts.values()} == {1}


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["required list one way", "many to many, both required"])
def test_one_of_two_concurrent_deletions_of_the_last_two_link_targets_is_refused(
    engine: Engine, kind: str, times: int
) -> None:
    for _ in range(times):
        objects = raced(
            engine,
            kind,
            lambda objects: [
                objects.creation("A", "a"),
                *(objects.creation("B", id_) for id_ in "xy"),
                *objects.linking("A", "to", "a", "x", "y"),
            ],
            lambda objects: [objects.deletion("B", "x")],
            lambda objects: objects.unlinking("A", "to", "a", "y"),
        )
        assert sorted(objects.outcomes) == [False, True]
        assert objects.linked("A", "to", "a") in {"x", "y"}
        assert objects.get("A", "a").counts == {objects.role("A", "to"): 1}


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["one to one", "one to one, other required"])
def test_exactly_one_concurrent_reference_to_a_one_to_one_target_succeeds(
    engine: Engine, kind: str, times: int
) -> None:
    for _ in range(times):
        objects = raced(
            engine,
            kind,
            lambda objects: [
                objects.creation("B", "b"),
                objects.creation("A", "x"),
                objects.creation("A", "y"),
            ],
            lambda objects: [objects.update("A", "x", to="b")],
            lambda objects: [objects.update("A", "y", to="b")],
            lambda objects: [objects.creation("A", "z", to="b")],
        )
        assert sorted(objects.outcomes) == [False, False, True]
        (holder,) = [
            id_ for id_ in "xyz" if (found := objects.find("A", id_)) and found.state.get("to") == "b"
        ]
        assert objects.linked("B", "of", "b") == holder


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["key", "key and list", "one to one"])
def test_a_concurrent_deletion_leaves_no_key_to_a_deleted_target(
    engine: Engine, kind: str, times: int
) -> None:
    """The key is either set before the deletion and then leads to nothing, or refused."""
    for _ in range(times):
        objects = raced(
            engine,
            kind,
            lambda objects: [objects.creation("B", "b"), objects.creation("A", "x")],
            lambda objects: [objects.deletion("B", "b")],
            lambda objects: [objects.update("A", "x", to="b")],
        )
        was_deleted, was_set = objects.outcomes
        assert was_deleted
        assert objects.find("B", "b") is None
        assert ("to" in objects.get("A", "x").state) == was_set


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["required key", "required key and list", "one to one, key required"])
def test_a_required_key_is_never_broken_by_concurrent_deletion(engine: Engine, kind: str, times: int) -> None:
    for _ in range(times):
        objects = raced(
            engine,
            kind,
            lambda objects: [objects.creation("B", "b")],
            lambda objects: [objects.deletion("B", "b")],
            lambda objects: [objects.creation("A", "x", to="b")],
        )
        was_deleted, was_made = objects.outcomes
        assert was_deleted != was_made
        assert (objects.find("B", "b") is None) == was_deleted
        assert (objects.find("A", "x") is None) == was_deleted


@pytest.mark.soak
def test_a_link_is_complete_or_absent_after_concurrent_deletions(engine: Engine, times: int) -> None:
    """If either object is deleted, nothing is left at the other."""
    for _ in range(times):
        objects = raced(
            engine,
            "many to many",
            lambda objects: [
                objects.creation("A", "a"),
                objects.creation("B", "x"),
                objects.creation("B", "y"),
            ],
            lambda objects: objects.linking("A", "to", "a", "x", "y"),
            lambda objects: [objects.deletion("B", "x")],
            lambda objects: objects.linking("B", "of", "y", "a"),
        )
        linked, deleted, linked_back = objects.outcomes
        assert deleted
        assert linked_back
        assert objects.linked("A", "to", "a") == "y"
        assert objects.linked("B", "of", "x") == ""
        assert objects.linked("B", "of", "y") == "a"
        assert linked in {True, False}


@pytest.mark.soak
def test_concurrent_links_and_unlinks_are_all_counted(engine: Engine) -> None:
    objects = Objects(engine, associated("both required"))
    objects.commit(objects.creation("B", "b"), objects.creation("A", "first", to="b"))

    def come_and_go(process: Objects, name: str) -> None:
        for number in range(count(5, 50)):
            assert done(process, joining(f"{name}{number}"))
            if number % 2:
                assert done(process, leaving(f"{name}{number}"))

    run_concurrently(*(partial(come_and_go, objects.under(objects.told), name) for name in "abcd"))
    members = objects.linked("B", "of", "b").split()
    assert {*objects.get("B", "b").counts.values()} == {len(members)}
    assert len(members) == 1 + 4 * count(3, 25)


def joining(id_: str) -> Decide:
    return lambda objects: [objects.creation("A", id_, to="b")]


def leaving(id_: str) -> Decide:
    return lambda objects: [objects.deletion("A", id_)]
