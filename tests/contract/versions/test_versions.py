"""What a store remembers of objects: every version that there was, from when until when, and no other."""

from itertools import pairwise
from typing import Any

import pytest

from stratabase.domain.objects.change import Deletion, LinkCreation, LinkDeletion, Restoration, Tombstone
from stratabase.domain.objects.commit_refusals import (
    Conflict,
    IntegrityViolation,
    TargetNotFound,
    UniqueViolation,
)
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.instant import Instant, format_instant
from stratabase.domain.query.id_range import IdRange
from tests.contract.versions.versioned_objects import HOUR, NOON, VersionedObjects, plain

ADA = Reference("Employee", "ada")
MEMBERS = RoleName("Team", "members")


def around(*instants: Instant) -> list[Instant]:
    """Return each instant with the milliseconds before and after it."""
    return [instant + step for instant in instants for step in (-1, 0, 1)]


def test_a_new_object_exists_from_its_creation_on(chronicle: VersionedObjects) -> None:
    made = chronicle.create("Employee", "ada", name="Ada")
    assert chronicle.names("Employee", "ada", *around(made), NOON - HOUR, 0, -1) == "- Ada Ada - - -"
    assert chronicle.times("Employee", "ada") == [(made, None)]
    found = chronicle.get("Employee", "ada")
    assert (found.start, found.end) == (made, None)
    assert found.state == {"_id": "ada", "name": "Ada", "_versionStart": format_instant(made)}


def test_an_update_ends_a_version_and_begins_the_next_at_one_instant(
    chronicle: VersionedObjects,
) -> None:
    made = chronicle.create("Employee", "ada", name="Ada", note="x")
    changed = chronicle.update("Employee", "ada", name="Eva", note=None)
    again = chronicle.update("Employee", "ada", name="Ida")

    assert chronicle.times("Employee", "ada") == [(made, changed), (changed, again), (again, None)]
    assert chronicle.names("Employee", "ada", *around(made, changed, again)) == (
        "- Ada Ada Ada Eva Eva Eva Ida Ida"
    )
    (first, second, third) = chronicle.versions("Employee", "ada")
    assert first.state == {
        "_id": "ada",
        "name": "Ada",
        "note": "x",
        "_versionStart": format_instant(made),
        "_versionEnd": format_instant(changed),
    }
    assert second.state["_versionEnd"] == format_instant(again)
    assert "_versionEnd" not in third.state
    assert third.state == chronicle.get("Employee", "ada").state


def test_the_version_as_of_an_instant_has_its_times(chronicle: VersionedObjects) -> None:
    made = chronicle.create("Employee", "ada", name="Ada")
    changed = chronicle.update("Employee", "ada", name="Eva")
    old, new = chronicle.entities.as_of([(ADA, made), (ADA, changed)])
    assert old is not None
    assert new is not None
    assert (old.start, old.end, new.start, new.end) == (made, changed, changed, None)


def test_a_deleted_object_keeps_its_versions(chronicle: VersionedObjects) -> None:
    made = chronicle.create("Employee", "ada", name="Ada")
    changed = chronicle.update("Employee", "ada", name="Eva")
    deleted = chronicle.delete("Employee", "ada")

    assert chronicle.find("Employee", "ada") is None
    assert chronicle.times("Employee", "ada") == [(made, changed), (changed, deleted)]
    assert chronicle.names("Employee", "ada", *around(deleted), changed, made) == "Eva - - Eva Ada"
    (gone,) = chronicle.entities.tombstones([ADA])
    assert gone is not None
    assert (gone.reference, gone.last_end, gone.previous_start) == (ADA, deleted, changed)
    assert len(gone.commit_ids) == 3


def test_an_object_never_deleted_or_never_created_has_no_tombstone(chronicle: VersionedObjects) -> None:
    chronicle.create("Employee", "ada")
    chronicle.create("Lamp", "l")
    chronicle.delete("Lamp", "l")
    wanted = [ADA, Reference("Employee", "nobody"), Reference("Lamp", "l")]
    assert chronicle.entities.tombstones(wanted) == [None, None, None]
    assert chronicle.entities.pending_purges(wanted) == [None, None, None]
    assert chronicle.versions("Employee", "nobody") == []
    assert chronicle.names("Employee", "nobody", NOON, NOON + HOUR) == "- -"


