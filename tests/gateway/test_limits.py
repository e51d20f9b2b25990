"""The limits of API Gateway and Lambda hold here too; beyond them is a problem with its reason."""

import base64
import http.client
import itertools
import json
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from cli.gateway.limits import ANSWER, BODY, EVENT, HEAD
from cli.gateway.template import Route
from stratabase import waiting
from tests.gateway.serving import Client, Response, answering, echo, gateway


def post(client: Client, size: int) -> Response:
    return client.request("POST", "/", body=b"x" * size)


def problem(response: Response, status: int) -> str:
    """Return the reason of a refusal, which is a problem with this status."""
    assert response.status == status
    assert response.header("Content-Type") == "application/problem+json"
    assert response.json()["status"] == status
    return str(response.json()["detail"])


def test_a_body_over_10_mb_is_413(echoing: Client) -> None:
    assert f"{BODY} bytes" in problem(post(echoing, BODY + 1), 413)


def test_a_body_over_10_mb_is_413_before_it_is_sent(echoing: Client) -> None:
    """A client that waits for the gateway's word is spared the upload."""
    connection: http.client.HTTPConnection = echoing.connection()
    connection.putrequest("POST", "/")
    connection.putheader("Content-Length", str(BODY + 1))
    connection.putheader("Expect", "100-continue")
    connection.endheaders()

    response = connection.getresponse()

    assert response.status == 413
    assert response.getheader("Connection") == "close"
    connection.close()


def test_a_client_that_waits_for_a_word_gets_it(echoing: Client) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n"
    sent = head + b"Content-Length: 2\r\n\r\nhi"

    assert echoing.raw(sent).startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK")


def test_a_chunked_body_over_10_mb_is_413(echoing: Client) -> None:
    piece = b"x" * 1024 * 1024
    response = echoing.request("POST", "/", body=iter([piece] * 11))

    assert problem(response, 413)


def test_after_a_413_the_connection_goes_on(echoing: Client) -> None:
    connection = echoing.connection()

    assert echoing.request("POST", "/", body=b"x" * (BODY + 1), connection=connection).status == 413
    assert echoing.request("GET", "/", connection=connection).status == 200
    connection.close()


def test_an_event_over_6_mb_is_413() -> None:
    """The body counts as base64, and with it the rest of the event."""
    with gateway(answering({})) as client:
        fits, exceeds = EVENT // 4 * 3 - 3000, EVENT // 4 * 3

        assert post(client, fits).status == 200
        assert "as an event" in problem(post(client, exceeds), 413).lower()


def head_of(client: Client, size: int) -> bytes:
    """Return a request whose line and headers have `size` bytes."""
    start = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nConnection: close\r\nX-Fill: ".encode()
    return start + b"x" * (size - len(start) - 2) + b"\r\n\r\n"


def test_a_head_of_10240_bytes_is_taken_and_one_more_is_431(echoing: Client) -> None:
    assert echoing.raw(head_of(echoing, HEAD)).startswith(b"HTTP/1.1 200 ")

    refused = echoing.raw(head_of(echoing, HEAD + 1))

    assert refused.startswith(b"HTTP/1.1 431 ")
    assert b"application/problem+json" in refused
    assert f"have {HEAD + 1} bytes; at most {HEAD}".encode() in refused


def test_a_long_query_counts_as_head(echoing: Client) -> None:
    assert problem(echoing.get(f"/?q={'x' * HEAD}"), 431)


