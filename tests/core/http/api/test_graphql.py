"""GraphQL over HTTP: parsing of requests, refusals and statuses."""

import json
from typing import Any

import pytest

from stratabase.core.domain.objects.idempotency import IdempotencyKeyReused
from stratabase.core.http.base.refusals import Malformed
from stratabase.core.operations.graphql_port import GraphQLResponse, QueriesOnly
from stratabase.values.messages import verbatim
from tests.rows import each_row

GRAPHQL = "/auth/api/graphql/{application}"
MODERN = "application/graphql-response+json"
LEGACY = "application/json"
INVALID = GraphQLResponse(b'{"errors":[{"message":"bad"}]}', began=False)


@pytest.fixture
def post(send: Any) -> Any:
    def posted(body: Any, application: str = "Hr", **headers: str) -> Any:
        named = {"Content-Type": LEGACY} | {name.replace("_", "-"): value for name, value in headers.items()}
        text = body if isinstance(body, str) else json.dumps(body)
        parameters = {"application": application}
        return send("POST", GRAPHQL, signed_in=True, headers=named, body=text, parameters=parameters)

    return posted


@pytest.fixture
def get(send: Any) -> Any:
    def got(**query: str | list[str]) -> Any:
        values = {name: value if isinstance(value, list) else [value] for name, value in query.items()}
        return send("GET", GRAPHQL, signed_in=True, query=values, parameters={"application": "Hr"})

    return got


def test_a_post_is_passed_to_the_executor_completely(post: Any, fakes: Any) -> None:
    reply = post(
        {"query": "query q {x}", "variables": {"a": [1, None]}, "operationName": "q", "extensions": {}}
    )
    assert (reply.status, reply.json()) == (200, {"data": {"x": 1}})
    ((query, variables, name, caller, trace_id, queries_only),) = fakes.executor.calls
    assert fakes.executor.base_urls == ["https://api.example.com/prod"]
    assert (query, variables, name) == ("query q {x}", {"a": [1, None]}, "q")
    assert (caller.username, trace_id, queries_only) == ("anna", "trace-1", False)


def test_a_get_is_passed_to_the_executor_completely(get: Any, fakes: Any) -> None:
    reply = get(query="query q {x}", variables='{"a":1}', operationName="q", extensions="{}")
    assert reply.status == 200
    ((query, variables, name, _, _, queries_only),) = fakes.executor.calls
    assert (query, variables, name, queries_only) == ("query q {x}", {"a": 1}, "q", True)


def test_empty_parameters_of_a_get_count_as_absent(get: Any, fakes: Any) -> None:
    assert get(query="{x}", variables="", operationName="").status == 200
    assert fakes.executor.calls[0][1:3] == (None, None)


def test_nulls_in_a_post_count_as_absent(post: Any, fakes: Any) -> None:
    assert post({"query": "{x}", "variables": None, "operationName": None, "extensions": None}).status == 200
    assert fakes.executor.calls[0][1:3] == (None, None)


TWICE = {
    "a field": '{"query": "{x}", "query": "{y}"}',
    "a field, spelled anew": '{"query": "{x}", "quer\\u0079": "{y}"}',
    "a field that is not read": '{"query": "{x}", "a": 1, "a": 1}',
    "a variable": '{"query": "{x}", "variables": {"a": 1, "b": 2, "a": 1}}',
    "deep in a variable": '{"query": "{x}", "variables": {"data": [{"tags": [1, {"a": {}, "a": {}}]}]}}',
    "the empty key": '{"query": "{x}", "variables": {"": 1, "": 2}}',
    "extensions": '{"query": "{x}", "extensions": {"a": 1, "a": 1}}',
    "with colons that are escaped": r'{"query": "{x}", "variables": {"a": "\u003a\u003A", "a": "\u003a"}}',
    "with as many escaped as are lost": r'{"query": "{x}", "variables": {"b": "\u003a", "a": 1, "a": 2}}',
    "with a colon in a lost text": r'{"query": "{x}", "variables": {"b": "\u003a\u003a", "a": ":", "a": 2}}',
    "beside a long number": '{"query": "{x}", "variables": {"a": 12345678901234567890.5, "a": 1}}',
}


