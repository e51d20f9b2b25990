"""Attributes and roles that a model comes to require while objects lack them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stratabase.domain.members.member import Caller
from stratabase.store.sqlite.engine import SqliteEngine
from tests.schema.evolving_room import EvolvingRoom

OLD = """
type Team { name: String }
type Skill { name: String }
type Badge { name: String  of: Person @association(opposite: "badge", holds: true) }
type Phone { digits: String }
type Person @class(versioned: true) {
  name: String
  nick: String
  team: Team
  badge: Badge @association(opposite: "of")
  skills: [Skill!]
  phones: [Phone!] @composition
}
type House @class(kind: SINGLETON) { name: String  motto: String  chief: Person }
"""
NEW = (
    OLD.replace("name: String\n  nick", "name: String!\n  nick")
    .replace("team: Team", "team: Team!")
    .replace("badge: Badge", "badge: Badge!")
    .replace("skills: [Skill!]", "skills: [Skill!]!")
    .replace("phones: [Phone!]", "phones: [Phone!]!")
    .replace("motto: String", "motto: String!")
)
EMPTY = [
    ("WARNING", "ATTRIBUTE_REQUIRED", "Person___validateUpdate.data.name"),
    ("WARNING", "ROLE_CARDINALITY", "Person___validateUpdate.data.team"),
    ("WARNING", "ROLE_CARDINALITY", "Person___validateUpdate.data.badge"),
    ("WARNING", "ROLE_CARDINALITY", "Person___validateUpdate.data.skills"),
    ("WARNING", "ROLE_CARDINALITY", "Person___validateUpdate.data.phones"),
]
"""What a validation reports of a person that has nothing."""


@pytest.fixture
def room(tmp_path: Path) -> Iterator[EvolvingRoom]:
    """A store that is served under the old model."""
    engine = SqliteEngine(tmp_path / "store.db")
    yield EvolvingRoom(engine, OLD)
    engine.close()


def test_an_update_passes_over_what_was_empty_before(room: EvolvingRoom) -> None:
    id_ = room.create("Person")
    room.serve(NEW)
    assert room.update("Person", _id=id_, nick="x") == []
    assert room.validate_update("Person", _id=id_, nick="y") == (True, EMPTY)


def test_what_is_set_cannot_be_emptied_again(room: EvolvingRoom) -> None:
    id_, team = room.create("Person"), room.create("Team")
    skill, badge = room.create("Skill"), room.create("Badge")
    room.serve(NEW)
    filled = {
        "name": "Ann",
        "team": {"set": team},
        "badge": {"set": badge},
        "skills": {"add": [skill]},
        "phones": {"create": [{"digits": "1"}]},
    }
    assert room.update("Person", _id=id_, **filled) == []
    assert room.validate_update("Person", _id=id_, nick="y") == (True, [])
    assert room.update("Person", _id=id_, name=None) == ["Person.name: a value is required"]
    assert room.update("Person", _id=id_, team={"remove": True}) == ["Person.team: one Team is required"]
    assert len(room.update("Person", _id=id_, badge={"remove": True})) == 1
    assert len(room.update("Person", _id=id_, skills={"removeAll": True})) == 1
    assert room.update("Person", _id=id_, phones={"deleteAll": True}) == [
        "Person.phones: at least one Phone is required"
    ]


@pytest.mark.parametrize(
    ("field", "emptied"),
    [
        ("name", None),
        ("team", {"set": None, "remove": True}),
        ("team", None),
        ("badge", {"remove": True}),
        ("skills", {"removeAll": True}),
        ("phones", {"deleteAll": True}),
    ],
)
def test_what_is_empty_cannot_be_asked_to_be_empty(room: EvolvingRoom, field: str, emptied: object) -> None:
    """Whoever touches it must fill it."""
    id_ = room.create("Person")
    room.serve(NEW)
    given: dict[str, Any] = {field: emptied}
    assert len(room.update("Person", _id=id_, **given)) == 1
    is_valid, issues = room.validate_update("Person", _id=id_, **given)
    assert not is_valid
    assert [place.rpartition(".")[2] for level, _, place in issues if level == "ERROR"] == [field]
    assert len(issues) == len(EMPTY)


@pytest.mark.parametrize(
    ("field", "nothing"),
    [("skills", {"remove": ["none"]}), ("phones", {"create": []}), ("phones", {})],
)
def test_removing_what_is_not_there_does_not_touch_a_role(
    room: EvolvingRoom, field: str, nothing: object
) -> None:
    id_ = room.create("Person")
    room.serve(NEW)
    assert room.update("Person", _id=id_, **{field: nothing}) == []


def test_a_key_that_leads_to_nothing_any_more_is_empty(room: EvolvingRoom) -> None:
    team = room.create("Team")
    id_ = room.create("Person", name="Ann", team=team)
    assert room.delete("Team", team) == []
    room.serve(NEW)
    assert room.update("Person", _id=id_, nick="x") == []
    is_valid, issues = room.validate_update("Person", _id=id_, nick="y")
    assert is_valid
    assert issues == EMPTY[1:]
    assert room.update("Person", _id=id_, team={"set": room.create("Team")}) == []
    assert room.validate_update("Person", _id=id_, nick="y") == (True, EMPTY[2:])


def test_a_bulk_validation_is_valid_in_spite_of_what_is_still_empty(room: EvolvingRoom) -> None:
    for _ in range(30):
        room.create("Person")
    room.serve(NEW)
    query = """{ Person___validateUpdateBulk(data: {DATA}, options: {next: 100}) {
        isValid issues { issueLevel issueType } } }"""
    found = room.ask(query.replace("DATA", 'nick: "x"'))
    assert found["isValid"]
    assert {issue["issueLevel"] for issue in found["issues"]} == {"WARNING"}
    assert len(found["issues"]) == 101
    found = room.ask(query.replace("DATA", "name: null"))
    assert not found["isValid"]
    assert found["issues"][0] == {"issueLevel": "ERROR", "issueType": "ATTRIBUTE_REQUIRED"}


def test_a_new_object_and_a_singleton_that_is_written_first_must_have_all(room: EvolvingRoom) -> None:
    room.serve(NEW)
    refused = room.body('mutation { Person___create(data: {nick: "x"}) { _id } }')
    assert "errors" in refused
    assert room.update("House", name="x") == ["House.motto: a value is required"]


def test_a_singleton_that_was_written_is_passed_over(room: EvolvingRoom) -> None:
    assert room.update("House", name="x") == []
    room.serve(NEW)
    assert room.update("House", name="y") == []
    assert room.validate_update("House", name="z") == (
        True,
        [("WARNING", "ATTRIBUTE_REQUIRED", "House___validateUpdate.data.motto")],
    )


def test_a_restoration_passes_over_what_is_and_was_empty(room: EvolvingRoom) -> None:
    id_ = room.create("Person", nick="a")
    query = 'query($id: ID!) { Person___get(_id: $id) { _versionStart(format: "dd-MM-yyyy HH:mm:ss.SSS") } }'
    at = room.ask(query, id=id_)["_versionStart"]
    room.clock.instant += 1000
    room.update("Person", _id=id_, nick="b")
    room.serve(NEW)
    room.clock.instant += 1000
    restore = """mutation($id: ID!, $at: Datetime!) {
        Person___restoreVersion(_id: $id, atVersion: $at) { nick } }"""
    assert room.ask(restore, id=id_, at=at) == {"nick": "a"}
    room.clock.instant += 1000
    assert room.update("Person", _id=id_, name="Ann") == []
    room.clock.instant += 1000
    (error,) = room.body(restore, id=id_, at=at)["errors"]
    assert error["extensions"]["userMessage"] == "Person.name: a value is required"


def test_a_report_tells_nobody_what_is_hidden(room: EvolvingRoom) -> None:
    id_ = room.create("Person")
    granted = NEW.replace(
        "type Person @class(versioned: true)",
        'type Person @class(versioned: true) @grant(profile: "Member", allow: [READ, EDIT])',
    ).replace("name: String!\n  nick", 'name: String! @grant(profile: "Member", allow: [EDIT])\n  nick')
    room.serve(
        'extend schema @application(name: "Test") @profile(name: "Administrator", administrator: true) '
        f'@profile(name: "Member")\n{granted}'
    )
    member = Caller("m2", "bob", "Member")
    assert room.validate_update("Person", member, _id=id_, nick="x") == (True, EMPTY[4:])


def test_targets_are_not_deleted_before_reindex_and_protected_after_it(room: EvolvingRoom) -> None:
    """As when a service is started with a model that requires more."""
    team, empty = room.create("Team"), room.create("Team")
    for _ in range(30):
        room.create("Person", team=team)
    room.serve(NEW)
    refusal = (
        "Team: the required role Person.team is not built yet for older objects, so nobody can tell whether "
        "it would be left empty; run `stratabase reindex Person`"
    )
    assert room.delete("Team", team) == [refusal]
    assert room.delete("Team", empty) == [refusal]
    query = "query($id: ID!) { Team___validateDelete(_id: $id) { isValid issues { userMessage issueType } } }"
    assert room.ask(query, id=empty) == {
        "isValid": False,
        "issues": [{"userMessage": refusal, "issueType": "ROLE_CARDINALITY"}],
    }
    assert room.update("Team", _id=team, name="still served") == []
    room.reindex()
    room.serve(NEW)
    assert room.entities.unbuilt() == ()
    (message,) = room.delete("Team", team)
    assert f"requires Team with _id '{team}', which therefore cannot be deleted" in message
    assert room.delete("Team", empty) == []


def test_a_part_whose_role_becomes_required_is_linked_too(room: EvolvingRoom) -> None:
    """Also of versions, and of a whole that is deleted with it."""
    old = """type Kind { name: String }
        type Item @class(versioned: true) { name: String  kind: Kind }
        type Order @class(versioned: true) { name: String  items: [Item!] @composition }"""
    room.serve(old)
    kind = room.create("Kind")
    order = room.create("Order", items=[{"name": "a", "kind": kind}, {"name": "b"}])
    room.clock.instant += 1000
    room.update("Order", _id=order, items={"create": [{"name": "c", "kind": kind}]})
    room.serve(old.replace("kind: Kind", "kind: Kind!"))
    room.reindex()
    room.serve(old.replace("kind: Kind", "kind: Kind!"))
    assert len(room.delete("Kind", kind)) == 1
    room.clock.instant += 1000
    assert room.delete("Order", order) == []
    assert room.delete("Kind", kind) == []


def test_who_may_not_know_a_role_is_not_told_its_name(room: EvolvingRoom) -> None:
    team = room.create("Team")
    granted = NEW.replace("type Team", 'type Team @grant(profile: "Member", allow: [READ, DELETE])')
    room.serve(
        'extend schema @application(name: "Test") @profile(name: "Administrator", administrator: true) '
        f'@profile(name: "Member")\n{granted}'
    )
    query = f'mutation {{ Team___delete(_id: "{team}") {{ deleted }} }}'
    (error,) = room.body(query, Caller("m2", "bob", "Member"))["errors"]
    message = error["extensions"]["userMessage"]
    assert message.startswith("Team: a required role is not built yet")
    assert "Person" not in message
