"""Parts are locked like other objects, even during deletion of a whole with very many parts."""

from contextlib import suppress

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.change import Deletion
from stratabase.core.domain.objects.commit_refusals import Conflict, LockedByOthers, LockRefused
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.write import cleanup
from tests.contract.engine.engine_calls import run_concurrently
from tests.core.store.graphs import Objects, class_with, parts, whole
from tests.core.store.locking import Member
from tests.core.store.watched_engine import WatchedEngine
from tests.models import model
from tests.soak import count

MODEL = model(
    class_with("Order", parts("lines", "Line", "order_")),
    class_with("Line", whole("order_", "Order", "lines"), parts("notes", "Note", "line_")),
    class_with("Note", whole("line_", "Line", "notes")),
)
LINES = [f"{number:03}" for number in range(110)]
"""More than end together with their order."""
RACES = count(3, 60)


@pytest.fixture
def watched() -> WatchedEngine:
    """An engine that runs other writes before a commit."""
    return WatchedEngine()


def ordered(engine: Engine, id_: str = "o") -> Objects:
    """Create an order with many lines, one of which has a note."""
    objects = Objects(engine, MODEL)
    objects.create("Order", id_, lines=LINES)
    for first in range(0, len(LINES), 55):
        objects.create("Line", *LINES[first : first + 55], order_=id_)
    objects.commit(objects.update("Line", "007", notes=["n"]), objects.creation("Note", "n", line_="007"))
    return objects


def all_of_it(objects: Objects, id_: str = "o") -> list[Deletion]:
    """Return the deletions of the order and all of its parts."""
    lines = [Deletion(objects.get("Line", line)) for line in LINES]
    return [objects.deletion("Order", id_), *lines, objects.deletion("Note", "n")]


@pytest.mark.parametrize("part", [("Line", "050"), ("Note", "n")])
def test_a_lock_on_a_part_prevents_deletion_of_its_whole(
    watched: WatchedEngine, part: tuple[str, str]
) -> None:
    objects = ordered(watched)
    ada, bob = Member(objects, "ada"), Member(objects, "bob")
    deletions = all_of_it(objects)
    lock = ada.lock(objects.reference(*part))
    for act in (objects.entities.commit, objects.entities.dry_run):
        with pytest.raises(LockedByOthers) as refusal:
            act(bob.change(*deletions))
        assert refusal.value.locks == ((objects.reference(*part), lock),)
    assert objects.find("Order", "o") is not None
    ada.unlock(objects.reference(*part))
    bob.write(*all_of_it(objects))
    assert objects.find("Line", "050") is None


@pytest.mark.parametrize("part", [("Line", "050"), ("Note", "n")])
def test_a_lock_at_the_last_moment_prevents_the_deletion(
    watched: WatchedEngine, part: tuple[str, str]
) -> None:
    """The parts have been asked; they are not in the commit itself."""
    objects = ordered(watched)
    ada, bob = Member(objects, "ada"), Member(objects, "bob")
    deletions = all_of_it(objects)
    watched.before_commit = lambda: ada.lock(objects.reference(*part)) and None
    with pytest.raises(Conflict):
        bob.write(*deletions)
    assert objects.find("Order", "o") is not None
    assert objects.get(*part).lock is not None
    with pytest.raises(LockedByOthers):
        bob.write(*all_of_it(objects))
    ada.write(*all_of_it(objects))


def test_a_part_awaiting_purge_cannot_be_locked(
    watched: WatchedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)
    objects = ordered(watched)
    ada = Member(objects, "ada")
    references = [objects.reference(*each) for each in (("Line", "050"), ("Note", "n"))]
    objects.commit(*all_of_it(objects))
    assert all(objects.entities.read(references))
    for each in references:
        with pytest.raises(LockRefused) as refusal:
            ada.lock(each)
        assert refusal.value.missing == (each,)
    objects.entities.sweep()
    assert objects.entities.read(references) == [None, None]


def test_a_part_of_a_concurrently_deleted_whole_cannot_be_locked(
    watched: WatchedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole is deleted after the part was read, and before the part is locked."""
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)
    objects = ordered(watched)
    ada, deletions = Member(objects, "ada"), all_of_it(objects)
    watched.before_commit = lambda: objects.commit(*deletions)
    with pytest.raises(LockRefused) as refusal:
        ada.lock(objects.reference("Note", "n"))
    assert refusal.value.missing == (objects.reference("Note", "n"),)


def test_a_part_can_be_locked_if_its_whole_is_locked_by_another(watched: WatchedEngine) -> None:
    objects = ordered(watched)
    ada, bob = Member(objects, "ada"), Member(objects, "bob")
    ada.lock(objects.reference("Order", "o"), objects.reference("Line", "001"))
    bob.lock(objects.reference("Line", "050"))
    assert objects.get("Order", "o").lock == objects.get("Line", "001").lock
    update = objects.update("Line", "050", name="new")
    with pytest.raises(LockedByOthers) as refusal:
        bob.write(update, bob.touch("Order", "o"))
    assert [reference.id for reference, _ in refusal.value.locks] == ["o"]


def test_a_lock_on_a_part_does_not_conflict_with_a_write_of_its_whole(watched: WatchedEngine) -> None:
    objects = ordered(watched)
    update = objects.update("Order", "o", name="new")
    Member(objects, "ada").lock(objects.reference("Line", "050"))
    Member(objects, "bob").write(update)


@pytest.mark.soak
def test_either_the_part_is_locked_or_the_whole_is_deleted(engine: Engine) -> None:
    for number in range(RACES):
        objects = ordered(engine, f"o{number}")
        line = objects.reference("Line", "050")

        def lock(objects: Objects = objects) -> bool:
            with suppress(LockRefused):
                Member(objects.under(MODEL), "ada").lock(objects.reference("Line", "050"))
                return True
            return False

        def delete(objects: Objects = objects, id_: str = f"o{number}") -> bool:
            process = objects.under(MODEL)
            for _ in range(1000):
                with suppress(Conflict):
                    try:
                        Member(process, "bob").write(*all_of_it(process, id_))
                    except LockedByOthers:
                        return False
                    return True
            raise AssertionError("others came between for ever")

        was_locked, was_deleted = run_concurrently(lock, delete)
        assert was_locked != was_deleted
        with suppress(Unavailable):
            objects.entities.sweep()
        (left,) = objects.entities.read([line])
        assert (left is not None) == was_locked
