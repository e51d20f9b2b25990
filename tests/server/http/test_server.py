"""The server refuses malformed HTTP and ignores upgrades to other protocols."""

import base64
import http.client
import json

import pytest

from tests.rows import each_row
from tests.server.http.serving import Client, status_of


@each_row(
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
)
def test_malformed_http_is_400(echoing: Client, sent: bytes) -> None:
    received = echoing.raw(sent)

    assert received.startswith(b"HTTP/1.1 400 ")
    assert received.lower().count(b"content-length:") == 1
    assert json.loads(received.partition(b"\r\n\r\n")[2])["status"] == 400


@each_row(
    "sent",
    [
        b"GET /1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"POST /1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi",
        b"GET /1 HTTP/1.0\r\n\r\n",
    ],
)
@each_row("more", [b"\r\n", b"garbage", b"GET /2 HTTP/1.1\r\nHost: x\r\n\r\n"])
def test_what_follows_the_last_request_is_ignored(echoing: Client, sent: bytes, more: bytes) -> None:
    received = echoing.raw(sent + more)

    assert received.startswith(b"HTTP/1.1 200 ")
    assert received.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("sent", [b"nonsense\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], ids=repr)
def test_malformed_http_is_not_logged(echoing: Client, caplog: pytest.LogCaptureFixture, sent: bytes) -> None:
    assert status_of(echoing.raw(sent)) == 400
    assert caplog.text == ""


@each_row("start", [b"GET / HTTP/1.1\r\nX-Endless: ", b"GET /", b"GET / HTTP/1.1\r\n"])
def test_an_endless_head_is_refused_early(echoing: Client, start: bytes) -> None:
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
def test_a_websocket_is_400_and_is_not_logged(
    echoing: Client, caplog: pytest.LogCaptureFixture, connection: str, protocol: str
) -> None:
    received = echoing.raw(upgrade(protocol, connection=connection))

    assert status_of(received) == 400
    assert b"WebSocket" in received
    assert caplog.text == ""


def test_another_upgrade_is_ignored(echoing: Client, caplog: pytest.LogCaptureFixture) -> None:
    """HTTP demands this. Java's client asks for HTTP/2 in this way, and continues in HTTP/1.1."""
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


def test_requests_after_an_ignored_upgrade_are_read(echoing: Client) -> None:
    one = "GET /{} HTTP/1.1\r\nHost: x\r\nConnection: {}\r\nUpgrade: h2c\r\n\r\n"

    received = echoing.raw((one.format(1, "Upgrade") + one.format(2, "close")).encode())

    assert received.count(b"HTTP/1.1 200 OK") == 2


@each_row(
    ("version", "connection"), [("1.1", "close, Upgrade"), ("1.1", "Upgrade, close"), ("1.0", "Upgrade")]
)
def test_an_upgrade_is_ignored_with_connection_close(echoing: Client, version: str, connection: str) -> None:
    head = f"POST / HTTP/{version}\r\nHost: x\r\nConnection: {connection}\r\nUpgrade: h2c\r\n"

    received = echoing.raw(f"{head}Content-Length: 4\r\n\r\nbody".encode())

    assert status_of(received) == 200
    assert base64.b64encode(b"body") in received