def test_a_deleted_object_is_restored_under_its_id(chronicle: VersionedObjects) -> None:
    made = chronicle.create("Employee", "ada", name="Ada", code="a")
    deleted = chronicle.delete("Employee", "ada")
    back = chronicle.restore("Employee", "ada", name="Eva", code="a")
    changed = chronicle.update("Employee", "ada", name="Ida")
    ended = chronicle.delete("Employee", "ada")
    again = chronicle.restore("Employee", "ada", name="Oda")

    assert chronicle.times("Employee", "ada") == [
        (made, deleted),
        (back, changed),
        (changed, ended),
        (again, None),
    ]
    assert chronicle.names("Employee", "ada", *around(made, deleted, back)) == ("- Ada Ada Ada - - - Eva Eva")
    assert chronicle.names("Employee", "ada", *around(changed, ended, again)) == (
        "Eva Ida Ida Ida - - - Oda Oda"
    )
    assert plain(chronicle.get("Employee", "ada")) == {"_id": "ada", "name": "Oda"}
    assert chronicle.entities.tombstones([ADA]) == [None]
    assert len(chronicle.get("Employee", "ada").commit_ids) == 6


def test_one_of_two_restorations_of_an_object_succeeds(chronicle: VersionedObjects) -> None:
    chronicle.create("Employee", "ada", name="Ada")
    chronicle.delete("Employee", "ada")
    mine = chronicle.restoration("Employee", "ada", name="mine")
    chronicle.restore("Employee", "ada", name="theirs")
    with pytest.raises(Conflict):
        chronicle.commit(mine)
    chronicle.delete("Employee", "ada")
    with pytest.raises(Conflict):
        chronicle.commit(mine)
    assert chronicle.find("Employee", "ada") is None


def test_an_object_that_never_existed_is_not_restored(chronicle: VersionedObjects) -> None:
    chronicle.create("Employee", "ada", name="Ada")
    chronicle.delete("Employee", "ada")
    invented = chronicle.restoration("Employee", "ada", name="x")
    nobody = Reference("Employee", "nobody")
    gone = Tombstone(nobody, *invented.tombstone[1:])
    with pytest.raises(Conflict):
        chronicle.commit(Restoration(gone, Entity(nobody, {"_id": "nobody"})))
    assert chronicle.entities.read([nobody]) == [None]


def test_a_new_object_cannot_take_the_id_of_a_deleted_one(chronicle: VersionedObjects) -> None:
    chronicle.create("Employee", "ada", name="Ada")
    chronicle.delete("Employee", "ada")
    before = chronicle.times("Employee", "ada")
    with pytest.raises(Conflict):
        chronicle.create("Employee", "ada", name="new")
    assert chronicle.times("Employee", "ada") == before


def test_a_deleted_object_cannot_be_changed_deleted_or_referenced(chronicle: VersionedObjects) -> None:
    chronicle.create("Team", "red", name="red")
    stale = chronicle.updating("Team", "red", name="blue")
    deletion = chronicle.deletion("Team", "red")
    chronicle.delete("Team", "red")
    for effect in (stale, deletion):
        with pytest.raises(Conflict):
            chronicle.commit(effect)
    with pytest.raises(IntegrityViolation) as refusal:
        chronicle.create("Employee", "ada", team="red")
    assert refusal.value.violations == (TargetNotFound(Reference("Team", "red")),)


def test_version_starts_increase_even_if_the_clock_steps_back(chronicle: VersionedObjects) -> None:
    made = chronicle.create("Employee", "ada", name="0")
    chronicle.clock -= HOUR
    times = [made, *(chronicle.update("Employee", "ada", name=str(number)) for number in range(1, 4))]
    chronicle.clock -= HOUR
    times.append(chronicle.delete("Employee", "ada"))
    chronicle.clock -= HOUR
    back = chronicle.restore("Employee", "ada", name="back")

    assert times == [made, made + 1, made + 2, made + 3, made + 4]
    assert back > times[-1]
    assert chronicle.times("Employee", "ada") == [*pairwise(times), (back, None)]
    assert chronicle.names("Employee", "ada", *times, back) == "0 1 2 3 - back"


