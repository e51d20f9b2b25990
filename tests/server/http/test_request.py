"""Requests beyond the limits are refused with a problem."""

import http.client
import socket

import pytest

from stratabase.core.http.base.cors import Cors
from stratabase.server.http import connection
from stratabase.server.http.errors import MAX_BODY, MAX_HEAD
from tests.rows import each_row
from tests.server.http.serving import DEADLINE, Client, Response, http_server, problem, status_of


def post(client: Client, size: int) -> Response:
    return client.request("POST", "/", body=b"x" * size)


def test_a_body_over_the_limit_is_413(echoing: Client) -> None:
    assert post(echoing, MAX_BODY).status == 200
    detail = problem(post(echoing, MAX_BODY + 1), 413)
    assert f"{MAX_BODY} bytes, about 4.4 MB. Upload a larger file with the tus" in detail


def test_lambda_takes_a_body_within_the_limit() -> None:
    """It takes 6 MB as JSON: the body in base64, and the head several times."""
    assert MAX_BODY * 4 // 3 + 10 * MAX_HEAD < 6 * 1024 * 1024


def test_a_body_over_the_limit_is_413_before_it_is_sent(echoing: Client) -> None:
    """A client that waits for the server's word is spared the upload."""
    connection: http.client.HTTPConnection = echoing.connection()
    connection.putrequest("POST", "/")
    connection.putheader("Content-Length", str(MAX_BODY + 1))
    connection.putheader("Expect", "100-continue")
    connection.endheaders()

    response = connection.getresponse()

    assert response.status == 413
    assert response.getheader("Connection") == "close"
    connection.close()


def test_a_client_that_expects_100_continue_gets_it(echoing: Client) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2"

    with socket.create_connection(("127.0.0.1", echoing.port), DEADLINE) as connection:
        connection.sendall(head + b"\r\n\r\n")
        assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"hi")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 OK")


def test_a_client_that_does_not_wait_for_100_continue_gets_none(echoing: Client) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2"

    assert echoing.raw(head + b"\r\n\r\nhi").startswith(b"HTTP/1.1 200 OK")


def test_web_pages_of_allowed_origins_can_read_that_a_body_is_too_large() -> None:
    with http_server(cors=Cors(("https://a.test",))) as client:
        replies = [
            client.request("POST", "/", {"Origin": origin}, body=b"x" * (MAX_BODY + 1))
            for origin in ("https://a.test", "https://b.test")
        ]

    found = [(reply.status, dict(reply.headers).get("access-control-allow-origin")) for reply in replies]
    assert found == [(413, "https://a.test"), (413, None)]


def test_a_chunked_body_over_the_limit_is_413(echoing: Client) -> None:
    piece = b"x" * 1024 * 1024
    response = echoing.request("POST", "/", body=iter([piece] * 5))

    assert problem(response, 413)


def test_after_a_413_the_connection_goes_on(echoing: Client) -> None:
    connection = echoing.connection()

    assert echoing.request("POST", "/", body=b"x" * (MAX_BODY + 1), connection=connection).status == 413
    assert echoing.request("GET", "/", connection=connection).status == 200
    connection.close()


def head_of(client: Client, size: int) -> bytes:
    """Return a request whose line and headers have `size` bytes."""
    start = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nConnection: close\r\nX-Fill: ".encode()
    return start + b"x" * (size - len(start) - 2) + b"\r\n\r\n"


def test_a_head_of_10240_bytes_is_accepted_and_a_larger_one_is_431(echoing: Client) -> None:
    assert echoing.raw(head_of(echoing, MAX_HEAD)).startswith(b"HTTP/1.1 200 ")

    refused = echoing.raw(head_of(echoing, MAX_HEAD + 1))

    assert refused.startswith(b"HTTP/1.1 431 ")
    assert b"application/problem+json" in refused
    assert f"have {MAX_HEAD + 1} bytes; at most {MAX_HEAD}".encode() in refused


@each_row("size", [MAX_HEAD, 66_000, 98_000])
def test_a_long_query_counts_towards_the_head(echoing: Client, size: int) -> None:
    """The parser of targets takes no more than 65,535 bytes."""
    line = f"GET /?q={'x' * size} HTTP/1.1\r\nHost: 127.0.0.1:{echoing.port}\r\nConnection: close\r\n\r\n"
    assert echoing.raw(line.encode()).startswith(b"HTTP/1.1 431 ")


@each_row(
    ("line", "hosts", "status"),
    [
        ("GET / HTTP/1.1", [], 400),
        ("GET / HTTP/1.1", ["Host: x", "Host: x"], 400),
        ("GET / HTTP/1.1", ["Host: x", "hOST: y"], 400),
        ("GET / HTTP/1.1", ["Host: a b"], 400),
        ("GET / HTTP/1.1", ["Host: a/b"], 400),
        ("GET / HTTP/1.1", ["Host: user@x"], 400),
        ("GET http://x/ HTTP/1.1", [], 400),
        ("GET / HTTP/1.0", ["Host: x", "Host: y"], 400),
        ("POST / HTTP/1.1", ["Content-Length: 2"], 400),
        ("GET / HTTP/1.0", [], 200),
        ("GET / HTTP/1.1", ["Host:"], 200),
        ("GET / HTTP/1.1", ["host: example.com:8000"], 200),
        ("GET / HTTP/1.1", ["HOST: [::1]:8000"], 200),
    ],
)
def test_a_request_names_its_host_exactly_once(
    echoing: Client, line: str, hosts: list[str], status: int
) -> None:
    sent = "\r\n".join([line, *hosts, "Connection: close", "", ""]).encode()

    assert status_of(echoing.raw(sent)) == status


def test_a_body_that_does_not_arrive_in_time_is_408(echoing: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "BODY_TIMEOUT", 0.001)

    received = echoing.raw(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")

    assert status_of(received) == 408
    assert b"did not arrive within 0.001 s" in received
