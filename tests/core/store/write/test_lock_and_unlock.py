"""Only the holder writes a locked object until the lock expires; the commit itself checks this."""

from collections.abc import Callable
from typing import Any

import pytest

from stratabase.core.domain.objects.change import Effect
from stratabase.core.domain.objects.commit_refusals import Conflict, LockedByOthers, LockRefused, TooLarge
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.model.model import ClassKind, Unique
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.layout import keys
from tests.contract.engine.engines import SEQUENTIAL, engine_fixture, scope_of_shared_engine
from tests.core.store.graphs import Objects, class_with, key, many, parts, whole
from tests.core.store.locking import MINUTE, Member
from tests.models import model

engine = engine_fixture(SEQUENTIAL, scope_of_shared_engine)

MODEL = model(
    class_with(
        "Team",
        many("members", "Person", "team", required=True),
        many("rooms", "Room", "teams"),
        uniques=(Unique(("name",)),),
    ),
    class_with("Person", key("team", "Team", "members"), parts("dogs", "Dog", "person")),
    class_with("Dog", whole("person", "Person", "dogs")),
    class_with("Room", many("teams", "Team", "rooms")),
    class_with("Plain", uniques=()),
    class_with("Settings", key("room", "Room"), kind=ClassKind.SINGLETON),
)


@pytest.fixture
def objects(engine: Engine) -> Objects:
    """A team of two, one of whom has a dog, and a room."""
    objects = Objects(engine, MODEL)
    objects.commit(
        objects.creation("Team", "t", name="red"),
        objects.creation("Person", "p", team="t", dogs=["d"]),
        objects.creation("Person", "q", team="t"),
        objects.creation("Dog", "d", person="p"),
        objects.creation("Room", "r"),
        objects.creation("Plain", "x"),
    )
    return objects


@pytest.fixture
def ada(objects: Objects) -> Member:
    return Member(objects, "ada")


@pytest.fixture
def bob(objects: Objects) -> Member:
    return Member(objects, "bob")


Effects = Callable[[Objects, Member], list[Effect]]

WRITES: dict[str, tuple[str, str, Effects]] = {
    "an update": ("Plain", "x", lambda objects, _: [objects.update("Plain", "x", name="new")]),
    "a deletion": ("Plain", "x", lambda objects, _: [objects.deletion("Plain", "x")]),
    "an update beside others": (
        "Person",
        "p",
        lambda objects, _: [objects.update("Person", "p", name="new"), objects.creation("Room", "new")],
    ),
    "a change of the key": (
        "Person",
        "p",
        lambda objects, _: [objects.update("Person", "p", team=None)],
    ),
    "a deletion of a counted object": ("Person", "p", lambda objects, _: deletions(objects)),
    "a change of a unique value": (
        "Team",
        "t",
        lambda objects, _: [objects.update("Team", "t", name="blue")],
    ),
    "a part changed through its whole": (
        "Person",
        "p",
        lambda objects, member: [objects.update("Dog", "d", name="Rex"), member.touch("Person", "p")],
    ),
    "a part that is locked itself": (
        "Dog",
        "d",
        lambda objects, member: [objects.update("Dog", "d", name="Rex"), member.touch("Person", "p")],
    ),
    "a part that ends with its whole": ("Dog", "d", lambda objects, _: deletions(objects)),
    "a link": (
        "Team",
        "t",
        lambda objects, member: [*objects.linking("Team", "rooms", "t", "r"), member.touch("Team", "t")],
    ),
    "a key that others hold": (
        "Team",
        "t",
        lambda objects, member: [objects.update("Person", "q", team=None), member.touch("Team", "t")],
    ),
    "the first update of a singleton": (
        "Settings",
        "1",
        lambda objects, _: [objects.update("Settings", "1", name="new")],
    ),
    "a singleton through which is written": (
        "Settings",
        "1",
        lambda objects, member: [objects.creation("Room", "new"), member.touch("Settings", "1")],
    ),
}


