"""A request that its head condemns is refused before its body is read, with the same response as after it."""

import base64
import gc
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from stratabase.core.app.app import App
from stratabase.core.domain.caller import CONSOLE
from stratabase.core.settings import Settings
from stratabase.members.app.member_services import MemberServices
from stratabase.members.sign_in.password_hashes import Argon2Passwords
from stratabase.server.http import connection, dispatcher
from stratabase.server.http.bodies import BodyMemory
from stratabase.server.http.errors import MAX_BODY, HttpError
from tests.server.http.serving import DEADLINE, Client, http_server
from tests.service import SAMPLE_MODEL, eventually
from tests.soak import count

PASSWORD = "correct horse battery staple"
GRAPHQL, TOKEN = "/auth/api/graphql/Hr", "/public/token/getJwtToken"
BASIC = "Basic " + base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
WRONG = "Basic " + base64.b64encode(b"admin:wrong password").decode()
LARGE = 4_000_000
"""The bytes of a body that Lambda still takes."""


class ObservedMemory(BodyMemory):
    """The memory of bodies with its greatest use."""

    made: "ObservedMemory"

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.most = 0
        type(self).made = self

    def take(self, size: int, body_size: int, member: str = "") -> HttpError | None:
        found = super().take(size, body_size, member)
        self.most = max(self.most, self.used)
        return found


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    settings = Settings(home=tmp_path_factory.mktemp("home"), model=SAMPLE_MODEL, admin_password=PASSWORD)
    found = App(settings)
    found.part(MemberServices).create_first_administrator()
    yield found
    found.close()


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "BodyMemory", ObservedMemory)


def service(instance: App, function: str = "graphql", **options: Any) -> Any:
    return http_server(instance.http_handler(instance.endpoints(function)), **options)


class Request:
    """A request whose head is sent at once, and whose body is sent in parts."""

    def __init__(
        self, client: Client, path: str, size: int | None, *headers: str, method: str = "POST"
    ) -> None:
        """`size`: that of the body; None means that it is chunked."""
        self._socket = socket.create_connection(("127.0.0.1", client.port), DEADLINE)
        length = "Transfer-Encoding: chunked" if size is None else f"Content-Length: {size}"
        lines = [f"{method} {path} HTTP/1.1", "Host: x", length, "Content-Type: application/json", *headers]
        self.send("\r\n".join([*lines, "", ""]).encode())

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def send_chunk(self, data: bytes) -> None:
        self.send(b"%x\r\n%b\r\n" % (len(data), data))

    def send_without_end(self) -> None:
        """Send chunks until the connection is closed. Raises OSError."""
        while True:
            self.send_chunk(b"x" * 65536)

    def receive(self) -> tuple[int, dict[str, str], Any]:
        """Return the status, the headers and the JSON of the next response."""
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._receive()
        head, _, body = received.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        while len(body) < int(headers.get("content-length", 0)):
            body += self._receive()
        return int(first.split()[1]), headers, json.loads(body) if body else None

    def is_closed(self) -> bool:
        """Return whether the service sends no more, once it has sent everything."""
        return self._socket.recv(65536) == b""

    def _receive(self) -> bytes:
        data = self._socket.recv(65536)
        assert data, "the service has closed the connection"
        return data

    def close(self) -> None:
        self._socket.close()


