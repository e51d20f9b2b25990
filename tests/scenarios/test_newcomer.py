"""The first steps of a newcomer, over HTTP against the sample model."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rows import each_row
from tests.scenarios.graph_client import over_dynamodb
from tests.service import PASSWORD, RunningService, basic, running

ADDRESS = "/auth/api/graphql/Hr"
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module", params=[dict, over_dynamodb("newcomer")], ids=["sqlite", "dynamodb"])
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    home: Path = tmp_path_factory.mktemp("service") / "home"
    with running(home, settings=request.param()) as started:
        yield started


def create(service: RunningService, email: str) -> str:
    answer = service.graphql(
        "mutation($data: EmployeeCreate!) { Employee___create(data: $data) { _id } }",
        {"data": {"first_name": "Ada", "last_name": "Lovelace", "email": email, "salary": 100}},
    )
    return str(answer["data"]["Employee___create"]["_id"])


def test_an_employee_is_created_and_read_back(service: RunningService) -> None:
    id_ = create(service, "ada@example.com")

    answer = service.graphql(
        "query($id: ID!) { Employee___get(_id: $id) { _id first_name email _createdby } }", {"id": id_}
    )

    assert answer == {
        "data": {
            "Employee___get": {
                "_id": id_,
                "first_name": "Ada",
                "email": "ada@example.com",
                "_createdby": "admin",
            }
        }
    }


def test_derived_attributes_are_computed(service: RunningService) -> None:
    """The README shows this example."""
    id_ = create(service, "computed@example.com")
    created = service.graphql(
        """mutation($members: [ID]) { Team___create(data: {name: "Engines", members: $members}) {
             name head_count } }""",
        {"members": [id_]},
    )
    page = """{ Employee___getPage(options: {
      filter_exp: "year(firstNotNull(date_of_birth, today())) > 2000 && team_name == 'Engines'",
      orderBy: [full_name___ASC]
    }) { items { full_name team { name head_count } } } }"""

    team = {"name": "Engines", "head_count": 1}
    assert created == {"data": {"Team___create": team}}
    items = [{"full_name": "Ada Lovelace", "team": team}]
    assert service.graphql(page) == {"data": {"Employee___getPage": {"items": items}}}


def test_reading_an_unknown_id_returns_null(service: RunningService) -> None:
    assert service.graphql('{ Employee___get(_id: "nobody") { _id } }') == {"data": {"Employee___get": None}}


def test_updating_an_unknown_id_is_an_issue(service: RunningService) -> None:
    answer = service.graphql('mutation { Employee___update(data: {_id: "nobody", salary: 1}) { _id } }')

    (error,) = answer["errors"]
    assert answer["data"] == {"Employee___update": None}
    assert error["path"] == ["Employee___update"]
    assert error["message"] == 'Employee "nobody" does not exist.'
    trace_id = error["extensions"].pop("traceId")
    assert trace_id
    assert error["extensions"] == {
        "sourceRequestReference": "Employee___update.data._id",
        "userMessage": 'Employee "nobody" does not exist.',
        "issueLevel": "ERROR",
        "issueReferenceType": "ENTITY",
        "issueType": "ENTITY_NOT_FOUND",
        "entityID": "nobody",
        "_label": None,
        "_clientId": None,
        "entityName": "Employee",
        "attributeNames": None,
        "roleNames": None,
        "applicationName": "Hr",
        "profileName": "Administrator",
    }


@each_row(
    ("query", "words"),
    [
        ('{ Employee___get(_id: "1") { firstname } }', ["firstname", "first_name"]),
        ('{ Employee___get(_id: "1") { _id }', ["Syntax Error"]),
        (
            'mutation { Employee___create(data: {first_name: "A", last_name: "B"}) { _id } }',
            ["EmployeeCreate", "email"],
        ),
        (
            'mutation { Employee___create(data: {first_name: 1, last_name: "B", email: "e"}) { _id } }',
            ["String", "1"],
        ),
    ],
)
def test_an_invalid_query_is_reported_with_its_location(
    service: RunningService, query: str, words: list[str]
) -> None:
    (error,) = service.graphql(query)["errors"]

    assert all(word in error["message"] for word in words)
    assert error["locations"]
    assert error["extensions"]["classification"] in {"InvalidSyntax", "ValidationError"}


def test_an_invalid_value_is_reported_with_the_attribute_and_advice(service: RunningService) -> None:
    data = {"first_name": "A", "last_name": "B", "email": "no address", "date_of_birth": "yesterday"}
    answer = service.graphql(
        "mutation($data: EmployeeCreate!) { Employee___create(data: $data) { _id } }", {"data": data}
    )

    found = {error["extensions"]["issueType"]: error for error in answer["errors"]}
    assert set(found) == {"ATTRIBUTE_EMAIL", "DATA_TYPE"}
    assert found["DATA_TYPE"]["extensions"]["attributeNames"] == ["date_of_birth"]
    assert "dd/MM/yyyy" in found["DATA_TYPE"]["message"]


def test_an_email_address_is_unique(service: RunningService) -> None:
    create(service, "grace@example.com")
    data = {"first_name": "G", "last_name": "H", "email": "grace@example.com"}

    answer = service.graphql(
        "mutation($data: EmployeeCreate!) { Employee___create(data: $data) { _id } }", {"data": data}
    )

    (error,) = answer["errors"]
    assert error["extensions"]["issueType"] == "ENTITY_UNIQUE"
    assert error["extensions"]["attributeNames"] == ["email"]


@each_row(
    "headers", [{}, {"Authorization": basic("admin", "wrong")}, {"Authorization": basic("nobody", PASSWORD)}]
)
def test_a_wrong_password_is_refused(service: RunningService, headers: dict[str, str]) -> None:
    reply = service.request("POST", ADDRESS, headers=JSON | headers, body='{"query": "{ __typename }"}')

    assert reply.status == 401
    assert reply.headers["content-type"] == "application/problem+json"
    assert "Basic" in "".join(value for name, value in reply.headers.items() if "www-authenticate" in name)


def test_pages_continue_by_cursor(service: RunningService) -> None:
    for number in range(5):
        create(service, f"page{number}@example.com")
    query = """query($cursor: Cursor) {
      Employee___getPage(options: {
        filter: {email___starts_with: "page"}, orderBy: [email___DESC], next: 2, cursor: $cursor
      }) { items { email } totalCount nextCursor hasNext hasPrev }
    }"""

    pages = []
    cursor, more = None, True
    while more:
        page = service.graphql(query, {"cursor": cursor})["data"]["Employee___getPage"]
        pages.append([item["email"][:5] for item in page["items"]])
        assert page["totalCount"] == 5
        assert page["hasPrev"] is (cursor is not None)
        cursor, more = page["nextCursor"], page["hasNext"]

    assert pages == [["page4", "page3"], ["page2", "page1"], ["page0"]]


def test_options_lists_the_methods_of_an_address(service: RunningService) -> None:
    reply = service.request("OPTIONS", ADDRESS)

    assert reply.status == 204
    assert {"GET", "POST", "OPTIONS"} <= set(reply.headers["allow"].split(", "))


def test_a_wrong_method_and_an_unknown_path_are_refused(service: RunningService) -> None:
    authorized = {"Authorization": basic("admin", PASSWORD)}

    wrong = service.request("DELETE", ADDRESS, headers=authorized)
    unknown = service.request("GET", "/auth/api/graphql/Nothing", headers=authorized)

    assert (wrong.status, "POST" in wrong.headers["allow"]) == (405, True)
    assert unknown.status == 404
    assert json.loads(unknown.body)["status"] == 404