def deletions(objects: Objects) -> list[Effect]:
    """Return the deletions of a person and their dog."""
    return [objects.deletion("Person", "p"), objects.deletion("Dog", "d")]


EACH_WRITE = pytest.mark.parametrize(("class_name", "id_", "effects"), WRITES.values(), ids=WRITES)


def everything(objects: Objects) -> list[object]:
    """Return all objects, and the links of a team."""
    listed = [objects.page(each) for each in ("Team", "Person", "Dog", "Room", "Plain")]
    return [*listed, objects.get("Settings", "1"), objects.linked("Team", "rooms", "t")]


@EACH_WRITE
def test_a_write_by_another_member_is_refused_and_writes_nothing(  # noqa: PLR0917 - a case, and who is in it
    objects: Objects, ada: Member, bob: Member, class_name: str, id_: str, effects: Effects
) -> None:
    """This includes a lock that was taken after everything was read."""
    before, asked = everything(objects), effects(objects, bob)
    reference = objects.reference(class_name, id_)
    lock = ada.lock(reference)
    for act in (objects.entities.commit, objects.entities.dry_run):
        with pytest.raises(LockedByOthers) as refusal:
            act(bob.change(*asked))
        assert refusal.value.locks == ((reference, lock),)
    assert everything(objects) == before


@EACH_WRITE
def test_the_holder_of_a_lock_can_write(
    objects: Objects, ada: Member, class_name: str, id_: str, effects: Effects
) -> None:
    asked = effects(objects, ada)
    ada.lock(objects.reference(class_name, id_))
    ada.write(*asked)
    found = objects.find(class_name, id_)
    assert found is None or found.lock == ada.until(11 * MINUTE)


@EACH_WRITE
def test_an_expired_lock_blocks_nobody(  # noqa: PLR0917 - a case, and who is in it
    objects: Objects, ada: Member, bob: Member, class_name: str, id_: str, effects: Effects
) -> None:
    """It expires to the millisecond, although its item is still in the store."""
    asked, reference = effects(objects, bob), objects.reference(class_name, id_)
    lock = ada.lock(reference)
    with pytest.raises(LockedByOthers):
        bob.at(lock.until - 1).write(*asked)
    assert objects.get(class_name, id_).lock == lock
    bob.at(lock.until).write(*asked)


def test_a_change_without_a_lock_check_ignores_locks(objects: Objects, ada: Member) -> None:
    ada.lock(objects.reference("Plain", "x"))
    objects.commit(objects.update("Plain", "x", name="new"))
    assert objects.get("Plain", "x").state["name"] == "new"


def test_locks_on_link_targets_do_not_block_a_write(objects: Objects, ada: Member, bob: Member) -> None:
    """The target of a key, which even counts that, and the other end of a link."""
    ada.lock(objects.reference("Team", "t"), objects.reference("Room", "r"))
    bob.write(objects.creation("Person", "new", team="t"))
    bob.write(objects.update("Settings", "1", room="r"))
    bob.write(objects.creation("Team", "u"), *objects.linking("Team", "rooms", "u", "r"))
    assert objects.linked("Room", "teams", "r") == "u"
    assert objects.get("Team", "t").counts == {objects.role("Team", "members"): 3}


def test_all_locked_objects_are_reported_together(objects: Objects, ada: Member, bob: Member) -> None:
    asked = deletions(objects)
    references = [objects.reference("Person", "p"), objects.reference("Dog", "d")]
    lock, other = ada.lock(references[0]), Member(objects, "cy").lock(references[1])
    with pytest.raises(LockedByOthers) as refusal:
        bob.write(*asked)
    assert dict(refusal.value.locks) == dict(zip(references, (lock, other), strict=True))


def test_an_outdated_read_is_a_conflict_even_if_the_object_is_locked(
    objects: Objects, ada: Member, bob: Member
) -> None:
    """It is unknown whether the member would still write the locked object."""
    asked = deletions(objects)
    ada.write(objects.update("Dog", "d", name="Rex"))
    ada.lock(objects.reference("Person", "p"))
    with pytest.raises(Conflict):
        bob.write(*asked)


