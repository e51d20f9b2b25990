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
        "_label": None,
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
