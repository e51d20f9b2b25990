"""The versions of objects in every store: their states, starts and ends."""

from itertools import pairwise
from typing import Any

import pytest

from stratabase.core.domain.objects.change import Deletion, LinkCreation, LinkDeletion, Restoration, Tombstone
from stratabase.core.domain.objects.commit_refusals import (
    Conflict,
    IntegrityViolation,
    TargetNotFound,
    UniqueViolation,
)
from stratabase.core.domain.objects.entity import Entity, Moment, Reference, RoleName
from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.domain.query.page import IdRange
from tests.contract.versions.versioned_objects import HOUR, NOON, VersionedObjects, plain

ADA = Reference("Employee", "ada")
MEMBERS = RoleName("Team", "members")


def around(*instants: Instant) -> list[Instant]:
    """Return each instant with the milliseconds before and after it."""
    return [instant + step for instant in instants for step in (-1, 0, 1)]


def test_a_new_object_exists_from_its_creation_on(objects: VersionedObjects) -> None:
    created = objects.create("Employee", "ada", name="Ada")
    assert objects.names("Employee", "ada", *around(created), NOON - HOUR, 0, -1) == "- Ada Ada - - -"
    assert objects.times("Employee", "ada") == [(created, None)]
    found = objects.get("Employee", "ada")
    assert (found.start, found.end) == (created, None)
    assert found.state == {"_id": "ada", "name": "Ada", "_versionStart": format_instant(created)}


def test_an_update_ends_a_version_and_begins_the_next_at_one_instant(
    objects: VersionedObjects,
) -> None:
    created = objects.create("Employee", "ada", name="Ada", note="x")
    changed = objects.update("Employee", "ada", name="Eva", note=None)
    again = objects.update("Employee", "ada", name="Ida")

    assert objects.times("Employee", "ada") == [(created, changed), (changed, again), (again, None)]
    assert objects.names("Employee", "ada", *around(created, changed, again)) == (
        "- Ada Ada Ada Eva Eva Eva Ida Ida"
    )
    (first, second, third) = objects.versions("Employee", "ada")
    assert first.state == {
        "_id": "ada",
        "name": "Ada",
        "note": "x",
        "_versionStart": format_instant(created),
        "_versionEnd": format_instant(changed),
    }
    assert second.state["_versionEnd"] == format_instant(again)
    assert "_versionEnd" not in third.state
    assert third.state == objects.get("Employee", "ada").state


def test_the_version_as_of_an_instant_has_its_times(objects: VersionedObjects) -> None:
    created = objects.create("Employee", "ada", name="Ada")
    changed = objects.update("Employee", "ada", name="Eva")
    old, new = objects.entities.as_of([Moment(ADA, created), Moment(ADA, changed)])
    assert old is not None
    assert new is not None
    assert (old.start, old.end, new.start, new.end) == (created, changed, changed, None)


def test_a_deleted_object_keeps_its_versions(objects: VersionedObjects) -> None:
    created = objects.create("Employee", "ada", name="Ada")
    changed = objects.update("Employee", "ada", name="Eva")
    deleted = objects.delete("Employee", "ada")

    assert objects.find("Employee", "ada") is None
    assert objects.times("Employee", "ada") == [(created, changed), (changed, deleted)]
    assert objects.names("Employee", "ada", *around(deleted), changed, created) == "Eva - - Eva Ada"
    (gone,) = objects.entities.tombstones([ADA])
    assert gone is not None
    assert (gone.reference, gone.last_end, gone.previous_start) == (ADA, deleted, changed)
    assert len(gone.commit_ids) == 3


def test_an_object_never_deleted_or_never_created_has_no_tombstone(objects: VersionedObjects) -> None:
    objects.create("Employee", "ada")
    objects.create("Lamp", "l")
    objects.delete("Lamp", "l")
    wanted = [ADA, Reference("Employee", "nobody"), Reference("Lamp", "l")]
    assert objects.entities.tombstones(wanted) == [None, None, None]
    assert objects.entities.pending_purges(wanted) == [None, None, None]
    assert objects.versions("Employee", "nobody") == []
    assert objects.names("Employee", "nobody", NOON, NOON + HOUR) == "- -"


