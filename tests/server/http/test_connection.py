"""A connection answers its requests in order, each by one write, and one per turn of the event loop."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from stratabase.core.greenlets import Call
from stratabase.server.http import connection as connection_module
from stratabase.server.http.bodies import BodyMemory, BodyTerms
from stratabase.server.http.connection import HttpConnection
from stratabase.server.http.dispatcher import DEFAULT_BODY_MEMORY
from stratabase.server.http.errors import HttpError
from stratabase.server.http.request import HttpRequest
from stratabase.server.http.responses import HttpResponse
from stratabase.server.http.routes import RouteMatch
from tests.rows import each_row

MATCH = RouteMatch("/", {})
DEADLINE = 60.0
GET = b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n"


class Transport:
    """A transport that records what is done with it."""

    def __init__(self) -> None:
        self.writes: list[bytes] = []
        self.is_reading = True
        self.closed = asyncio.Event()
        self.socket, self.peer = socket.socketpair()

    @property
    def is_closed(self) -> bool:
        return self.closed.is_set()

    def get_extra_info(self, name: str) -> Any:
        return self.socket if name == "socket" else ("127.0.0.1", 8080)

    def write(self, data: bytes) -> None:
        self.writes.append(data)

    def writelines(self, pieces: tuple[bytes, ...]) -> None:
        self.writes.append(b"".join(pieces))

    def pause_reading(self) -> None:
        self.is_reading = False

    def resume_reading(self) -> None:
        self.is_reading = True

    def is_closing(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        self.closed.set()


class Dispatcher:
    """Answers each request by its path and body, at once or when `finish` is called."""

    def __init__(self, body: bytes | None = None) -> None:
        self.body = body
        self.body_memory = BodyMemory(DEFAULT_BODY_MEMORY)
        self.waits = False
        self.asked: list[str] = []
        self._waiting: list[Callable[[], None]] = []

    def admit(self, _request: HttpRequest) -> RouteMatch:
        return MATCH

    def ask_for_body(self, _request: HttpRequest, client: HttpConnection) -> None:
        client.receive_body(BodyTerms())

    def answer(self, request: HttpRequest, client: HttpConnection) -> None:
        self.asked.append(request.target.path)
        body = request.target.path.encode() + request.body if self.body is None else self.body
        response = HttpResponse(200, ((b"Content-Type", b"text/plain"),), body, len(body))
        if self.waits:
            client.call = Call()
            self._waiting.append(lambda: client.respond(response, "id-1"))
        else:
            client.respond(response, "id-1")

    def refuse(self, error: HttpError, request: HttpRequest, client: HttpConnection) -> None:
        raise NotImplementedError

    def finish(self) -> None:
        self._waiting.pop(0)()


class Client:
    """A connection without a socket."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self.dispatcher = dispatcher
        self.ended: list[HttpConnection] = []
        self.connection = HttpConnection(
            dispatcher,
            asyncio.get_running_loop(),
            lambda answer: answer(),
            lambda _: None,
            self.ended.append,
            "127.0.0.1",
        )
        self.transport = Transport()
        self.connection.connection_made(self.transport)  # type: ignore[arg-type]

    def send(self, data: bytes) -> None:
        self.connection.data_received(data)

    def leave(self) -> None:
        self.transport.close()
        self.connection.connection_lost(None)


def in_loop(test: Callable[[Client], Awaitable[None]], body: bytes | None = None) -> None:
    async def run() -> None:
        client = Client(Dispatcher(body))
        try:
            await test(client)
        finally:
            if not client.ended:
                client.leave()
            client.transport.socket.close()
            client.transport.peer.close()

    asyncio.run(asyncio.wait_for(run(), 20))


@each_row("body", [b"", b"short", b"x" * 1_000_000])
def test_a_response_is_one_write(body: bytes) -> None:
    async def test(client: Client) -> None:
        client.send(GET % 1)

        (written,) = client.transport.writes
        head, _, sent = written.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ndate: ")
        assert b"\r\ncontent-length: %d\r\nx-amzn-requestid: id-1" % len(body) in head
        assert sent == body

    in_loop(test, body)


def test_requests_that_arrive_together_are_answered_in_order_one_per_turn() -> None:
    async def test(client: Client) -> None:
        client.send(b"".join(GET % number for number in range(5)))
        for answered in range(1, 6):
            assert client.dispatcher.asked == [f"/{number}" for number in range(answered)]
            await asyncio.sleep(0)
        assert len(client.transport.writes) == 5

    in_loop(test)


def test_a_connection_reads_no_more_while_a_request_waits_for_its_turn() -> None:
    async def test(client: Client) -> None:
        client.dispatcher.waits = True
        client.send(GET % 1)
        assert client.transport.is_reading, "it must notice that the client leaves"
        client.send(GET % 2)
        assert not client.transport.is_reading
        client.dispatcher.finish()
        await asyncio.sleep(0)
        assert client.dispatcher.asked == ["/1", "/2"]
        assert client.transport.is_reading

    in_loop(test)