def test_a_whole_that_a_write_touches_must_exist(objects: Objects, bob: Member) -> None:
    asked: list[Effect] = [objects.creation("Room", "new"), bob.touch("Plain", "x")]
    objects.delete("Plain", "x")
    with pytest.raises(Conflict):
        bob.write(*asked)
    assert objects.find("Room", "new") is None


def test_a_write_keeps_the_lock(objects: Objects, ada: Member) -> None:
    update = objects.update("Plain", "x", name="old")
    lock = ada.lock(objects.reference("Plain", "x"))
    ada.write(update)
    assert objects.get("Plain", "x").lock == lock


def test_a_lock_does_not_change_the_object(objects: Objects, ada: Member) -> None:
    """A caller that has read the object before can still write it. No index changes."""
    before, asked = objects.get("Plain", "x"), objects.update("Plain", "x", name="new")
    ada.lock(objects.reference("Plain", "x"))
    assert objects.get("Plain", "x") == before
    ada.unlock(objects.reference("Plain", "x"))
    ada.write(asked)


def test_an_entity_of_a_page_has_no_lock_or_the_right_one(objects: Objects, ada: Member) -> None:
    lock = ada.lock(objects.reference("Plain", "x"))
    (found,) = objects.page("Plain")
    assert found.lock in {None, lock}


def test_deleting_an_object_ends_its_lock(objects: Objects, ada: Member, bob: Member) -> None:
    reference = objects.reference("Plain", "x")
    ada.lock(reference)
    ada.write(objects.deletion("Plain", "x"))
    bob.write(objects.creation("Plain", "x"))
    assert objects.get("Plain", "x").lock is None
    bob.lock(reference)


def test_several_objects_are_locked_together_or_not_at_all(
    objects: Objects, ada: Member, bob: Member
) -> None:
    team, person, plain = (
        objects.reference(*each) for each in (("Team", "t"), ("Person", "q"), ("Plain", "x"))
    )
    lock = ada.lock(team, person)
    with pytest.raises(LockRefused) as refusal:
        bob.lock(plain, team, person)
    assert refusal.value.locks == ((team, lock), (person, lock))
    assert refusal.value.missing == ()
    assert objects.get("Plain", "x").lock is None
    assert objects.get("Team", "t").lock == lock


def test_missing_and_locked_objects_are_reported_together(objects: Objects, ada: Member, bob: Member) -> None:
    person, nobody = objects.reference("Person", "q"), objects.reference("Person", "nobody")
    no_dog, no_settings = objects.reference("Dog", "none"), objects.reference("Settings", "2")
    lock = ada.lock(person)
    for act in (bob.lock, bob.unlock):
        with pytest.raises(LockRefused) as refusal:
            act(nobody, person, no_dog, no_settings)
        assert refusal.value.locks == ((person, lock),)
        assert {*refusal.value.missing} == {nobody, no_dog, no_settings}
    for missing in (nobody, no_dog, no_settings):
        with pytest.raises(LockRefused) as refusal:
            bob.lock(missing)
        assert refusal.value.missing == (missing,)


def test_the_holder_of_a_lock_can_extend_it(objects: Objects, ada: Member, bob: Member) -> None:
    reference = objects.reference("Plain", "x")
    ada.lock(reference)
    for until in (20 * MINUTE, 3 * MINUTE):
        assert objects.get("Plain", "x").lock != ada.until(until)
        ada.lock(reference, until=until)
        assert objects.get("Plain", "x").lock == ada.until(until)
    with pytest.raises(LockRefused):
        bob.at(3 * MINUTE - 1).lock(reference)
    bob.at(3 * MINUTE).lock(reference)