def test_a_deleted_object_is_restored_under_its_id(objects: VersionedObjects) -> None:
    created = objects.create("Employee", "ada", name="Ada", code="a")
    deleted = objects.delete("Employee", "ada")
    back = objects.restore("Employee", "ada", name="Eva", code="a")
    changed = objects.update("Employee", "ada", name="Ida")
    ended = objects.delete("Employee", "ada")
    again = objects.restore("Employee", "ada", name="Oda")

    assert objects.times("Employee", "ada") == [
        (created, deleted),
        (back, changed),
        (changed, ended),
        (again, None),
    ]
    assert objects.names("Employee", "ada", *around(created, deleted, back)) == (
        "- Ada Ada Ada - - - Eva Eva"
    )
    assert objects.names("Employee", "ada", *around(changed, ended, again)) == (
        "Eva Ida Ida Ida - - - Oda Oda"
    )
    assert plain(objects.get("Employee", "ada")) == {"_id": "ada", "name": "Oda"}
    assert objects.entities.tombstones([ADA]) == [None]
    assert len(objects.get("Employee", "ada").commit_ids) == 6


def test_one_of_two_restorations_of_an_object_succeeds(objects: VersionedObjects) -> None:
    objects.create("Employee", "ada", name="Ada")
    objects.delete("Employee", "ada")
    mine = objects.restoration("Employee", "ada", name="mine")
    objects.restore("Employee", "ada", name="theirs")
    with pytest.raises(Conflict):
        objects.commit(mine)
    objects.delete("Employee", "ada")
    with pytest.raises(Conflict):
        objects.commit(mine)
    assert objects.find("Employee", "ada") is None


def test_an_object_that_never_existed_is_not_restored(objects: VersionedObjects) -> None:
    objects.create("Employee", "ada", name="Ada")
    objects.delete("Employee", "ada")
    invented = objects.restoration("Employee", "ada", name="x")
    nobody = Reference("Employee", "nobody")
    gone = Tombstone(nobody, *invented.tombstone[1:])
    with pytest.raises(Conflict):
        objects.commit(Restoration(gone, Entity(nobody, {"_id": "nobody"})))
    assert objects.entities.read([nobody]) == [None]


def test_a_new_object_cannot_take_the_id_of_a_deleted_one(objects: VersionedObjects) -> None:
    objects.create("Employee", "ada", name="Ada")
    objects.delete("Employee", "ada")
    before = objects.times("Employee", "ada")
    with pytest.raises(Conflict):
        objects.create("Employee", "ada", name="new")
    assert objects.times("Employee", "ada") == before


def test_a_deleted_object_cannot_be_changed_deleted_or_referenced(objects: VersionedObjects) -> None:
    objects.create("Team", "red", name="red")
    stale = objects.updating("Team", "red", name="blue")
    deletion = objects.deletion("Team", "red")
    objects.delete("Team", "red")
    for effect in (stale, deletion):
        with pytest.raises(Conflict):
            objects.commit(effect)
    with pytest.raises(IntegrityViolation) as refusal:
        objects.create("Employee", "ada", team="red")
    assert refusal.value.violations == (TargetNotFound(Reference("Team", "red")),)


def test_version_starts_increase_even_if_the_clock_steps_back(objects: VersionedObjects) -> None:
    created = objects.create("Employee", "ada", name="0")
    objects.clock -= HOUR
    times = [created, *(objects.update("Employee", "ada", name=str(number)) for number in range(1, 4))]
    objects.clock -= HOUR
    times.append(objects.delete("Employee", "ada"))
    objects.clock -= HOUR
    back = objects.restore("Employee", "ada", name="back")

    assert times == [created, created + 1, created + 2, created + 3, created + 4]
    assert back > times[-1]
    assert objects.times("Employee", "ada") == [*pairwise(times), (back, None)]
    assert objects.names("Employee", "ada", *times, back) == "0 1 2 3 - back"


