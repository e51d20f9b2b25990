"""The server sends the response of an endpoint, with the headers that belong to HTTP itself."""

import json
from collections.abc import Callable, Iterator
from http import HTTPStatus

import pytest

from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.server.http.errors import HttpError
from stratabase.server.http.responses import problem
from tests.rows import each_row
from tests.server.http.serving import Response as Received
from tests.server.http.serving import http_server

Answered = Callable[..., Received]


@pytest.fixture(scope="module")
def answered() -> Iterator[Answered]:
    """Return what a client gets for the response of an endpoint."""
    responses: list[Response] = []

    with http_server(lambda _request: responses.pop()) as client:

        def ask(response: Response, method: str = "GET") -> Received:
            responses.append(response)
            return client.request(method, "/")

        yield ask


def test_status_headers_and_body_are_those_of_the_endpoint(answered: Answered) -> None:
    response = answered(Response(418, (("X-Tea", "green"),), "é".encode()))

    assert (response.status, response.body) == (418, "é".encode())
    assert response.header("X-Tea") == "green"
    assert response.header("Content-Length") == "2"
    assert response.header("Content-Type") == "application/json"


def test_repeated_headers_are_all_sent(answered: Answered) -> None:
    cookies = (("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"))

    headers = answered(Response(200, cookies)).headers

    assert [value for name, value in headers if name == "set-cookie"] == ["a=1", "b=2"]


@each_row("status", [204, 304])
def test_some_statuses_have_no_body(answered: Answered, status: int) -> None:
    response = answered(Response(status, body=b"ignored"))

    assert (response.status, response.body) == (status, b"")
    assert response.header("Content-Length") is None


@each_row("length", ["4", "", "4, 5", "-1", "x"])
def test_head_has_the_length_that_the_endpoint_declares(answered: Answered, length: str) -> None:
    headers: Headers = (("ETag", "x"), ("Content-Length", length))
    response = answered(Response(200, headers), "HEAD")

    assert (response.status, response.body, response.header("ETag")) == (200, b"", "x")
    assert response.header("Content-Length") == (length if length == "4" else None)


@each_row("name", ["Content-Length", "transfer-encoding", "Connection", "Upgrade", "Keep-Alive"])
def test_transport_headers_of_an_endpoint_are_ignored(answered: Answered, name: str) -> None:
    response = answered(Response(200, ((name, "7"),), b"four"))

    assert response.body == b"four"
    assert response.header("Content-Length") == "4"
    assert name.lower() == "content-length" or response.header(name) is None


@each_row(
    "header",
    [
        ("X-A", "1\r\nX-B: 2"),
        ("X-A", "1\nX-B: 2"),
        ("X-A", "1\x00"),
        ("X-A", "\u2028"),
        ("X-A", "1\r"),
        ("X-A\r\nX-B", "2"),
        ("X-A: 1\r\nX-B", "2"),
        ("X A", "1"),
        ("", "1"),
    ],
)
def test_a_header_value_cannot_inject_another_header(answered: Answered, header: tuple[str, str]) -> None:
    response = answered(Response(200, (header,)))

    assert response.status == 500
    assert response.header("X-B") is None


@each_row("value", ["tab\there", "caf\xe9", " spaces ", ""])
def test_harmless_values_are_sent(answered: Answered, value: str) -> None:
    assert answered(Response(200, (("X-A", value),))).header("X-A") in (value, value.lstrip())


@pytest.mark.parametrize("error", [RuntimeError("secret text"), SystemExit(3), RecursionError()], ids=repr)
def test_a_failing_endpoint_is_500_without_details(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    def respond(_request: Request) -> Response:
        raise error

    with http_server(respond) as client:
        first, second = client.get("/"), client.get("/")

    assert first.status == second.status == 500
    assert first.json()["detail"] == "Internal server error"
    assert first.json()["traceId"] == first.header("x-amzn-RequestId")
    assert b"secret" not in first.body
    assert any(record.exc_info and record.exc_info[1] is error for record in caplog.records)


@each_row(
    ("status", "title"),
    [(400, "Bad Request"), (405, "Method Not Allowed"), (413, "Content Too Large"), (504, "Gateway Timeout")],
)
def test_an_error_of_the_server_is_a_problem(status: int, title: str) -> None:
    response = problem(HttpError(HTTPStatus(status), 'because "so"'), "id-1")

    assert json.loads(response.body) == {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": 'because "so"',
        "traceId": "id-1",
    }
    assert dict(response.headers)[b"Cache-Control"] == b"no-store"
    assert response.content_length == len(response.body)
    assert response.closes_connection is (status == 400)