def test_all_versions_of_one_commit_begin_at_one_instant(chronicle: VersionedObjects) -> None:
    """Also where the clock has stepped back for one of the objects, and the others could be earlier."""
    early = chronicle.create("Team", "red", name="red")
    chronicle.clock += HOUR
    late = chronicle.create("Employee", "ada", name="Ada")
    chronicle.clock -= 2 * HOUR
    both = chronicle.commit(
        chronicle.updating("Team", "red", name="blue"),
        chronicle.updating("Employee", "ada", name="Eva", team="red"),
        chronicle.creation("Employee", "bob", name="Bob"),
    )
    assert both == late + 1
    assert chronicle.times("Team", "red") == [(early, both), (both, None)]
    assert chronicle.times("Employee", "ada") == [(late, both), (both, None)]
    assert chronicle.times("Employee", "bob") == [(both, None)]


def test_a_version_has_the_keys_and_parts_of_its_instant(chronicle: VersionedObjects) -> None:
    chronicle.commit(chronicle.creation("Team", "red"), chronicle.creation("Team", "blue"))
    made = chronicle.commit(
        chronicle.creation("Employee", "ada", team="red", addresses=["a"]),
        chronicle.creation("Address", "a", name="1st", employee="ada"),
    )
    moved = chronicle.commit(
        chronicle.updating("Employee", "ada", team="blue", addresses=["a", "b"]),
        chronicle.creation("Address", "b", name="2nd", employee="ada"),
    )
    renamed = chronicle.update("Address", "a", name="3rd")
    cleared = chronicle.commit(
        chronicle.updating("Employee", "ada", team=None, addresses=["b"]),
        chronicle.deletion("Address", "a"),
    )

    assert chronicle.at(made, "Employee", "ada") == {"_id": "ada", "team": "red", "addresses": ["a"]}
    assert chronicle.at(moved, "Employee", "ada") == {"_id": "ada", "team": "blue", "addresses": ["a", "b"]}
    assert chronicle.at(renamed, "Employee", "ada") == {"_id": "ada", "team": "blue", "addresses": ["a", "b"]}
    assert chronicle.at(cleared, "Employee", "ada") == {"_id": "ada", "addresses": ["b"]}
    assert chronicle.names("Address", "a", *around(renamed, cleared)) == "1st 3rd 3rd 3rd - -"
    assert chronicle.times("Address", "b") == [(moved, None)]


def test_an_unversioned_object_reads_as_its_present_state(chronicle: VersionedObjects) -> None:
    made = chronicle.create("Lamp", "l", name="old")
    changed = chronicle.update("Lamp", "l", name="new")
    assert chronicle.names("Lamp", "l", made - 1, made, changed, NOON + HOUR) == "new new new new"
    assert "_versionStart" not in chronicle.get("Lamp", "l").state
    assert chronicle.get("Lamp", "l").start == changed
    assert [version.start for version in chronicle.versions("Lamp", "l")] == [changed]
    chronicle.delete("Lamp", "l")
    assert chronicle.names("Lamp", "l", made, changed) == "- -"


def test_versions_as_of_many_instants_come_in_the_requested_order(chronicle: VersionedObjects) -> None:
    made = chronicle.create("Employee", "ada", name="Ada")
    changed = chronicle.update("Employee", "ada", name="Eva")
    chronicle.create("Lamp", "l", name="lamp")
    lamp, nobody = Reference("Lamp", "l"), Reference("Team", "none")
    asked = [(ADA, changed), (lamp, made), (ADA, made), (nobody, made), (ADA, made - 1), (ADA, changed)]
    found = chronicle.entities.as_of(asked)
    names = [entity and entity.state["name"] for entity in found]
    assert names == ["Eva", "lamp", "Ada", None, None, "Eva"]
    assert chronicle.entities.as_of([]) == []


def test_a_singleton_has_versions_since_its_first_write(
    chronicle: VersionedObjects,
) -> None:
    assert chronicle.names("Settings", "1", 0, NOON) == "- -"
    assert chronicle.versions("Settings", "1") == []
    assert chronicle.get("Settings", "1").state == {"_id": "1"}
    made = chronicle.update("Settings", "1", name="a")
    changed = chronicle.update("Settings", "1", name="b")
    assert chronicle.times("Settings", "1") == [(made, changed), (changed, None)]
    assert chronicle.names("Settings", "1", *around(made, changed)) == "- a a a b b"