def test_all_versions_of_one_commit_begin_at_one_instant(objects: VersionedObjects) -> None:
    """This also holds if the clock has stepped back for one of the objects."""
    early = objects.create("Team", "red", name="red")
    objects.clock += HOUR
    late = objects.create("Employee", "ada", name="Ada")
    objects.clock -= 2 * HOUR
    both = objects.commit(
        objects.updating("Team", "red", name="blue"),
        objects.updating("Employee", "ada", name="Eva", team="red"),
        objects.creation("Employee", "bob", name="Bob"),
    )
    assert both == late + 1
    assert objects.times("Team", "red") == [(early, both), (both, None)]
    assert objects.times("Employee", "ada") == [(late, both), (both, None)]
    assert objects.times("Employee", "bob") == [(both, None)]


def test_a_version_has_the_keys_and_parts_of_its_instant(objects: VersionedObjects) -> None:
    objects.commit(objects.creation("Team", "red"), objects.creation("Team", "blue"))
    created = objects.commit(
        objects.creation("Employee", "ada", team="red", addresses=["a"]),
        objects.creation("Address", "a", name="1st", employee="ada"),
    )
    moved = objects.commit(
        objects.updating("Employee", "ada", team="blue", addresses=["a", "b"]),
        objects.creation("Address", "b", name="2nd", employee="ada"),
    )
    renamed = objects.update("Address", "a", name="3rd")
    cleared = objects.commit(
        objects.updating("Employee", "ada", team=None, addresses=["b"]),
        objects.deletion("Address", "a"),
    )

    assert objects.at(created, "Employee", "ada") == {"_id": "ada", "team": "red", "addresses": ["a"]}
    assert objects.at(moved, "Employee", "ada") == {"_id": "ada", "team": "blue", "addresses": ["a", "b"]}
    assert objects.at(renamed, "Employee", "ada") == {"_id": "ada", "team": "blue", "addresses": ["a", "b"]}
    assert objects.at(cleared, "Employee", "ada") == {"_id": "ada", "addresses": ["b"]}
    assert objects.names("Address", "a", *around(renamed, cleared)) == "1st 3rd 3rd 3rd - -"
    assert objects.times("Address", "b") == [(moved, None)]


def test_an_unversioned_object_reads_as_its_present_state(objects: VersionedObjects) -> None:
    created = objects.create("Lamp", "l", name="old")
    changed = objects.update("Lamp", "l", name="new")
    assert objects.names("Lamp", "l", created - 1, created, changed, NOON + HOUR) == "new new new new"
    assert "_versionStart" not in objects.get("Lamp", "l").state
    assert objects.get("Lamp", "l").start == changed
    assert [version.start for version in objects.versions("Lamp", "l")] == [changed]
    objects.delete("Lamp", "l")
    assert objects.names("Lamp", "l", created, changed) == "- -"


def test_versions_as_of_many_instants_come_in_the_requested_order(objects: VersionedObjects) -> None:
    created = objects.create("Employee", "ada", name="Ada")
    changed = objects.update("Employee", "ada", name="Eva")
    objects.create("Lamp", "l", name="lamp")
    lamp, nobody = Reference("Lamp", "l"), Reference("Team", "none")
    asked = [
        Moment(ADA, changed),
        Moment(lamp, created),
        Moment(ADA, created),
        Moment(nobody, created),
        Moment(ADA, created - 1),
        Moment(ADA, changed),
    ]
    found = objects.entities.as_of(asked)
    names = [entity and entity.state["name"] for entity in found]
    assert names == ["Eva", "lamp", "Ada", None, None, "Eva"]
    assert objects.entities.as_of([]) == []


