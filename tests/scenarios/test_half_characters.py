"""An ID that is a lone surrogate, which no JSON and no GraphQL document may contain."""

import json

import pytest

from tests.scenarios.company import Company
from tests.service import PASSWORD, basic

HALF = "\ud800"
SERVICES = {
    "get": "query($id: ID!) { Person___get(_id: $id) { _id } }",
    "a filter": "query($id: ID!) { Person___getPage(options: {filter: {_id___eq: $id}}) { totalCount } }",
    "a position": "query($id: ID!) { Person___getPage(options: {fromCursor: {_id: $id}}) { totalCount } }",
    "create": "mutation($id: ID!) { Desk___create(data: {owner: $id}) { _id } }",
    "update": 'mutation($id: ID!) { Team___update(data: {_id: $id, name: "x"}) { _id } }',
    "update with roles": "mutation($id: ID!) { Team___update(data: {_id: $id, lead: {set: $id}}) { _id } }",
    "save": 'mutation($id: ID!) { Team___save(data: {_id: $id, name: "x"}) { _id } }',
    "a name": 'mutation($id: ID!) { Team___create(data: {_clientId: $id, name: "x"}) { _clientId } }',
    "delete": "mutation($id: ID!) { Team___delete(_id: $id) { deleted } }",
    "updateBulk": """mutation($id: ID!) {
      Team___updateBulk(data: {name: "x"}, options: {filter: {_id___eq: $id}}) { totalCount } }""",
    "deleteBulk": "mutation($id: ID!) { Team___deleteBulk(options: {filter: {_id___eq: $id}}) { deleted } }",
    "previewUpdate": "query($id: ID!) { Team___previewUpdate(data: {_id: $id}) { _id } }",
    "validateUpdate": "query($id: ID!) { Team___validateUpdate(data: {_id: $id}) { isValid } }",
    "validateDelete": "query($id: ID!) { Team___validateDelete(_id: $id) { isValid } }",
}


def reply(company: Company, query: str, variables: dict[str, str]) -> tuple[int, str]:
    """Return the status and the text of an answer."""
    headers = {"Content-Type": "application/json", "Authorization": basic("admin", PASSWORD)}
    body = json.dumps({"query": query, "variables": variables})
    path = "/auth/api/graphql/Everything"
    answer = company.client._service.request("POST", path, headers=headers, body=body)
    return answer.status, answer.body.decode()


@pytest.mark.parametrize("query", SERVICES.values(), ids=SERVICES)
def test_a_surrogate_is_refused_as_a_variable(company: Company, query: str) -> None:
    status, text = reply(company, query, {"id": HALF})

    assert status == 400
    assert "is not valid JSON" in text


@pytest.mark.parametrize("query", SERVICES.values(), ids=SERVICES)
def test_a_surrogate_is_refused_in_the_document(company: Company, query: str) -> None:
    written = query.replace("($id: ID!)", "").replace("$id", '"\\ud800"')

    status, text = reply(company, written, {})

    assert status == 200
    (error,) = json.loads(text)["errors"]
    assert error["message"].startswith("Syntax Error: Invalid Unicode escape sequence")


@pytest.mark.parametrize("id_", ["", "x" * 3000, "é" * 400, "\x00", "L#members#", "😀"], ids=ascii)
@pytest.mark.parametrize("service", ["get", "update", "update with roles", "delete", "validateUpdate"])
def test_other_unusual_ids_are_not_found(company: Company, service: str, id_: str) -> None:
    body = company.client.body(SERVICES[service], id=id_)

    if "errors" in body:
        assert {error["extensions"]["issueType"] for error in body["errors"]} == {"ENTITY_NOT_FOUND"}
    else:
        (answer,) = body["data"].values()
        assert answer in (None, {"deleted": False}, {"isValid": False})
