"""Attributes and roles that become required while objects lack them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.core.schema.evolving_api import EvolvingApi
from tests.core.schema.models_with_required_members import NEW, OLD

EMPTY = [
    ("WARNING", "ATTRIBUTE_REQUIRED", "Person___validateUpdate.data.name"),
    ("WARNING", "ROLE_CARDINALITY", "Person___validateUpdate.data.team"),
    ("WARNING", "ROLE_CARDINALITY", "Person___validateUpdate.data.badge"),
    ("WARNING", "ROLE_CARDINALITY", "Person___validateUpdate.data.skills"),
    ("WARNING", "ROLE_CARDINALITY", "Person___validateUpdate.data.phones"),
]
"""What a validation reports of a person that has nothing."""


@pytest.fixture
def api(tmp_path: Path) -> Iterator[EvolvingApi]:
    """A store that is served under the old model."""
    engine = SqliteEngine(tmp_path / "store.db")
    yield EvolvingApi(engine, OLD)
    engine.close()


def test_an_update_ignores_required_members_that_were_empty_before(api: EvolvingApi) -> None:
    id_ = api.create("Person")
    api.serve(NEW)
    assert api.update("Person", _id=id_, nick="x") == []
    assert api.validate_update("Person", _id=id_, nick="y") == (True, EMPTY)


def test_a_required_member_that_is_set_cannot_be_emptied(api: EvolvingApi) -> None:
    id_, team = api.create("Person"), api.create("Team")
    skill, badge = api.create("Skill"), api.create("Badge")
    api.serve(NEW)
    filled = {
        "name": "Ann",
        "team": {"set": team},
        "badge": {"set": badge},
        "skills": {"add": [skill]},
        "phones": {"create": [{"digits": "1"}]},
    }
    assert api.update("Person", _id=id_, **filled) == []
    assert api.validate_update("Person", _id=id_, nick="y") == (True, [])
    assert api.update("Person", _id=id_, name=None) == ["Person.name is required."]
    assert api.update("Person", _id=id_, team={"remove": True}) == ["Person.team requires one Team."]
    assert len(api.update("Person", _id=id_, badge={"remove": True})) == 1
    assert len(api.update("Person", _id=id_, skills={"removeAll": True})) == 1
    assert api.update("Person", _id=id_, phones={"deleteAll": True}) == [
        "Person.phones requires at least one Phone."
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
def test_an_empty_required_member_cannot_be_cleared_explicitly(
    api: EvolvingApi, field: str, emptied: object
) -> None:
    """A write that names it must give it a value."""
    id_ = api.create("Person")
    api.serve(NEW)
    value: dict[str, Any] = {field: emptied}
    assert len(api.update("Person", _id=id_, **value)) == 1
    is_valid, issues = api.validate_update("Person", _id=id_, **value)
    assert not is_valid
    assert [place.rpartition(".")[2] for level, _, place in issues if level == "ERROR"] == [field]
    assert len(issues) == len(EMPTY)


@pytest.mark.parametrize(
    ("field", "nothing"),
    [("skills", {"remove": ["none"]}), ("phones", {"create": []}), ("phones", {})],
)
def test_removing_a_missing_link_does_not_change_a_role(
    api: EvolvingApi, field: str, nothing: object
) -> None:
    id_ = api.create("Person")
    api.serve(NEW)
    assert api.update("Person", _id=id_, **{field: nothing}) == []


def test_a_broken_reference_counts_as_empty(api: EvolvingApi) -> None:
    team = api.create("Team")
    id_ = api.create("Person", name="Ann", team=team)
    assert api.delete("Team", team) == []
    api.serve(NEW)
    assert api.update("Person", _id=id_, nick="x") == []
    is_valid, issues = api.validate_update("Person", _id=id_, nick="y")
    assert is_valid
    assert issues == EMPTY[1:]
    assert api.update("Person", _id=id_, team={"set": api.create("Team")}) == []
    assert api.validate_update("Person", _id=id_, nick="y") == (True, EMPTY[2:])


def test_a_bulk_validation_ignores_required_members_that_were_empty(api: EvolvingApi) -> None:
    for _ in range(30):
        api.create("Person")
    api.serve(NEW)
    query = """{ Person___validateUpdateBulk(data: {DATA},
        options: {filter: {_id___not___null: true}, next: 100}) {
        isValid issues { issueLevel issueType } } }"""
    found = api.ask(query.replace("DATA", 'nick: "x"'))
    assert found["isValid"]
    assert {issue["issueLevel"] for issue in found["issues"]} == {"WARNING"}
    assert len(found["issues"]) == 101
    found = api.ask(query.replace("DATA", "name: null"))
    assert not found["isValid"]
    assert found["issues"][0] == {"issueLevel": "ERROR", "issueType": "ATTRIBUTE_REQUIRED"}


def test_a_new_object_and_a_first_written_singleton_need_all_required_members(api: EvolvingApi) -> None:
    api.serve(NEW)
    refused = api.body('mutation { Person___create(data: {nick: "x"}) { _id } }')
    assert "errors" in refused
    assert api.update("House", name="x") == ["House.motto is required."]


def test_an_update_of_a_written_singleton_ignores_members_that_were_empty(api: EvolvingApi) -> None:
    assert api.update("House", name="x") == []
    api.serve(NEW)
    assert api.update("House", name="y") == []
    assert api.validate_update("House", name="z") == (
        True,
        [("WARNING", "ATTRIBUTE_REQUIRED", "House___validateUpdate.data.motto")],
    )


def test_a_restoration_ignores_required_members_that_are_and_were_empty(api: EvolvingApi) -> None:
    id_ = api.create("Person", nick="a")
    query = 'query($id: ID!) { Person___get(_id: $id) { _versionStart(format: "dd-MM-yyyy HH:mm:ss.SSS") } }'
    at = api.ask(query, id=id_)["_versionStart"]
    api.clock.instant += 1000
    api.update("Person", _id=id_, nick="b")
    api.serve(NEW)
    api.clock.instant += 1000
    restore = """mutation($id: ID!, $at: Datetime!) {
        Person___restoreVersion(_id: $id, atVersion: $at) { nick } }"""
    assert api.ask(restore, id=id_, at=at) == {"nick": "a"}
    api.clock.instant += 1000
    assert api.update("Person", _id=id_, name="Ann") == []
    api.clock.instant += 1000
    (error,) = api.body(restore, id=id_, at=at)["errors"]
    assert error["extensions"]["userMessage"] == "Person.name is required."


def test_warnings_about_empty_members_do_not_reveal_hidden_ones(api: EvolvingApi) -> None:
    id_ = api.create("Person")
    granted = NEW.replace(
        "type Person @class(versioned: true)",
        'type Person @class(versioned: true) @grant(profile: "Member", allow: [READ, EDIT])',
    ).replace("name: String!\n  nick", 'name: String! @grant(profile: "Member", allow: [EDIT])\n  nick')
    api.serve(
        'extend schema @application(name: "Test") @profile(name: "Administrator", administrator: true) '
        f'@profile(name: "Member")\n{granted}'
    )
    member = Caller("m2", "bob", "Member")
    assert api.validate_update("Person", member, _id=id_, nick="x") == (True, EMPTY[4:])


def test_deletion_of_targets_is_refused_before_and_after_a_reindex(api: EvolvingApi) -> None:
    """This happens when a service starts with a model that requires more."""
    team, empty = api.create("Team"), api.create("Team")
    for _ in range(30):
        api.create("Person", team=team)
    api.serve(NEW)
    refusal = (
        "Team: "
        "The required role Person.team can't be checked until it is built for existing "
        "objects. Run `stratabase reindex Person`."
    )
    assert api.delete("Team", team) == [refusal]
    assert api.delete("Team", empty) == [refusal]
    query = "query($id: ID!) { Team___validateDelete(_id: $id) { isValid issues { userMessage issueType } } }"
    assert api.ask(query, id=empty) == {
        "isValid": False,
        "issues": [{"userMessage": refusal, "issueType": "ROLE_CARDINALITY"}],
    }
    assert api.update("Team", _id=team, name="still served") == []
    api.reindex()
    api.serve(NEW)
    assert api.entities.unbuilt() == ()
    (message,) = api.delete("Team", team)
    assert f'You can\'t delete Team "{team}" because Person' in message
    assert api.delete("Team", empty) == []


def test_a_reindex_links_parts_whose_role_becomes_required(api: EvolvingApi) -> None:
    """The parts have versions. The links do not prevent the deletion of the whole with its parts."""
    old = """type Kind { name: String }
        type Item @class(versioned: true) { name: String  kind: Kind }
        type Order @class(versioned: true) { name: String  items: [Item!] @composition }"""
    api.serve(old)
    kind = api.create("Kind")
    order = api.create("Order", items=[{"name": "a", "kind": kind}, {"name": "b"}])
    api.clock.instant += 1000
    api.update("Order", _id=order, items={"create": [{"name": "c", "kind": kind}]})
    api.serve(old.replace("kind: Kind", "kind: Kind!"))
    api.reindex()
    api.serve(old.replace("kind: Kind", "kind: Kind!"))
    assert len(api.delete("Kind", kind)) == 1
    api.clock.instant += 1000
    assert api.delete("Order", order) == []
    assert api.delete("Kind", kind) == []


def test_a_refusal_does_not_name_an_unreadable_role(api: EvolvingApi) -> None:
    team = api.create("Team")
    granted = NEW.replace("type Team", 'type Team @grant(profile: "Member", allow: [READ, DELETE])')
    api.serve(
        'extend schema @application(name: "Test") @profile(name: "Administrator", administrator: true) '
        f'@profile(name: "Member")\n{granted}'
    )
    query = f'mutation {{ Team___delete(_id: "{team}") {{ deleted }} }}'
    (error,) = api.body(query, Caller("m2", "bob", "Member"))["errors"]
    message = error["extensions"]["userMessage"]
    assert message.startswith("Team: A required role can't be checked until")
    assert "Person" not in message