RANGES: list[dict[str, Any]] = [
    {"since": since, "until": until, "limit": limit, "backward": backward}
    for since in (None, 0, 1, 3, 6, 9)
    for until in (None, 0, 2, 3, 5, 9)
    for limit in (None, 0, 1, 2, 9)
    for backward in (False, True)
]


def test_a_range_of_versions_is_read_forward_and_backward(chronicle: VersionedObjects) -> None:
    """From and until every start, a millisecond before and after it, and in the time that it was deleted."""
    starts = [chronicle.create("Employee", "ada", name="0")]
    starts += [chronicle.update("Employee", "ada", name=str(number)) for number in (1, 2)]
    ended = chronicle.delete("Employee", "ada")
    starts.append(chronicle.restore("Employee", "ada", name="3"))
    marks = sorted({*around(*starts, ended), NOON, NOON + HOUR})
    for range_ in RANGES:
        since, until = (_mark(marks, range_[name]) for name in ("since", "until"))
        expected = [
            str(number)
            for number, start in enumerate(starts)
            if (since is None or start >= since) and (until is None or start < until)
        ]
        expected = (expected[::-1] if range_["backward"] else expected)[: range_["limit"]]
        found = chronicle.versions(
            "Employee", "ada", since=since, until=until, limit=range_["limit"], backward=range_["backward"]
        )
        assert [version.state["name"] for version in found] == expected, range_


