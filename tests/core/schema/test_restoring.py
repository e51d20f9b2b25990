"""Restorations, and writes with `ifVersion`."""

from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from tests.core.schema.graph_api import GraphApi
from tests.core.schema.versioned_api import TIMES, VersionedApi
from tests.fakes import NOON


@pytest.fixture
def api(graphs: GraphApi) -> VersionedApi:
    return VersionedApi(graphs)


def second(api: VersionedApi, number: int) -> str:
    return api.at(NOON + 1000 * number)


def issue_summaries(body: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the issues of an answer: their levels, types, and what they are about."""
    issues = [error["extensions"] for error in body["errors"]]
    return [
        (each["issueLevel"], each["issueType"], (each["roleNames"] or each["attributeNames"] or [""])[0])
        for each in issues
    ]


def test_a_restoration_sets_former_values_and_keys_in_a_new_version(api: VersionedApi) -> None:
    mentor = api.person(last_name="mentor")
    id_ = api.person(last_name="a", height=180, mentor=mentor)
    api.update(id_, last_name="b", height=None, email="b@example.com", mentor={"remove": True})
    body = api.restore(
        id_, second(api, 2), selection=f"last_name height email mentor {{ last_name }} {TIMES}"
    )
    assert body["data"]["Person___restoreVersion"] == {
        "last_name": "a",
        "height": 180,
        "email": None,
        "mentor": {"last_name": "mentor"},
        "_versionStart": second(api, 4),
        "_versionEnd": None,
    }
    assert api.names(id_) == ["a", "b", "a"]
    assert api.graphs.get("Person", mentor, "pupils { items { _id } }")["pupils"]["items"] == [{"_id": id_}]


def test_platform_attributes_record_the_restoration(api: VersionedApi) -> None:
    id_ = api.person(last_name="a")
    api.update(id_, last_name="b")
    api.graphs.caller = Caller("2", "bob", "Administrator")
    api.restore(id_, second(api, 1))
    shown = api.graphs.get("Person", id_, '_createdby _lastmodifiedby _lastmodifiedon(format: "ss")')
    assert shown == {"_createdby": "ada", "_lastmodifiedby": "bob", "_lastmodifiedon": "03"}


def test_a_restoration_without_changes_creates_no_version(api: VersionedApi) -> None:
    id_ = api.person(last_name="a")
    body = api.restore(id_, second(api, 9))
    assert body["data"]["Person___restoreVersion"] == {
        "last_name": "a",
        "_versionStart": second(api, 1),
        "_versionEnd": None,
    }
    assert api.names(id_) == ["a"]


def test_restoring_a_missing_version_is_refused(api: VersionedApi) -> None:
    id_ = api.person(last_name="a")
    assert issue_summaries(api.restore(id_, second(api, 0))) == [("ERROR", "ENTITY_NOT_FOUND", "")]
    assert issue_summaries(api.restore("nobody", second(api, 1))) == [("ERROR", "ENTITY_NOT_FOUND", "")]
    api.delete(id_)
    assert issue_summaries(api.restore(id_, api.at(api.clock.instant))) == [("ERROR", "ENTITY_NOT_FOUND", "")]


def test_a_key_to_a_deleted_object_is_omitted_with_a_warning(api: VersionedApi) -> None:
    mentor = api.person(last_name="mentor")
    id_ = api.person(last_name="a", mentor=mentor)
    api.update(id_, last_name="b", mentor={"remove": True})
    api.delete(mentor)
    body = api.restore(id_, second(api, 2))
    assert issue_summaries(body) == [("WARNING", "ENTITY_NOT_FOUND", "mentor")]
    assert f'Person "{mentor}" ' in body["errors"][0]["message"]
    assert api.names(id_) == ["a", "b"]
    forced = api.restore(id_, second(api, 2), force=True, selection="last_name mentor { _id }")
    assert forced["data"]["Person___restoreVersion"] == {"last_name": "a", "mentor": None}


def test_unversioned_parts_stay_if_they_exist_and_are_otherwise_omitted(api: VersionedApi) -> None:
    id_ = api.person(last_name="a", phones=[{"digits": "1"}, {"digits": "2"}])
    phones = api.graphs.get("Person", id_, "phones { items { _id } }")["phones"]["items"]
    changed = {"_id": phones[0]["_id"], "digits": "11"}
    api.update(
        id_,
        last_name="b",
        phones={"update": [changed], "delete": [phones[1]["_id"]], "create": [{"digits": "3"}]},
    )
    assert issue_summaries(api.restore(id_, second(api, 1))) == [("WARNING", "ENTITY_NOT_FOUND", "phones")]
    forced = api.restore(id_, second(api, 1), force=True, selection="last_name phones { items { digits } }")
    shown = {"last_name": "a", "phones": {"items": [{"digits": "11"}]}}
    assert forced["data"]["Person___restoreVersion"] == shown


def test_unique_values_taken_by_another_object_are_refused(api: VersionedApi) -> None:
    id_ = api.person(last_name="a", email="a@example.com")
    api.update(id_, email=None)
    api.person(last_name="other", email="a@example.com")
    assert issue_summaries(api.restore(id_, second(api, 1), force=True)) == [
        ("ERROR", "ENTITY_UNIQUE", "email")
    ]


def test_a_partner_taken_by_another_object_is_refused(api: VersionedApi) -> None:
    id_ = api.person(last_name="a")
    desk = api.graphs.create("Desk", number=1, owner=id_)
    api.clock.instant += 1000
    other = api.person(last_name="other")
    api.clock.instant += 1000
    api.graphs.update("Desk", "_id", _id=desk, owner={"set": other})
    body = api.restore(id_, api.at(api.clock.instant - 1001))
    assert ("ERROR", "ROLE_CARDINALITY", "desk") in issue_summaries(body)


def test_an_object_locked_by_another_is_not_restored(api: VersionedApi) -> None:
    id_ = api.person(last_name="a")
    api.update(id_, last_name="b")
    api.graphs.ask(f'mutation {{ lock(locks: [{{entityName: Person, _id: "{id_}"}}]) {{ locked }} }}')
    api.graphs.caller = Caller("2", "bob", "Administrator")
    assert issue_summaries(api.restore(id_, second(api, 1), force=True)) == [
        ("ERROR", "ENTITY_LOCK_PERSIST", "")
    ]
    assert api.names(id_) == ["a", "b"]


def test_a_restoration_that_empties_a_required_role_is_refused(api: VersionedApi) -> None:
    """Many-to-many links have no versions: those of a deleted object are gone for good."""
    id_ = api.person(last_name="a")
    api.delete(id_)
    body = api.restore(id_, second(api, 1), force=True)
    assert set(issue_summaries(body)) == {
        ("ERROR", "ROLE_CARDINALITY", role) for role in ("skills", "contract", "phones")
    }
    assert api.version(id_, api.at(api.clock.instant)) is None


UPDATE = """mutation($id: ID!, $name: String!, $v: Datetime)
            { r: Person___update(data: {_id: $id, last_name: $name}, ifVersion: $v) { last_name } }"""
SAVE = UPDATE.replace("update(", "save(")
DELETE = "mutation($id: ID!, $v: Datetime) { r: Person___delete(_id: $id, ifVersion: $v) { deleted } }"


@pytest.mark.parametrize("query", [UPDATE, SAVE, DELETE])
def test_if_version_of_another_version_is_refused_with_the_present_one(api: VersionedApi, query: str) -> None:
    id_ = api.person(last_name="a")
    api.update(id_, last_name="b")
    value = {} if query is DELETE else {"name": "c"}
    for wrong in (second(api, 1), api.at(NOON + 1999), api.at(NOON + 2001)):
        body = api.graphs.body(query, id=id_, v=wrong, **value)
        assert issue_summaries(body) == [("ERROR", "ENTITY_LOCK_PERSIST", "")]
        assert body["errors"][0]["extensions"]["sourceRequestReference"] == "r.ifVersion"
        assert second(api, 2) in body["errors"][0]["message"]
    assert api.names(id_) == ["a", "b"]
    assert "errors" not in api.graphs.body(query, id=id_, v=second(api, 2), **value)


@pytest.mark.parametrize("query", [UPDATE, SAVE, DELETE])
def test_a_write_with_if_version_null_succeeds(api: VersionedApi, query: str) -> None:
    id_ = api.person(last_name="a")
    value = {} if query is DELETE else {"name": "c"}
    assert "errors" not in api.graphs.body(query, id=id_, v=None, **value)


def test_an_update_without_changes_is_refused_if_if_version_differs(api: VersionedApi) -> None:
    id_ = api.person(last_name="a")
    body = api.graphs.body(UPDATE, id=id_, v=second(api, 0), name="a")
    assert issue_summaries(body) == [("ERROR", "ENTITY_LOCK_PERSIST", "")]


def test_an_update_of_roles_is_refused_if_if_version_differs(api: VersionedApi) -> None:
    id_ = api.person(last_name="a")
    query = """mutation($id: ID!, $v: Datetime, $p: [PhoneCreate])
               { Person___update(data: {_id: $id, phones: {create: $p}}, ifVersion: $v) { last_name } }"""
    phone = [{"digits": "5"}]
    assert issue_summaries(api.graphs.body(query, id=id_, v=second(api, 0), p=phone)) == [
        ("ERROR", "ENTITY_LOCK_PERSIST", "")
    ]
    assert api.graphs.ask(query, id=id_, v=second(api, 1), p=phone) == {"last_name": "a"}


def test_a_save_without_an_id_cannot_have_if_version(api: VersionedApi) -> None:
    query = """mutation { r: Person___save(data: {last_name: "x"}, ifVersion: "%s") { _id } }"""
    body = api.graphs.body(query % second(api, 0))
    assert issue_summaries(body) == [("ERROR", "MALFORMED_REQUEST", "")]
    assert body["errors"][0]["extensions"]["sourceRequestReference"] == "r.ifVersion"


def test_a_deletion_of_a_missing_object_ignores_if_version(api: VersionedApi) -> None:
    assert api.graphs.ask(DELETE, id="nobody", v=second(api, 1)) == {"deleted": False}


def test_if_version_of_an_unwritten_singleton_is_refused(api: VersionedApi) -> None:
    query = 'mutation { House___update(data: {name: "x"}, ifVersion: "%s") { name } }'
    body = api.graphs.body(query % second(api, 0))
    assert issue_summaries(body) == [("ERROR", "ENTITY_LOCK_PERSIST", "")]
    assert "has no version" in body["errors"][0]["message"]