def test_a_singleton_has_versions_since_its_first_write(
    objects: VersionedObjects,
) -> None:
    assert objects.names("Settings", "1", 0, NOON) == "- -"
    assert objects.versions("Settings", "1") == []
    assert objects.get("Settings", "1").state == {"_id": "1"}
    created = objects.update("Settings", "1", name="a")
    changed = objects.update("Settings", "1", name="b")
    assert objects.times("Settings", "1") == [(created, changed), (changed, None)]
    assert objects.names("Settings", "1", *around(created, changed)) == "- a a a b b"


RANGES: list[dict[str, Any]] = [
    {"since": since, "until": until, "limit": limit, "backward": backward}
    for since in (None, 0, 1, 3, 6, 9)
    for until in (None, 0, 2, 3, 5, 9)
    for limit in (None, 0, 1, 2, 9)
    for backward in (False, True)
]


def test_a_range_of_versions_is_read_forward_and_backward(objects: VersionedObjects) -> None:
    """The bounds are each start, a millisecond before and after it, and instants at which the object was
    deleted.
    """
    starts = [objects.create("Employee", "ada", name="0")]
    starts += [objects.update("Employee", "ada", name=str(number)) for number in (1, 2)]
    ended = objects.delete("Employee", "ada")
    starts.append(objects.restore("Employee", "ada", name="3"))
    marks = sorted({*around(*starts, ended), NOON, NOON + HOUR})
    for range_ in RANGES:
        since, until = (_mark(marks, range_[name]) for name in ("since", "until"))
        expected = [
            str(number)
            for number, start in enumerate(starts)
            if (since is None or start >= since) and (until is None or start < until)
        ]
        expected = (expected[::-1] if range_["backward"] else expected)[: range_["limit"]]
        found = objects.versions(
            "Employee", "ada", since=since, until=until, limit=range_["limit"], backward=range_["backward"]
        )
        assert [version.state["name"] for version in found] == expected, range_