@pytest.mark.parametrize(
    ("function", "method", "path", "size", "header", "status"),
    [
        ("graphql", "POST", GRAPHQL, LARGE, "X: none", 401),
        ("graphql", "POST", GRAPHQL, LARGE, "Authorization: Bearer invalid", 401),
        ("graphql", "POST", "/auth/nothing", LARGE, f"Authorization: {BASIC}", 404),
        ("graphql", "POST", "/nothing", LARGE, "X: none", 404),
        ("graphql", "PUT", GRAPHQL, LARGE, f"Authorization: {BASIC}", 405),
        ("graphql", "POST", GRAPHQL, MAX_BODY + 1, "X: none", 413),
        ("tokens", "POST", TOKEN, 65_537, "X: none", 413),
        ("tokens", "POST", f"{TOKEN}?format=text", 10, "X: none", 400),
        ("tokens", "POST", TOKEN, 10, "Content-Encoding: gzip", 415),
    ],
)
def test_the_head_is_enough_for_a_refusal(  # noqa: PLR0917 - a row of the table
    instance: App, function: str, method: str, path: str, size: int, header: str, status: int
) -> None:
    with service(instance, function) as client:
        request = Request(client, path, size, header, method=method)
        early = request.receive()
        # The connection goes on, and the rest of the body is ignored.
        request.send(b"x" * size + b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
        next_status, _headers, _body = request.receive()
        name, _, value = header.partition(": ")
        late = client.request(method, path, {"Content-Type": "application/json", name: value}, b"x" * size)
        request.close()

    assert (early[0], late.status, next_status) == (status, status, 404)
    assert "connection" not in early[1]
    assert early[2]["detail"] == late.json()["detail"]
    assert early[2].keys() == late.json().keys()


def test_a_client_that_waits_for_100_continue_is_refused_without_it(instance: App) -> None:
    with service(instance) as client:
        request = Request(client, GRAPHQL, LARGE, "Expect: 100-continue")
        status, headers, _body = request.receive()

        assert (status, headers["connection"]) == (401, "close")
        assert request.is_closed()
        request.close()


def test_a_client_that_waits_for_100_continue_gets_it_when_its_head_is_accepted(instance: App) -> None:
    sent = b'{"query": "{ __typename }"}'
    with service(instance) as client:
        request = Request(client, GRAPHQL, len(sent), "Expect: 100-continue", f"Authorization: {BASIC}")
        assert request.receive()[0] == 100
        request.send(sent)
        assert request.receive()[2] == {"data": {"__typename": "Query"}}
        request.close()


def test_the_limit_of_a_route_counts_while_a_chunked_body_arrives(instance: App) -> None:
    with service(instance, "tokens") as client:
        request = Request(client, TOKEN, None)
        for _ in range(9):  # without an end
            request.send_chunk(b"x" * 8192)
        status, headers, body = request.receive()

        assert (status, headers["connection"]) == (413, "close")
        assert body["detail"] == "The request body has more than the limit of 65,536 bytes."
        assert request.is_closed()
        request.close()


def test_a_chunked_body_within_the_limit_is_read(instance: App) -> None:
    sent = json.dumps({"username": "admin", "password": PASSWORD}).encode()
    with service(instance, "tokens") as client:
        request = Request(client, TOKEN, None)
        request.send_chunk(sent[:20])
        request.send_chunk(sent[20:])
        request.send(b"0\r\n\r\n")
        assert request.receive()[0] == 200
        request.close()


def test_after_an_early_refusal_a_connection_that_never_ends_its_body_is_closed(
    instance: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "LINGER_SECONDS", 0.01)
    with service(instance) as client:
        request = Request(client, GRAPHQL, None)
        assert request.receive()[0] == 401
        with pytest.raises(OSError):  # noqa: PT011 - a reset or a broken pipe
            request.send_without_end()
        request.close()


@pytest.mark.usefixtures("memory")
def test_while_a_password_is_checked_the_body_is_not_read_and_others_are_answered(
    instance: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    checking, go_on = threading.Event(), threading.Event()
    verify = Argon2Passwords.verify

    def held(self: Argon2Passwords, hashed: str | None, password: str) -> bool:
        checking.set()
        assert go_on.wait(DEADLINE)
        return verify(self, hashed, password)

    monkeypatch.setattr(Argon2Passwords, "verify", held)
    with service(instance) as client:
        request = Request(client, GRAPHQL, LARGE, f"Authorization: {WRONG}")
        sender = threading.Thread(target=request.send, args=(b"x" * LARGE,))
        sender.start()
        assert checking.wait(DEADLINE)
        for _ in range(20):  # turns of the loop, in which it could read
            assert client.get("/public/nothing").status == 404
        assert ObservedMemory.made.most < LARGE / 2
        go_on.set()
        assert request.receive()[0] == 401
        sender.join(DEADLINE)
        request.close()


@pytest.mark.soak
@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize(("function", "path"), [("graphql", GRAPHQL), ("tokens", TOKEN)])
def test_many_strangers_with_large_bodies_take_no_memory(instance: App, function: str, path: str) -> None:
    number = count(10, 300)
    with service(instance, function) as client:
        requests = [Request(client, path, LARGE, "Authorization: Bearer wrong") for _ in range(number)]
        for request in requests:
            request.send(b"x" * LARGE)
        assert {request.receive()[0] for request in requests} <= {401, 413}
        for request in requests:
            request.close()
        # If the loop was busy, a head arrives together with as much of its body as uvloop reads at once.
        assert ObservedMemory.made.most <= number * 256 * 1024
        assert ObservedMemory.made.used == 0


@pytest.mark.usefixtures("memory")
def test_one_member_leaves_memory_for_the_large_bodies_of_others(instance: App) -> None:
    fields = {"username": "ann", "email": "ann@example.com", "profile": "Administrator"}
    ann = instance.part(MemberServices).create_silently(CONSOLE, fields)
    instance.part(MemberServices).update(CONSOLE, ann.id, {"password": PASSWORD})
    of_ann = "Basic " + base64.b64encode(f"ann:{PASSWORD}".encode()).decode()
    query = b'{"query": "{ __typename }"}'
    sent = LARGE - len(query)
    with service(instance, body_memory=32 * 1024 * 1024) as client:
        # A member may take half of the three quarters for large bodies: 12 MB.
        waiting = [Request(client, GRAPHQL, LARGE, f"Authorization: {BASIC}") for _ in range(3)]
        for request in waiting:
            request.send(b" " * sent)
        eventually(lambda: ObservedMemory.made.used == 3 * sent)

        refused = Request(client, GRAPHQL, LARGE, f"Authorization: {BASIC}")
        refused.send(b" " * sent)
        status, headers, body = refused.receive()

        assert (status, headers["retry-after"]) == (503, "5")
        assert "You send too many large requests" in body["detail"]
        other = Request(client, GRAPHQL, LARGE, f"Authorization: {of_ann}")
        other.send(b" " * sent + query)
        assert other.receive()[0] == 200
        for request in waiting:
            request.send(query)
            assert request.receive()[0] == 200
        for request in (*waiting, refused, other):
            request.close()


@pytest.mark.soak
@pytest.mark.usefixtures("memory")
def test_bodies_that_fill_the_memory_are_503_until_others_end(instance: App) -> None:
    limit = count(16, 64) * 1024 * 1024
    authorization = f"Authorization: {BASIC}"
    with service(instance, body_memory=limit) as client:
        # 1. Members send bodies that they don't complete, until no more fit.
        waiting = []
        for _ in range(limit // LARGE + 1):
            request = Request(client, GRAPHQL, LARGE, authorization)
            request.send(b" " * (LARGE - 100))
            waiting.append(request)
        *_, refused = waiting
        status, headers, body = refused.receive()
        assert (status, headers["retry-after"]) == (503, "5")
        assert "too many large requests" in body["detail"]
        assert ObservedMemory.made.most <= limit * 3 // 4
        # 2. Small requests are answered all the same.
        query = b'{"query": "{ __typename }"}'
        headers = {"Authorization": BASIC, "Content-Type": "application/json"}
        assert client.request("POST", GRAPHQL, headers, query).status == 200
        # 3. The memory is free again when the clients have left.
        for request in waiting:
            request.close()
        request = Request(client, GRAPHQL, LARGE, authorization)
        request.send(query + b" " * (LARGE - len(query)))
        assert request.receive()[0] == 200
        request.close()
    gc.collect()
    assert ObservedMemory.made.used == 0