@pytest.mark.parametrize("start", [b"GET / HTTP/1.1\r\nX-Endless: ", b"GET /", b"GET / HTTP/1.1\r\n"])
def test_a_head_without_end_is_refused_before_it_fills_the_memory(echoing: Client, start: bytes) -> None:
    piece = b"X-Many: more\r\n" * 500 if start.endswith(b"\r\n") else b"x" * 8000
    connection = http.client.HTTPConnection("127.0.0.1", echoing.port, timeout=20)
    connection.connect()
    sock = connection.sock
    sock.sendall(start)
    sock.settimeout(0.01)
    received = b""
    for _ in range(1000):
        sock.sendall(piece) if not received else None
        try:
            received += sock.recv(65536)
        except TimeoutError:
            continue
        break
    connection.close()

    assert received.startswith(b"HTTP/1.1 431 ")
    assert json.loads(received.partition(b"\r\n\r\n")[2])["status"] == 431


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET nowhere HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nBad Name: x\r\n\r\n",
    ],
    ids=repr,
)
def test_what_is_no_http_is_400(echoing: Client, sent: bytes) -> None:
    received = echoing.raw(sent)

    assert received.startswith(b"HTTP/1.1 400 ")
    assert received.lower().count(b"content-length:") == 1
    assert json.loads(received.partition(b"\r\n\r\n")[2])["status"] == 400


def status_of(received: bytes) -> int:
    """Return the status of an answer, and check that it is whole and a problem unless it is 200."""
    head, _, body = received.partition(b"\r\n\r\n")
    status = int(head.split(b" ")[1])
    if status != 200:
        assert b"content-type: application/problem+json" in head.lower()
        assert b"connection: close" in head.lower()
        assert json.loads(body)["status"] == status
    return status


@pytest.mark.parametrize(
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
    ids=repr,
)
def test_a_request_names_its_host_exactly_once(
    echoing: Client, line: str, hosts: list[str], status: int
) -> None:
    sent = "\r\n".join([line, *hosts, "Connection: close", "", ""]).encode()

    assert status_of(echoing.raw(sent)) == status


