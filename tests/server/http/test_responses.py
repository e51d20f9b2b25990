"""The gateway turns the result of a function into the HTTP response of API Gateway."""

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stratabase.server.http.errors import MAX_RESULT
from tests.server.http.serving import Response, answering, gateway, problem

Answered = Callable[..., Response]


@pytest.fixture(scope="module")
def answered() -> Iterator[Answered]:
    """Return the response that a client gets for a result of a function."""
    answers: list[Any] = []

    with gateway(lambda _event, _context: answers.pop()) as client:

        def ask(answer: Any, method: str = "GET") -> Response:
            answers.append(answer)
            return client.request(method, "/")

        yield ask


def test_status_headers_and_body_are_those_of_the_function(answered: Answered) -> None:
    response = answered({"statusCode": 418, "headers": {"X-Tea": "green"}, "body": "é"})

    assert (response.status, response.body) == (418, "é".encode())
    assert response.header("X-Tea") == "green"
    assert response.header("Content-Length") == "2"


def test_repeated_headers_are_all_sent(answered: Answered) -> None:
    answer = {"multiValueHeaders": {"Set-Cookie": ["a=1", "b=2"]}, "headers": {"Set-Cookie": "c=3"}}

    cookies = [value for name, value in answered(answer).headers if name == "set-cookie"]

    assert cookies == ["a=1", "b=2", "c=3"]


def test_a_header_in_both_fields_is_sent_once(answered: Answered) -> None:
    answer = {"multiValueHeaders": {"X-A": ["1"]}, "headers": {"X-A": "1"}}

    assert [value for name, value in answered(answer).headers if name == "x-a"] == ["1"]


def test_a_base64_body_is_decoded(answered: Answered) -> None:
    content = bytes(range(256))
    answer = {"body": base64.b64encode(content).decode(), "isBase64Encoded": True}

    assert answered(answer).body == content


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"statusCode": "200"},
        {"statusCode": 200, "headers": None, "multiValueHeaders": None, "body": None},
    ],
    ids=repr,
)
def test_all_fields_of_a_response_are_optional(answered: Answered, answer: Any) -> None:
    response = answered(answer)

    assert (response.status, response.body) == (200, b"")
    assert response.header("Content-Length") == "0"
    assert response.header("Content-Type") == "application/json"


def test_header_values_that_are_not_strings_are_converted(answered: Answered) -> None:
    response = answered({"headers": {"X-Yes": True, "X-Number": 7}})

    assert (response.header("X-Yes"), response.header("X-Number")) == ("true", "7")


@pytest.mark.parametrize("status", [204, 304])
def test_some_statuses_have_no_body(answered: Answered, status: int) -> None:
    response = answered({"statusCode": status, "body": "ignored"})

    assert (response.status, response.body) == (status, b"")
    assert response.header("Content-Length") is None


@pytest.mark.parametrize("body", ["long", ""])
def test_head_has_the_headers_of_get_and_no_body(answered: Answered, body: str) -> None:
    response = answered({"body": body, "headers": {"ETag": "x"}}, "HEAD")

    assert (response.status, response.body, response.header("ETag")) == (200, b"", "x")
    assert response.header("Content-Length") == ("4" if body else None)


@pytest.mark.parametrize(
    "name", ["Content-Length", "transfer-encoding", "Connection", "Upgrade", "Keep-Alive"]
)
def test_transport_headers_of_a_function_are_ignored(answered: Answered, name: str) -> None:
    response = answered({"headers": {name: "7"}, "body": "four"})

    assert response.body == b"four"
    assert response.header("Content-Length") == "4"
    assert name.lower() == "content-length" or response.header(name) is None


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "text",
        [],
        {"status": 200},
        {"statusCode": 200, "extra": 1},
        {"statusCode": "abc"},
        {"statusCode": 99},
        {"statusCode": 101},
        {"statusCode": 600},
        {"statusCode": None},
        {"statusCode": 200.5},
        {"body": {"not": "a text"}},
        {"body": b"bytes"},
        {"body": "\ud800"},
        {"headers": ["X-A"]},
        {"headers": {"X-A": None}},
        {"headers": {"X-A": ["1"]}},
        {"headers": {1: "x"}},
        {"multiValueHeaders": {"X-A": "1"}},
        {"multiValueHeaders": ["X-A"]},
    ],
    ids=repr,
)
def test_a_malformed_answer_is_502(answered: Answered, answer: Any) -> None:
    response = answered(answer)

    assert response.status == 502
    assert response.header("Content-Type") == "application/problem+json"
    assert response.json()["title"] == "Bad Gateway"


@pytest.mark.parametrize(
    "headers",
    [
        {"X-A": "1\r\nX-B: 2"},
        {"X-A": "1\nX-B: 2"},
        {"X-A": "1\x00"},
        {"X-A": "\u2028"},
        {"X-A": "1\r"},
        {"X-A\r\nX-B": "2"},
        {"X-A: 1\r\nX-B": "2"},
        {"X A": "1"},
        {"": "1"},
    ],
    ids=repr,
)
@pytest.mark.parametrize("field", ["headers", "multiValueHeaders"])
def test_a_header_value_cannot_inject_another_header(
    answered: Answered, field: str, headers: dict[str, str]
) -> None:
    answer = {field: headers if field == "headers" else {name: [value] for name, value in headers.items()}}

    response = answered(answer)

    assert response.status == 502
    assert response.header("X-B") is None


@pytest.mark.parametrize("value", ["tab\there", "caf\xe9", " spaces ", ""], ids=repr)
def test_harmless_values_are_sent(answered: Answered, value: str) -> None:
    assert answered({"headers": {"X-A": value}}).header("X-A") in (value, value.lstrip())


@pytest.mark.parametrize("body", ["no base64!", "YQ", "YQ==\n"])
def test_an_invalid_base64_body_is_500(answered: Answered, body: str) -> None:
    """API Gateway calls it API_CONFIGURATION_ERROR."""
    response = answered({"body": body, "isBase64Encoded": True})

    assert (response.status, response.json()["status"]) == (500, 500)


@pytest.mark.parametrize("error", [RuntimeError("secret text"), SystemExit(3), RecursionError()], ids=repr)
def test_a_failing_function_is_502_without_details(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    def handler(_event: Any, _context: Any) -> Any:
        raise error

    with gateway(handler) as client:
        first, second = client.get("/"), client.get("/")

    assert first.status == second.status == 502
    assert first.json()["detail"] == "Internal server error"
    assert first.json()["traceId"] == first.header("x-amzn-RequestId")
    assert b"secret" not in first.body
    assert any(record.exc_info and record.exc_info[1] is error for record in caplog.records)


def test_an_error_without_a_gateway_response_is_a_plain_problem(answered: Answered) -> None:
    response = answered(None)

    assert json.loads(response.body)["type"] == "about:blank"
    assert int(response.header("Content-Length") or 0) == len(response.body)


@pytest.mark.parametrize(("size", "status"), [(MAX_RESULT - 100, 200), (MAX_RESULT, 502)])
def test_an_answer_over_6_mb_is_502(size: int, status: int) -> None:
    """Lambda cannot deliver it on AWS either."""
    with gateway(answering({"body": "x" * size})) as client:
        response = client.get("/")

    assert response.status == status
    assert status == 200 or f"at most {MAX_RESULT}" in problem(response, 502)


def test_the_size_of_a_response_is_measured_as_json() -> None:
    with gateway(answering({"body": '"' * (MAX_RESULT // 2)})) as client:
        assert client.get("/").status == 502
