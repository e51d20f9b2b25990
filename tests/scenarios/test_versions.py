"""Versions over HTTP, on each store: the history of an object."""

from collections.abc import Iterator
from secrets import token_hex
from typing import Any

import pytest

from tests.scenarios.graph_client import Client, over_dynamodb
from tests.service import running

FORMAT = "dd-MM-yyyy HH:mm:ss.SSS"
TIMES = f'_versionStart(format: "{FORMAT}") _versionEnd(format: "{FORMAT}")'


@pytest.fixture(
    scope="module",
    params=[dict, pytest.param(over_dynamodb("versions"), marks=pytest.mark.thorough)],
    ids=["sqlite", "dynamodb"],
)
def roman(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A member in the time zone of Rome."""
    with running(tmp_path_factory.mktemp("service") / "home", settings=request.param()) as service:
        name = f"ada-{token_hex(4)}"  # the emulator may have met another of these tests
        service.join(name, "Manager", timeZone="Europe/Rome")
        yield Client(service, name)


UPDATE = f"mutation($data: EmployeeUpdate!) {{ Employee___update(data: $data) {{ {TIMES} }} }}"
VERSION = f"""query($id: ID!, $at: Datetime!) {{ Employee___getVersion(_id: $id, atVersion: $at) {{
  last_name {TIMES} contract {{ kind }} team {{ name members {{ items {{ last_name }} }} }} }} }}"""
PAGE = f"query($id: ID!) {{ Employee___getVersionPage(_id: $id) {{ items {{ last_name {TIMES} }} }} }}"


def test_an_object_has_versions_from_creation_to_restoration(roman: Client) -> None:
    """Hired, changed, deleted and brought back; what was is found by the times that the answers tell."""
    team = roman.ask('mutation { Team___create(data: {name: "red"}) { _id } }')["_id"]
    person = {"first_name": "Ada", "last_name": "One", "email": "one@example.com", "team": team}
    contract = {"kind": "PERMANENT", "starts_on": "2020-01-31"}
    create = "mutation($data: EmployeeCreate!) { Employee___create(data: $data) { _id } }"
    id_ = roman.ask(create, data={**person, "contract": contract})["_id"]
    fixed = {"update": {"_id": contract_of(roman, id_), "kind": "FIXED_TERM"}}
    roman.ask(UPDATE, data={"_id": id_, "last_name": "Two", "team": {"remove": True}, "contract": fixed})
    roman.ask(UPDATE, data={"_id": id_, "last_name": "Three"})

    one, two, three = roman.ask(PAGE, id=id_)["items"]
    assert [each["last_name"] for each in (one, two, three)] == ["One", "Two", "Three"]
    assert (one["_versionEnd"], two["_versionEnd"]) == (two["_versionStart"], three["_versionStart"])
    first = roman.ask(VERSION, id=id_, at=one["_versionStart"])
    assert first["team"] == {"name": "red", "members": {"items": [{"last_name": "One"}]}}
    assert first["contract"] == {"kind": "PERMANENT"}
    assert roman.ask(VERSION, id=id_, at=two["_versionStart"])["contract"] == {"kind": "FIXED_TERM"}

    changes = differences(roman, id_, one["_versionStart"], three["_versionStart"])
    assert changes["last_name"]["changedOn"] == three["_versionStart"]
    assert (changes["team"]["old"], changes["team"]["new"]) == (f'"{team}"', None)
    assert {each["changedBy"] for each in changes.values()} == {roman.username}

    late = "mutation($id: ID!, $v: Datetime) { Employee___delete(_id: $id, ifVersion: $v) { deleted } }"
    (error,) = roman.body(late, id=id_, v=two["_versionStart"])["errors"]
    assert error["extensions"]["issueType"] == "ENTITY_LOCK_PERSIST"
    assert three["_versionStart"] in error["message"]
    assert roman.ask(late, id=id_, v=three["_versionStart"]) == {"deleted": True}
    *_, last = roman.ask(PAGE, id=id_)["items"]
    assert last["_versionEnd"] is not None
    assert roman.ask(VERSION, id=id_, at=last["_versionEnd"]) is None

    restore = f"""mutation($id: ID!, $at: Datetime!) {{ Employee___restoreVersion(_id: $id, atVersion: $at) {{
      last_name team {{ name }} contract {{ kind }} {TIMES} }} }}"""
    back = roman.ask(restore, id=id_, at=one["_versionStart"])
    assert (back["last_name"], back["team"], back["contract"]) == (
        "One",
        {"name": "red"},
        {"kind": "PERMANENT"},
    )
    names = [each["last_name"] for each in roman.ask(PAGE, id=id_)["items"]]
    assert names == ["One", "Two", "Three", "One"]


def contract_of(client: Client, id_: str) -> str:
    found = client.ask("query($id: ID!) { Employee___get(_id: $id) { contract { _id } } }", id=id_)
    return str(found["contract"]["_id"])


def differences(client: Client, id_: str, from_: str, to: str) -> dict[str, dict[str, Any]]:
    query = """query($id: ID!, $from: Datetime!, $to: Datetime!) {
      Employee___getVersionDiff(_id: $id, from: $from, to: $to) {
        changes { name old new changedBy changedOn(format: "%s") } } }"""
    changes = client.ask(query.replace("%s", FORMAT), id=id_, **{"from": from_, "to": to})["changes"]
    return {change["name"]: change for change in changes}


def test_an_invalid_instant_is_refused_with_the_expected_format(roman: Client) -> None:
    (error,) = roman.body(VERSION, id="x", at="2020-01-31T10:00:00")["errors"]
    assert (error["extensions"]["issueType"], FORMAT in error["message"]) == ("DATA_TYPE", True)


def test_the_storage_calls_of_versions_are_reported(roman: Client, request: pytest.FixtureRequest) -> None:
    """To administrators only; anybody else is refused."""
    body = roman.body('{ Employee___getVersionPage(_id: "x", insight: LIGHT) { hasNext } }')
    assert body["errors"][0]["extensions"]["issueType"] == "APPLICATION_ACCESS_FORBIDDEN"