def upgrade(protocol: str, *, connection: str = "Upgrade") -> bytes:
    lines = [
        "GET /chat HTTP/1.1",
        "Host: x",
        f"Connection: {connection}",
        f"Upgrade: {protocol}",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    return "\r\n".join([*lines, "", ""]).encode()


@pytest.mark.parametrize("connection", ["Upgrade", "keep-alive, upgrade"])
@pytest.mark.parametrize("protocol", ["websocket", "WebSocket", "h2c, websocket/13"])
def test_a_web_socket_is_400_and_not_worth_a_line_in_the_log(
    echoing: Client, caplog: pytest.LogCaptureFixture, connection: str, protocol: str
) -> None:
    received = echoing.raw(upgrade(protocol, connection=connection))

    assert status_of(received) == 400
    assert b"WebSocket" in received
    assert caplog.text == ""


@pytest.mark.parametrize("sent", [b"nonsense\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], ids=repr)
def test_what_is_no_http_is_not_worth_a_line_in_the_log(
    echoing: Client, caplog: pytest.LogCaptureFixture, sent: bytes
) -> None:
    assert status_of(echoing.raw(sent)) == 400
    assert caplog.text == ""


def test_another_upgrade_is_ignored(echoing: Client, caplog: pytest.LogCaptureFixture) -> None:
    """So HTTP demands it; Java's client asks for HTTP/2 in this way, and goes on in HTTP/1.1."""
    connection = echoing.connection()
    headers = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABk"}

    for number in range(3):
        reply = echoing.request("POST", f"/{number}", headers, f"body {number}", connection)
        assert (reply.status, reply.json()["path"]) == (200, f"/{number}")
        assert base64.b64decode(reply.json()["body"]) == f"body {number}".encode()
        reply = echoing.request("GET", f"/{number}", headers, connection=connection)
        assert (reply.status, reply.json()["path"]) == (200, f"/{number}")

    assert caplog.text == ""
    connection.close()


def test_what_follows_an_upgrade_that_is_ignored_is_read(echoing: Client) -> None:
    one = "GET /{} HTTP/1.1\r\nHost: x\r\nConnection: {}\r\nUpgrade: h2c\r\n\r\n"

    received = echoing.raw((one.format(1, "Upgrade") + one.format(2, "close")).encode())

    assert received.count(b"HTTP/1.1 200 OK") == 2


@pytest.mark.parametrize(
    ("version", "connection"), [("1.1", "close, Upgrade"), ("1.1", "Upgrade, close"), ("1.0", "Upgrade")]
)
def test_an_upgrade_is_ignored_too_where_the_connection_is_closed_after_it(
    echoing: Client, version: str, connection: str
) -> None:
    head = f"POST / HTTP/{version}\r\nHost: x\r\nConnection: {connection}\r\nUpgrade: h2c\r\n"

    received = echoing.raw(f"{head}Content-Length: 4\r\n\r\nbody".encode())

    assert status_of(received) == 200
    assert base64.b64encode(b"body") in received


@pytest.mark.parametrize(("size", "status"), [(ANSWER - 100, 200), (ANSWER, 502)])
def test_an_answer_over_6_mb_is_502(size: int, status: int) -> None:
    """So it is on AWS, since Lambda cannot deliver it."""
    with gateway(answering({"body": "x" * size})) as client:
        response = client.get("/")

    assert response.status == status
    assert status == 200 or f"at most {ANSWER}" in problem(response, 502)


def test_an_answer_counts_as_json() -> None:
    with gateway(answering({"body": '"' * (ANSWER // 2)})) as client:
        assert client.get("/").status == 502


def waiting_for(future: "Future[Any]", ended: Callable[[], None]) -> Callable[[Any, Any], Any]:
    def handler(event: Any, _context: Any) -> Any:
        if event["path"] == "/":
            return {}
        waiting.until(future)
        ended()
        return {"body": "too late"}

    return handler


def test_a_function_that_takes_too_long_is_504_and_still_finishes() -> None:
    future: Future[Any] = Future()
    ended = threading.Event()

    with gateway(waiting_for(future, ended.set), patience=0.05) as client:
        assert "longer than" in problem(client.get("/slow"), 504)
        assert client.get("/").status == 200
        assert not ended.is_set()
        future.set_result(None)
        assert ended.wait(20)


def test_a_function_that_fails_after_its_time_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    future: Future[Any] = Future()

    with gateway(waiting_for(future, lambda: None), patience=0.05) as client:
        assert client.get("/slow").status == 504
        future.set_exception(RuntimeError("afterwards"))

    assert "nobody waited" in caplog.text
    assert "afterwards" in caplog.text


@pytest.mark.parametrize("method", ["PROPFIND", "TRACE", "LOCK", "SEARCH"])
def test_a_method_that_api_gateway_does_not_know_is_not_passed_on(echoing: Client, method: str) -> None:
    assert method in problem(echoing.request(method, "/"), 403)


def test_what_has_no_route_is_refused() -> None:
    with gateway(routes=(Route("/only", "GET", "Fake"),)) as client:
        assert [
            client.request(*each).status for each in (("GET", "/only"), ("GET", "/other"), ("POST", "/only"))
        ] == [
            200,
            403,
            403,
        ]


def test_many_requests_at_once_each_get_their_own_answer(echoing: Client) -> None:
    connections = [echoing.connection() for _ in range(40)]
    for number, connection in enumerate(connections):
        connection.request("POST", f"/{number}", body=str(number))

    paths = [json.loads(connection.getresponse().read())["path"] for connection in connections]

    assert paths == [f"/{number}" for number in range(40)]
    for connection in connections:
        connection.close()


def test_a_client_that_leaves_in_the_middle_of_its_body_calls_nothing() -> None:
    calls = itertools.count()

    def handler(event: Any, context: Any) -> Any:
        next(calls)
        return echo(event, context)

    with gateway(handler) as client:
        connection = client.connection()
        connection.putrequest("POST", "/")
        connection.putheader("Content-Length", "100")
        connection.endheaders(b"half")
        connection.close()
        assert client.get("/").status == 200

    assert next(calls) == 1


def test_a_client_that_leaves_does_not_stop_the_function() -> None:
    """A commit that has begun is not to be abandoned halfway."""
    future: Future[Any] = Future()
    begun, ended = threading.Event(), threading.Event()

    def handler(_event: Any, _context: Any) -> Any:
        begun.set()
        waiting.until(future)
        ended.set()
        return {}

    with gateway(handler) as client:
        connection = client.connection()
        connection.request("POST", "/", body="x")
        assert begun.wait(20)
        connection.close()
        future.set_result(None)
        assert ended.wait(20)