def _mark(marks: list[Instant], number: int | None) -> Instant | None:
    return None if number is None else marks[number * (len(marks) - 1) // 9]


@pytest.mark.parametrize("backward", [False, True])
def test_many_versions_are_read_page_by_page(chronicle: VersionedObjects, backward: bool) -> None:
    made = [chronicle.create("Employee", "ada", name="0")]
    made += [chronicle.update("Employee", "ada", name=str(number)) for number in range(1, 25)]
    walked: list[Instant] = []
    at: dict[str, Any] = {}
    while page := chronicle.versions("Employee", "ada", limit=4, backward=backward, **at):
        walked += [version.start or 0 for version in page]
        at = {"until": walked[-1]} if backward else {"since": walked[-1] + 1}
    assert walked == (made[::-1] if backward else made)


def test_unique_values_are_free_while_their_object_is_deleted(chronicle: VersionedObjects) -> None:
    chronicle.create("Employee", "ada", code="a")
    chronicle.delete("Employee", "ada")
    chronicle.create("Employee", "bob", code="a")
    with pytest.raises(UniqueViolation):
        chronicle.restore("Employee", "ada", code="a")
    assert chronicle.find("Employee", "ada") is None
    chronicle.update("Employee", "bob", code="b")
    chronicle.restore("Employee", "ada", code="a")
    with pytest.raises(UniqueViolation):
        chronicle.update("Employee", "bob", code="a")


def test_a_to_many_role_is_read_as_of_any_instant(chronicle: VersionedObjects) -> None:
    """Who joins, moves, comes back and ends; also of a team that is deleted and restored."""
    empty = chronicle.commit(chronicle.creation("Team", "red"), chronicle.creation("Team", "blue"))
    joined = chronicle.commit(
        chronicle.creation("Employee", "ada", team="red"), chronicle.creation("Employee", "bob", team="red")
    )
    moved = chronicle.update("Employee", "ada", team="blue")
    back = chronicle.update("Employee", "ada", team="red")
    left = chronicle.update("Employee", "bob", team=None)
    ended = chronicle.delete("Employee", "ada")

    def members(team: str) -> str:
        instants = [empty, joined, moved, back, left, ended]
        return ", ".join(chronicle.led_to(instant, "Team", "members", team) for instant in instants)

    assert members("red") == ", ada bob, bob, ada bob, ada, "
    assert members("blue") == ", , ada, , , "
    assert chronicle.led_to(moved - 1, "Team", "members", "red") == "ada bob"
    chronicle.delete("Team", "red")
    assert members("red") == ", ada bob, bob, ada bob, ada, "
    chronicle.restore("Employee", "ada", team="blue")
    assert members("blue") == ", , ada, , , "
    assert chronicle.entities.linked(MEMBERS, ["red", "blue"]) == [(), ("ada",)]


def test_a_to_one_role_is_read_as_of_any_instant(chronicle: VersionedObjects) -> None:
    chronicle.commit(chronicle.creation("Desk", "d"), chronicle.creation("Desk", "e"))
    first = chronicle.create("Employee", "ada", desk="d")
    second = chronicle.commit(
        chronicle.updating("Employee", "ada", desk="e"), chronicle.creation("Employee", "bob", desk="d")
    )
    swapped = chronicle.commit(
        chronicle.updating("Employee", "ada", desk="d"), chronicle.updating("Employee", "bob", desk="e")
    )
    ended = chronicle.delete("Employee", "ada")
    instants = [first - 1, first, second, swapped, ended]
    assert [chronicle.led_to(instant, "Desk", "owner", "d") for instant in instants] == [
        "",
        "ada",
        "bob",
        "ada",
        "",
    ]
    assert [chronicle.led_to(instant, "Desk", "owner", "e") for instant in instants] == [
        "",
        "",
        "ada",
        "bob",
        "bob",
    ]


def test_a_role_to_unversioned_objects_reads_as_its_present_state(chronicle: VersionedObjects) -> None:
    chronicle.create("Room", "r")
    made = chronicle.create("Lamp", "l", room="r")
    chronicle.create("Lamp", "m", room="r")
    chronicle.update("Lamp", "l", room=None)
    assert chronicle.led_to(made, "Room", "lamps", "r") == "m"


def test_candidates_are_returned_in_order_up_to_the_limit(chronicle: VersionedObjects) -> None:
    chronicle.create("Team", "red")
    chronicle.commit(*(chronicle.creation("Employee", id_, team="red") for id_ in "acegi"))
    at = chronicle.commit(*(chronicle.creation("Employee", id_, team="red") for id_ in "bdf"))
    chronicle.commit(*(chronicle.updating("Employee", id_, team=None) for id_ in "acd"))
    chronicle.commit(*(chronicle.creation("Employee", id_, team="red") for id_ in "xyz"))

    def linked(**range_: Any) -> str:
        return "".join(chronicle.entities.linked(MEMBERS, ["red"], IdRange(**range_), at=[at])[0])

    assert linked() == "abcdefgi"
    assert linked(backward=True) == "igfedcba"
    assert linked(start="c", limit=2) == "de"
    assert linked(start="c", limit=9, backward=True) == "ba"
    assert linked(limit=0) == ""


def test_links_without_a_key_read_as_their_present_state(chronicle: VersionedObjects) -> None:
    role = RoleName("Employee", "projects")
    chronicle.commit(chronicle.creation("Employee", "ada"), chronicle.creation("Project", "p"))
    linked = chronicle.commit(LinkCreation(role, "ada", "p"))
    assert chronicle.entities.linked(role, ["ada"], at=[linked - 1]) == [("p",)]
    assert chronicle.times("Employee", "ada")[-1][1] is None
    chronicle.commit(LinkDeletion(role, "ada", "p"))
    assert chronicle.entities.linked(role, ["ada"], at=[linked]) == [()]
    assert len(chronicle.times("Employee", "ada")) == 1


def test_a_whole_and_its_parts_are_deleted_and_restored_at_one_instant(chronicle: VersionedObjects) -> None:
    chronicle.commit(
        chronicle.creation("Employee", "ada", addresses=["a"]),
        chronicle.creation("Address", "a", name="1st", employee="ada"),
    )
    ended = chronicle.commit(
        Deletion(chronicle.get("Employee", "ada")), Deletion(chronicle.get("Address", "a"))
    )
    back = chronicle.commit(
        chronicle.restoration("Employee", "ada", addresses=["a"]),
        chronicle.restoration("Address", "a", name="1st", employee="ada"),
    )
    for name, id_ in (("Employee", "ada"), ("Address", "a")):
        (first, second) = chronicle.times(name, id_)
        assert (first[1], second) == (ended, (back, None))