def _mark(marks: list[Instant], number: int | None) -> Instant | None:
    return None if number is None else marks[number * (len(marks) - 1) // 9]


@pytest.mark.parametrize("backward", [False, True])
def test_many_versions_are_read_page_by_page(objects: VersionedObjects, backward: bool) -> None:
    created = [objects.create("Employee", "ada", name="0")]
    created += [objects.update("Employee", "ada", name=str(number)) for number in range(1, 25)]
    walked: list[Instant] = []
    at: dict[str, Any] = {}
    while page := objects.versions("Employee", "ada", limit=4, backward=backward, **at):
        walked += [version.start or 0 for version in page]
        at = {"until": walked[-1]} if backward else {"since": walked[-1] + 1}
    assert walked == (created[::-1] if backward else created)


def test_unique_values_are_free_while_their_object_is_deleted(objects: VersionedObjects) -> None:
    objects.create("Employee", "ada", code="a")
    objects.delete("Employee", "ada")
    objects.create("Employee", "bob", code="a")
    with pytest.raises(UniqueViolation):
        objects.restore("Employee", "ada", code="a")
    assert objects.find("Employee", "ada") is None
    objects.update("Employee", "bob", code="b")
    objects.restore("Employee", "ada", code="a")
    with pytest.raises(UniqueViolation):
        objects.update("Employee", "bob", code="a")


def test_a_to_many_role_is_read_as_of_any_instant(objects: VersionedObjects) -> None:
    """Members join, move, come back and are deleted. A team is deleted and restored."""
    empty = objects.commit(objects.creation("Team", "red"), objects.creation("Team", "blue"))
    joined = objects.commit(
        objects.creation("Employee", "ada", team="red"), objects.creation("Employee", "bob", team="red")
    )
    moved = objects.update("Employee", "ada", team="blue")
    back = objects.update("Employee", "ada", team="red")
    left = objects.update("Employee", "bob", team=None)
    ended = objects.delete("Employee", "ada")

    def members(team: str) -> str:
        instants = [empty, joined, moved, back, left, ended]
        return ", ".join(objects.led_to(instant, "Team", "members", team) for instant in instants)

    assert members("red") == ", ada bob, bob, ada bob, ada, "
    assert members("blue") == ", , ada, , , "
    assert objects.led_to(moved - 1, "Team", "members", "red") == "ada bob"
    objects.delete("Team", "red")
    assert members("red") == ", ada bob, bob, ada bob, ada, "
    objects.restore("Employee", "ada", team="blue")
    assert members("blue") == ", , ada, , , "
    assert objects.entities.linked(MEMBERS, ["red", "blue"]) == [(), ("ada",)]


def test_a_to_one_role_is_read_as_of_any_instant(objects: VersionedObjects) -> None:
    objects.commit(objects.creation("Desk", "d"), objects.creation("Desk", "e"))
    first = objects.create("Employee", "ada", desk="d")
    second = objects.commit(
        objects.updating("Employee", "ada", desk="e"), objects.creation("Employee", "bob", desk="d")
    )
    swapped = objects.commit(
        objects.updating("Employee", "ada", desk="d"), objects.updating("Employee", "bob", desk="e")
    )
    ended = objects.delete("Employee", "ada")
    instants = [first - 1, first, second, swapped, ended]
    assert [objects.led_to(instant, "Desk", "owner", "d") for instant in instants] == [
        "",
        "ada",
        "bob",
        "ada",
        "",
    ]
    assert [objects.led_to(instant, "Desk", "owner", "e") for instant in instants] == [
        "",
        "",
        "ada",
        "bob",
        "bob",
    ]


def test_a_role_to_unversioned_objects_reads_as_its_present_state(objects: VersionedObjects) -> None:
    objects.create("Room", "r")
    created = objects.create("Lamp", "l", room="r")
    objects.create("Lamp", "m", room="r")
    objects.update("Lamp", "l", room=None)
    assert objects.led_to(created, "Room", "lamps", "r") == "m"


def test_candidates_are_returned_in_order_up_to_the_limit(objects: VersionedObjects) -> None:
    objects.create("Team", "red")
    objects.commit(*(objects.creation("Employee", id_, team="red") for id_ in "acegi"))
    at = objects.commit(*(objects.creation("Employee", id_, team="red") for id_ in "bdf"))
    objects.commit(*(objects.updating("Employee", id_, team=None) for id_ in "acd"))
    objects.commit(*(objects.creation("Employee", id_, team="red") for id_ in "xyz"))

    def linked(**range_: Any) -> str:
        return "".join(objects.entities.linked(MEMBERS, ["red"], IdRange(**range_), at=[at])[0])

    assert linked() == "abcdefgi"
    assert linked(backward=True) == "igfedcba"
    assert linked(start="c", limit=2) == "de"
    assert linked(start="c", limit=9, backward=True) == "ba"
    assert linked(limit=0) == ""


def test_links_without_a_key_read_as_their_present_state(objects: VersionedObjects) -> None:
    role = RoleName("Employee", "projects")
    objects.commit(objects.creation("Employee", "ada"), objects.creation("Project", "p"))
    linked = objects.commit(LinkCreation(role, "ada", "p"))
    assert objects.entities.linked(role, ["ada"], at=[linked - 1]) == [("p",)]
    assert objects.times("Employee", "ada")[-1][1] is None
    objects.commit(LinkDeletion(role, "ada", "p"))
    assert objects.entities.linked(role, ["ada"], at=[linked]) == [()]
    assert len(objects.times("Employee", "ada")) == 1


def test_a_whole_and_its_parts_are_deleted_and_restored_at_one_instant(objects: VersionedObjects) -> None:
    objects.commit(
        objects.creation("Employee", "ada", addresses=["a"]),
        objects.creation("Address", "a", name="1st", employee="ada"),
    )
    ended = objects.commit(Deletion(objects.get("Employee", "ada")), Deletion(objects.get("Address", "a")))
    back = objects.commit(
        objects.restoration("Employee", "ada", addresses=["a"]),
        objects.restoration("Address", "a", name="1st", employee="ada"),
    )
    for name, id_ in (("Employee", "ada"), ("Address", "a")):
        (first, second) = objects.times(name, id_)
        assert (first[1], second) == (ended, (back, None))