@each_row("body", TWICE.values())
def test_a_duplicate_json_key_is_refused(post: Any, fakes: Any, body: str) -> None:
    """Two readers could understand such a body differently. REST refuses it too."""
    reply = post(body)
    assert reply.status == 400
    assert reply.json()["detail"].startswith("The request body repeats ")
    assert fakes.executor.calls == []


def test_a_duplicate_json_key_in_a_parameter_is_refused(get: Any, fakes: Any) -> None:
    reply = get(query="{x}", variables='{"a": {"b": 1, "b": 2}}')
    assert reply.status == 400
    assert reply.json()["detail"].startswith('The parameter "variables" repeats "b"')
    assert fakes.executor.calls == []


@pytest.mark.parametrize(
    "variables",
    [
        {"a": {"a": {"a": [{"a": 1}, {"a": 1}]}}, "b": {"a": 1}},
        {"a:b": "::", ":": ":", "": '{"a": 1, "a": 2}'},
        {"a": "\\u003a", "b": r"\u003a"},
        {"data": {f"field_{number}": number for number in range(1000)}},
        {"data": json.loads('{"a":' * 300 + "1" + "}" * 300)},
    ],
)
def test_equal_keys_in_different_objects_are_accepted(post: Any, fakes: Any, variables: Any) -> None:
    """This also holds if texts look like keys."""
    assert post({"query": "query q($a: Int) { x: y }", "variables": variables}).status == 200
    assert fakes.executor.calls[0][1] == variables


@each_row(
    ("body", "detail"),
    [
        ("", "is not valid JSON"),
        ("{", "is not valid JSON"),
        ('{"query":"","variables":{"r":2e308}}', "the number 2e308, which is out of range"),
        ('{"query":"\\ud800"}', "is not valid JSON"),
        ("\udcff", "is not valid JSON"),
        ("[" * 3000, "is nested too deeply"),
        ("[]", "Batches are not supported"),
        ([{"query": "{x}"}], "Batches are not supported"),
        ('"{x}"', "must be a JSON object, not a string"),
        ("null", "must be a JSON object, not null"),
        ({}, '"query" is required'),
        ({"qeury": "{x}"}, '"query" is required'),
        ({"query": None}, '"query" is required'),
        ({"query": 1}, '"query" must be a string, not a number'),
        ({"query": ["{x}"]}, '"query" must be a string, not an array'),
        ({"query": "{x}", "variables": [7]}, '"variables" must be a JSON object, not an array'),
        ({"query": "{x}", "variables": "{}"}, '"variables" must be a JSON object, not a string'),
        ({"query": "{x}", "operationName": True}, '"operationName" must be a string, not a boolean'),
        ({"query": "{x}", "extensions": 1.5}, '"extensions" must be a JSON object, not a number'),
    ],
)
def test_an_invalid_body_is_refused(body: Any, detail: str, post: Any, fakes: Any) -> None:
    reply = post(body)
    assert (reply.status, fakes.executor.calls) == (400, [])
    assert detail in reply.json()["detail"]


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ({}, '"query" is required'),
        ({"query": ["{x}", "{y}"]}, 'Specify the parameter "query" only once.'),
        ({"query": "{x}", "variables": "[1]"}, '"variables" must be a JSON object, not an array'),
        ({"query": "{x}", "variables": "{"}, '"variables" is not valid JSON'),
        ({"query": "{x}", "extensions": "1"}, '"extensions" must be a JSON object, not a number'),
    ],
)
def test_an_invalid_query_string_is_refused(query: Any, detail: str, get: Any, fakes: Any) -> None:
    reply = get(**query)
    assert (reply.status, fakes.executor.calls) == (400, [])
    assert detail in reply.json()["detail"]


@each_row(
    ("content_type", "status"),
    [
        ("application/json", 200),
        ("Application/JSON; charset=UTF-8", 200),
        ('application/json;charset="utf-8"', 200),
        ("application/json; charset=latin-1", 415),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("application/graphql", 415),
        ("", 415),
    ],
)
def test_only_json_bodies_are_accepted(content_type: str, status: int, post: Any) -> None:
    assert post({"query": "{x}"}, Content_Type=content_type).status == status