def test_a_client_that_does_not_read_gets_no_further_response() -> None:
    async def test(client: Client) -> None:
        client.connection.pause_writing()
        client.send(GET % 1)
        assert client.dispatcher.asked == []
        client.connection.resume_writing()
        assert client.dispatcher.asked == ["/1"]

    in_loop(test)


def test_a_body_may_come_in_pieces() -> None:
    async def test(client: Client) -> None:
        client.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Le")
        client.send(b"ngth: 6\r\n\r\non")
        client.send(b"e")
        client.send(b"two")
        (written,) = client.transport.writes
        assert written.endswith(b"\r\n\r\n/onetwo")

    in_loop(test)


def test_the_call_of_a_client_that_leaves_is_unwanted() -> None:
    async def test(client: Client) -> None:
        client.dispatcher.waits = True
        client.send(GET % 1 + GET % 2)
        call = client.connection.call
        assert call is not None
        assert not call.is_unwanted
        client.leave()
        assert call.is_unwanted
        client.dispatcher.finish()
        await asyncio.sleep(0)
        assert client.transport.writes == []
        assert client.dispatcher.asked == ["/1"], "nobody waits for the second response"

    in_loop(test)


def test_the_next_request_with_other_headers_has_its_own() -> None:
    """The headers of the last request are kept, as most clients send the same again."""
    seen: list[Any] = []

    async def test(client: Client) -> None:
        admit = client.dispatcher.admit

        def see(request: HttpRequest) -> RouteMatch:
            seen.append(request.head)
            return admit(request)

        client.dispatcher.admit = see  # type: ignore[method-assign, assignment]
        for value in (b"1", b"1", b"2"):
            client.send(b"GET / HTTP/1.1\r\nHost: x\r\nX-A: %b\r\n\r\n" % value)

    in_loop(test)

    assert [head.headers["x-a"] for head in seen] == [("1",), ("1",), ("2",)]
    assert seen[0] is seen[1]
    assert seen[0].derived is not seen[2].derived


@pytest.mark.parametrize("sent", [b"", GET % 1, b"GET / HTTP/1.1\r\nX-Sl"], ids=["nothing", "one", "a part"])
def test_an_idle_connection_is_closed(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "KEEP_ALIVE", 0.001)

    async def test(client: Client) -> None:
        client.send(sent)
        await client.transport.closed.wait()

    in_loop(test)


def test_a_connection_with_a_request_is_not_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "KEEP_ALIVE", 0)

    async def test(client: Client) -> None:
        client.dispatcher.waits = True
        client.send(GET % 1)
        for _ in range(20):
            await asyncio.sleep(0)
        assert not client.transport.is_closed
        client.dispatcher.finish()
        assert len(client.transport.writes) == 1

    in_loop(test)


def test_at_shutdown_the_pending_request_is_answered_and_no_further_one() -> None:
    async def test(client: Client) -> None:
        client.dispatcher.waits = True
        client.send(GET % 1 + GET % 2)
        assert not client.connection.shut_down(linger=0)
        assert not client.transport.is_closed
        client.dispatcher.finish()
        await asyncio.sleep(0)
        (written,) = client.transport.writes
        assert b"\r\nconnection: close\r\n" in written
        assert client.transport.is_closed
        assert client.dispatcher.asked == ["/1"]

    in_loop(test)


@each_row("earlier", [0, 1])
def test_at_shutdown_a_client_that_was_just_active_may_still_send_a_request(earlier: int) -> None:
    async def test(client: Client) -> None:
        for number in range(earlier):
            client.send(GET % number)
        assert client.connection.shut_down(linger=DEADLINE)
        assert not client.transport.is_closed
        client.send(GET % 9)
        assert client.dispatcher.asked[-1] == "/9"
        assert b"\r\nconnection: close\r\n" in client.transport.writes[-1]
        assert client.transport.is_closed
        assert not client.connection.shut_down(linger=DEADLINE)

    in_loop(test)


def test_at_shutdown_an_idle_connection_is_closed() -> None:
    async def test(client: Client) -> None:
        client.send(GET % 1)
        assert not client.connection.shut_down(linger=0)
        assert client.transport.is_closed

    in_loop(test)


def test_at_shutdown_a_request_that_is_not_read_yet_keeps_the_connection_open() -> None:
    async def test(client: Client) -> None:
        client.transport.peer.sendall(GET % 1)
        assert client.connection.shut_down(linger=0)
        client.send(client.transport.socket.recv(100))
        assert client.dispatcher.asked == ["/1"]
        assert client.transport.is_closed

    in_loop(test)


def test_at_shutdown_the_rest_of_a_head_may_still_arrive() -> None:
    async def test(client: Client) -> None:
        client.send((GET % 1)[:9])
        assert client.connection.shut_down(linger=0)
        client.send((GET % 1)[9:])
        assert client.dispatcher.asked == ["/1"]
        assert client.transport.is_closed

    in_loop(test)