def test_only_the_holder_can_unlock(objects: Objects, ada: Member, bob: Member) -> None:
    reference, free = objects.reference("Plain", "x"), objects.reference("Room", "r")
    lock = ada.lock(reference)
    with pytest.raises(LockRefused) as refusal:
        bob.unlock(free, reference)
    assert refusal.value.locks == ((reference, lock),)
    ada.unlock(free, reference)
    assert objects.get("Plain", "x").lock is None
    bob.write(objects.update("Plain", "x", name="new"))
    ada.unlock(reference)


def test_any_member_may_unlock_an_expired_lock(objects: Objects, ada: Member, bob: Member) -> None:
    lock = ada.lock(objects.reference("Plain", "x"))
    bob.at(lock.until).unlock(objects.reference("Plain", "x"))


def test_a_lock_of_any_member_can_be_removed(objects: Objects, ada: Member, bob: Member) -> None:
    references = [objects.reference(*each) for each in (("Team", "t"), ("Plain", "x"), ("Room", "r"))]
    ada.lock(references[0])
    Member(objects, "cy").lock(references[1])
    bob.unlock(*references, anybodys=True)
    assert [entity and entity.lock for entity in objects.entities.read(references)] == [None] * 3
    with pytest.raises(LockRefused):
        bob.unlock(objects.reference("Plain", "none"), anybodys=True)


def test_a_singleton_can_be_locked_before_its_first_write(objects: Objects, ada: Member, bob: Member) -> None:
    reference = objects.reference("Settings", "1")
    ada.unlock(reference)
    lock = ada.lock(reference)
    found = objects.get("Settings", "1")
    assert (found.state, found.commit_ids, found.lock) == ({"_id": "1"}, (), lock)
    with pytest.raises(LockRefused):
        bob.lock(reference)
    ada.write(objects.update("Settings", "1", name="new"))
    assert objects.get("Settings", "1").lock == lock


def test_too_many_objects_are_refused_before_any_is_locked(objects: Objects, ada: Member) -> None:
    ids = [f"m{number:03}" for number in range(101)]
    objects.create("Plain", *ids[:100])
    references = [objects.reference("Plain", id_) for id_ in ids]
    with pytest.raises(TooLarge, match=r"^The request refers to 101 objects\. The maximum is 100\.$"):
        ada.lock(*references)
    with pytest.raises(TooLarge):
        ada.unlock(*references)
    ada.lock(*references[:100])
    ada.unlock(*references[:100])


def test_wholes_of_locked_parts_count_towards_the_limit(objects: Objects, ada: Member) -> None:
    for number in range(51):
        objects.commit(
            objects.creation("Person", f"o{number}", dogs=[f"d{number}"]),
            objects.creation("Dog", f"d{number}", person=f"o{number}"),
        )
    dogs = [objects.reference("Dog", f"d{number}") for number in range(51)]
    with pytest.raises(
        TooLarge, match=r"^The request locks 102 objects, including the wholes that parts belong to"
    ):
        ada.lock(*dogs)
    ada.lock(*dogs[:50])
    ada.unlock(*dogs)


def test_every_reader_sees_the_same_lock(objects: Objects, ada: Member) -> None:
    """The lock in the head is neither a count nor a value of the object."""
    ada.lock(objects.reference("Team", "t"))
    team = objects.get("Team", "t")
    assert team.state == {"_id": "t", "name": "red"}
    assert team.counts == {objects.role("Team", "members"): 2}
    assert team.lock == Lock("id of ada", "ada", 11 * MINUTE)
    (item,) = objects.engine.get([keys.head(team.reference)])
    assert item is not None
    kept: dict[str, Any] = dict(item.attributes)
    assert {kept.pop("lockOwner"), kept.pop("lockedUntil"), kept.pop("lockedBy")} == {
        "id of ada",
        11 * MINUTE,
        "ada",
    }
    ada.unlock(team.reference)
    (after,) = objects.engine.get([keys.head(team.reference)])
    assert after is not None
    assert after.attributes == kept