@each_row(
    ("accept", "status", "content_type"),
    [
        ("*/*", 200, LEGACY),
        ("application/*", 200, LEGACY),
        (MODERN, 400, MODERN),
        (f"{LEGACY}, {MODERN}", 400, MODERN),
        (f"{MODERN}, application/graphql+json, {LEGACY}, text/event-stream, multipart/mixed", 400, MODERN),
        (f"{MODERN};q=0.5, {LEGACY}", 200, LEGACY),
        (f"*/*, {MODERN.upper()};q=0", 200, LEGACY),
        (LEGACY, 200, LEGACY),
        (f"{MODERN}, {LEGACY};q=0.9", 400, MODERN),
        ("application/json, text/plain, */*", 200, LEGACY),
    ],
)
def test_the_status_of_an_invalid_document_depends_on_the_media_type(
    accept: str, status: int, content_type: str, post: Any, fakes: Any
) -> None:
    fakes.executor.outcome = INVALID
    reply = post({"query": "{x"}, Accept=accept)
    assert (reply.status, reply.body) == (status, INVALID.body.decode())
    assert reply.headers["Content-Type"] == [f"{content_type}; charset=utf-8"]


@each_row("mutated", [True, False])
def test_a_too_large_response_says_whether_a_mutation_was_executed(
    mutated: bool, post: Any, fakes: Any
) -> None:
    fakes.executor.outcome = GraphQLResponse(b" " * 7_000_000, mutated=mutated)
    reply = post({"query": "{x}"})
    assert (reply.status, "The mutation was already executed." in reply.body) == (413, mutated)


@each_row("accept", [MODERN, LEGACY])
def test_an_executed_operation_is_200_even_with_errors(accept: str, post: Any, fakes: Any) -> None:
    fakes.executor.outcome = GraphQLResponse(b'{"errors":[{"message":"no"}],"data":null}')
    assert post({"query": "{x}"}, Accept=accept).status == 200


def test_a_client_without_an_accept_header_gets_application_json(post: Any, fakes: Any) -> None:
    fakes.executor.outcome = INVALID
    reply = post({"query": "{x"})
    assert (reply.status, reply.headers["Content-Type"]) == (200, [f"{LEGACY}; charset=utf-8"])


def test_a_client_that_accepts_neither_type_is_refused_before_execution(post: Any, fakes: Any) -> None:
    reply = post({"query": "mutation {x}"}, Accept="text/html")
    assert (reply.status, fakes.executor.calls) == (406, [])


def test_a_mutation_by_get_is_refused(get: Any, fakes: Any) -> None:
    fakes.executor.outcome = QueriesOnly(verbatim("no"))
    reply = get(query="mutation {x}")
    assert (reply.status, reply.headers["Allow"]) == (405, ["POST"])


@each_row(("application", "status"), [("Hr", 200), ("hR", 200), ("Crm", 404), ("", 404)])
def test_the_application_in_the_path_is_case_insensitive(application: str, status: int, post: Any) -> None:
    assert post({"query": "{x}"}, application=application).status == status


def test_the_query_parameter_format_is_ignored(send: Any) -> None:
    query = {"query": ["{x}"], "format": ["yaml"]}
    assert send("GET", GRAPHQL, signed_in=True, query=query, parameters={"application": "Hr"}).status == 200


def test_an_idempotency_key_is_passed_to_the_executor_unread(post: Any, fakes: Any) -> None:
    """Only mutations read it, so a query with a wrong key is not refused."""
    post({"query": "{x}"})
    post({"query": "{x}"}, Idempotency_Key="a b")
    post({"query": "{x}"}, Idempotency_Key='"key"')

    absent, wrong, right = fakes.executor.key_readers
    assert absent is None
    with pytest.raises(Malformed):
        wrong()
    assert right().text == "key"


def test_a_key_that_was_used_for_another_request_is_422(post: Any, fakes: Any) -> None:
    fakes.executor.outcome = IdempotencyKeyReused(verbatim("used"))

    reply = post({"query": "mutation {x}"}, Idempotency_Key="key")

    assert (reply.status, reply.json()["detail"]) == (422, "used")


def test_a_repeated_answer_says_so(post: Any, fakes: Any) -> None:
    fakes.executor.outcome = GraphQLResponse(b"{}", mutated=True, replayed=True)
    assert post({"query": "mutation {x}"}).headers["Idempotent-Replayed"] == ["true"]
    fakes.executor.outcome = GraphQLResponse(b"{}", mutated=True)
    assert "Idempotent-Replayed" not in post({"query": "mutation {x}"}).headers
