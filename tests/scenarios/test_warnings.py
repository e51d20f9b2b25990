"""Warnings over HTTP: which writes they stop, and which may be forced."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.core.operations.write.warnings.staff_services import FILE
from tests.scenarios.graph_client import Client, over_dynamodb, over_sqlite
from tests.service import running

FORCE = "forceWarnings: {dataValidation: true}"
CREATE = "mutation($data: PersonCreate!) { Person___create(data: $data) { _id } }"
NUMBERS = map(str, count())


@pytest.fixture(
    scope="module",
    params=[over_sqlite, pytest.param(over_dynamodb("office"), marks=pytest.mark.thorough)],
    ids=["sqlite", "dynamodb"],
)
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    home: Path = tmp_path_factory.mktemp("office") / "home"
    with running(home, model=FILE, application="Office", settings=request.param()) as service:
        yield Client(service)


def reported_issues(client: Client, query: str, **variables: Any) -> list[tuple[Any, ...]]:
    """Return the issues of a refused mutation, which must have no other result."""
    body = client.body(query, **variables)
    assert [*body["data"].values()] == [None]
    return _issues(body)


def shown(client: Client, query: str, **variables: Any) -> tuple[Any, list[tuple[Any, ...]]]:
    """Return the object that a preview shows, and its issues."""
    body = client.body(query, **variables)
    (view,) = body["data"].values()
    return view, _issues(body)


def _issues(body: Any) -> list[tuple[Any, ...]]:
    return [expected_issue(error["extensions"], error["message"]) for error in body["errors"]]


def expected_issue(issue: dict[str, Any], message: str) -> tuple[Any, ...]:
    return issue["issueType"], issue["issueLevel"], message, issue["sourceRequestReference"]


def test_a_warning_is_reported_with_all_its_fields(client: Client) -> None:
    query = 'mutation { kim: Person___create(data: {_clientId: "K", name: "Kim", age: 7}) { _id } }'

    (error,) = client.body(query)["errors"]

    assert error["message"] == "A child."
    assert {name: value for name, value in error["extensions"].items() if name != "traceId"} == {
        "sourceRequestReference": "kim.data",
        "userMessage": "A child.",
        "issueLevel": "WARNING",
        "issueReferenceType": "ENTITY",
        "issueType": "ENTITY_DOMAIN",
        "entityID": None,
        "_clientId": "K",
        "entityName": "Person",
        "attributeNames": None,
        "roleNames": None,
        "applicationName": "Office",
        "profileName": "Administrator",
    }


def test_an_object_with_a_warning_is_written_only_if_forced(client: Client) -> None:
    name = next(NUMBERS)
    create = f'mutation {{ Person___create(data: {{name: "{name}", age: 7}}, %s) {{ age }} }}'
    for unforced in (
        "forceWarnings: null",
        "forceWarnings: {}",
        "forceWarnings: {actionVeto: true}",
        "forceWarnings: {actionVeto: true, dataValidation: false}",
        "forceWarnings: {dataValidation: null}",
    ):
        assert len(reported_issues(client, create % unforced)) == 1
    page = f'{{ Person___getPage(options: {{filter: {{name___eq: "{name}"}}}}) {{ totalCount }} }}'
    assert client.ask(page) == {"totalCount": 0}

    assert client.ask(create % FORCE) == {"age": 7}
    assert client.ask(page) == {"totalCount": 1}


def test_a_blocking_warning_cannot_be_forced(client: Client) -> None:
    query = f'mutation {{ Person___create(data: {{name: "Kim", age: 151}}, {FORCE}) {{ _id }} }}'

    assert reported_issues(client, query) == [
        ("ENTITY_DOMAIN", "ERROR", "Nobody is so old.", "Person___create.data")
    ]


def test_warnings_of_parts_and_other_issues_are_reported_together(client: Client) -> None:
    data = {"name": "admin", "age": 201, "phones": [{"digits": "123"}, {"digits": "1"}]}
    place = "Person___create.data"

    found = reported_issues(client, CREATE, data=data)

    assert [each[:2] + each[3:] for each in found] == [
        ("ATTRIBUTE_RANGE", "ERROR", f"{place}.age"),
        ("ENTITY_DOMAIN", "ERROR", place),
        ("ENTITY_DOMAIN", "WARNING", place),
        ("ENTITY_DOMAIN", "WARNING", f"{place}.phones.1"),
    ]
    assert [message for _, _, message, _ in found[1:]] == [
        "Nobody is so old.",
        "You yourself.",
        "A short number.",
    ]


def test_updates_through_roles_check_the_warnings_of_their_targets(client: Client) -> None:
    kim = client.create("Person", name="Kim", age=17, phones=[{"digits": "123"}])
    phones = "query($id: ID!) { Person___get(_id: $id) { phones { items { _id } } } }"
    (phone,) = client.ask(phones, id=kim)["phones"]["items"]
    red = client.ask('mutation { Team___save(data: {name: "red"}) { _id } }')["_id"]
    team = "mutation($data: TeamUpdate!) { Team___update(data: $data) { _id } }"
    person = "mutation($data: PersonUpdate!) { Person___update(data: $data) { _id } }"
    change = {"_id": kim, "phones": {"update": [{**phone, "digits": "1"}]}}

    assert reported_issues(client, team, data={"_id": red, "members": {"add": [kim]}}) == [
        ("ENTITY_DOMAIN", "WARNING", "Red is for adults.", "Team___update.data.members")
    ]
    assert reported_issues(client, person, data=change) == [
        ("ENTITY_DOMAIN", "WARNING", "A short number.", "Person___update.data.phones.update.0")
    ]
    assert client.ask(phones, id=kim)["phones"]["items"] == [phone]


def test_a_warning_of_the_target_of_a_new_association_is_reported(client: Client) -> None:
    team = client.create("Team", name=next(NUMBERS))
    for _ in range(2):
        client.create("Person", name="Kim", team=team)
    data = f'data: {{name: "Lee", team: "{team}"}}'
    create = f"mutation {{ Person___create({data}, %s) {{ team {{ head_count }} }} }}"

    body = client.body(create % "forceWarnings: {}")
    assert [error["extensions"]["entityID"] for error in body["errors"]] == [team]
    assert client.ask(create % FORCE) == {"team": {"head_count": 3}}


def test_a_save_checks_warnings(client: Client) -> None:
    save = "mutation($data: PersonDraft!) { Person___save(data: $data, %s) { _id age } }"
    child = ("ENTITY_DOMAIN", "WARNING", "A child.", "Person___save.data")

    assert reported_issues(client, save % "forceWarnings: {}", data={"name": "Kim", "age": 7}) == [child]
    created = client.ask(save % FORCE, data={"name": "Kim", "age": 7})
    again = {"_id": created["_id"], "name": "Lee"}
    assert reported_issues(client, save % "forceWarnings: {}", data=again) == [child]
    assert client.ask(save % FORCE, data=again) == created


def test_a_bulk_service_reports_the_warnings_of_each_object(client: Client) -> None:
    names = {name: client.create("Person", name=name) for name in ("bulk", "admins")}
    client.ask(
        f'mutation {{ Person___update(data: {{_id: "{names["admins"]}", name: "bulk", age: 50}}) {{ _id }} }}'
    )
    options = 'options: {filter: {name___eq: "bulk"}, orderBy: [age___ASC]}'
    value = f"data: {{age: 15}}, {options}"
    update = f"mutation {{ Person___updateBulk({value}, %s) {{ totalCount items {{ age }} }} }}"
    validate = f"""{{ Person___validateUpdateBulk({value}) {{
      isValid issues {{ issueLevel entityID }} }} }}"""
    ids = sorted(names.values())

    verdict = client.ask(validate)
    summary, *warnings = client.body(update % "forceWarnings: {}")["errors"]

    assert verdict["isValid"] is False
    assert sorted(issue["entityID"] for issue in verdict["issues"]) == ids
    assert "0 of 2 Person objects were updated" in summary["message"]
    assert sorted(warning["extensions"]["entityID"] for warning in warnings) == ids
    assert client.ask(update % FORCE) == {"totalCount": 2, "items": [{"age": 15}] * 2}


def test_previews_ignore_warnings_and_validations_list_them(client: Client) -> None:
    data = {"name": "Kim", "age": 7, "phones": [{"digits": "1"}]}
    preview = "query($data: PersonDraftCreate!) { Person___previewCreate(data: $data) { age phone_count } }"
    validate = """query($data: PersonDraftCreate!) { Person___validateCreate(data: $data) {
      isValid issues { issueType issueLevel userMessage sourceRequestReference } } }"""

    assert client.ask(preview, data=data) == {"age": 7, "phone_count": 1}
    old, issues = shown(client, preview, data={**data, "age": 151})
    assert (old, issues[0][2]) == ({"age": 151, "phone_count": 1}, "Nobody is so old.")
    verdict = client.ask(validate, data=data)
    assert verdict["isValid"] is False
    assert [(each["issueLevel"], each["userMessage"]) for each in verdict["issues"]] == [
        ("WARNING", "A child."),
        ("WARNING", "A short number."),
    ]
    assert client.ask(validate, data={"name": "Kim", "age": 16}) == {"isValid": True, "issues": []}


def test_warnings_of_singletons_and_forms_are_checked(client: Client) -> None:
    house = "mutation { House___update(data: {degrees: 5}, %s) { degrees } }"
    leave = "{ Leave___previewCreate(data: {days: %s}) { days } }"

    assert [each[2] for each in reported_issues(client, house % "forceWarnings: {}")] == ["Cold."]
    assert client.ask(house % FORCE) == {"degrees": 5}
    assert client.ask(leave % 30) == {"days": 30}
    view, issues = shown(client, leave % 301)
    assert (view, [each[2] for each in issues]) == ({"days": 301}, ["Long.", "Endless."])


def test_deletions_have_no_warnings(client: Client) -> None:
    query = f'mutation {{ Person___create(data: {{name: "gone", age: 7}}, {FORCE}) {{ _id }} }}'
    id_ = client.ask(query)["_id"]

    assert client.ask(
        f'{{ Person___validateDelete(_id: "{id_}") {{ isValid issues {{ userMessage }} }} }}'
    ) == {
        "isValid": True,
        "issues": [],
    }
    assert client.ask(f'mutation {{ Person___delete(_id: "{id_}") {{ deleted }} }}') == {"deleted": True}
