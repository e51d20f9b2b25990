"""All connections that wait are accepted in one turn of the event loop, if the process can open them."""

import asyncio
import errno
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvloop

from stratabase.server.http import acceptor as acceptor_module
from stratabase.server.http import server as server_module
from stratabase.server.http.acceptor import Acceptor
from stratabase.server.http.server import FairQueue
from tests.rows import each_row

LOOPS: list[Callable[[], asyncio.AbstractEventLoop]] = [uvloop.new_event_loop, asyncio.new_event_loop]


class Greeting(asyncio.Protocol):
    """Sends one byte to each client."""

    def __init__(self, _address: str) -> None:
        """Nothing depends on the address."""

    def connection_made(self, transport: Any) -> None:
        transport.write(b"!")
        transport.close()


class Listener:
    """A listening socket that counts the turns of the loop in which it accepts, and can fail."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.address = self._socket.getsockname()
        self.failures: list[OSError] = []
        self.accepted: list[int] = []
        """How many connections each turn accepted."""

    def accept(self) -> Any:
        if self.failures:
            raise self.failures.pop(0)
        accepted = self._socket.accept()
        self.accepted[-1] += 1
        return accepted

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)


@contextmanager
def waiting_clients(listener: Listener, number: int) -> Iterator[list[socket.socket]]:
    """Connect clients, which the kernel keeps in the queue of the listener."""
    clients = [socket.create_connection(listener.address, 20) for _ in range(number)]
    try:
        yield clients
    finally:
        for client in clients:
            client.close()


def uvloop_runner() -> asyncio.Runner:
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


async def answers(clients: list[socket.socket]) -> list[bytes]:
    loop = asyncio.get_running_loop()
    for client in clients:
        client.setblocking(False)
    return [await asyncio.wait_for(loop.sock_recv(client, 10), 20) for client in clients]


async def greet(listener: Listener, clients: list[socket.socket]) -> list[bytes]:
    """Accept until all clients have their greeting, and count the turns."""
    loop = asyncio.get_running_loop()

    def count(callback: Callable[[], None]) -> None:
        listener.accepted.append(0)
        callback()

    counting = _CountingLoop(loop, count)
    server = Acceptor(counting, listener, Greeting)  # type: ignore[arg-type] # they behave as the real ones
    try:
        return await answers(clients)
    finally:
        server.close()
        await server.wait_closed()


class _CountingLoop:
    """The running loop, which tells of each call of a reader."""

    def __init__(self, loop: asyncio.AbstractEventLoop, count: Callable[[Callable[[], None]], None]) -> None:
        self._loop = loop
        self._count = count

    def add_reader(self, file: int, callback: Callable[[], None]) -> None:
        self._loop.add_reader(file, self._count, callback)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)


@each_row("new_loop", LOOPS)
def test_50_waiting_connections_are_accepted_in_one_turn(
    new_loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    listener = Listener()
    with waiting_clients(listener, 50) as clients, asyncio.Runner(loop_factory=new_loop) as runner:
        assert runner.run(greet(listener, clients)) == [b"!"] * 50

    assert listener.accepted == [50]


def test_a_turn_accepts_a_bounded_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptor_module, "MAX_PER_TURN", 20)
    listener = Listener()
    with (
        waiting_clients(listener, 50) as clients,
        uvloop_runner() as runner,
    ):
        assert runner.run(greet(listener, clients)) == [b"!"] * 50

    assert listener.accepted == [20, 20, 10]


def test_a_client_that_has_left_does_not_stop_the_others() -> None:
    listener = Listener()
    listener.failures = [ConnectionAbortedError(errno.ECONNABORTED, "gone")]
    with (
        waiting_clients(listener, 3) as clients,
        uvloop_runner() as runner,
    ):
        assert runner.run(greet(listener, clients)) == [b"!"] * 3

    assert listener.accepted == [3]


def test_without_free_files_clients_wait_and_one_line_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(acceptor_module, "RETRY_SECONDS", 0)
    listener = Listener()
    listener.failures = [OSError(errno.EMFILE, "Too many open files") for _ in range(3)]
    with (
        caplog.at_level(logging.ERROR),
        waiting_clients(listener, 5) as clients,
        uvloop_runner() as runner,
    ):
        assert runner.run(greet(listener, clients)) == [b"!"] * 5

    assert listener.accepted == [0, 0, 0, 5]
    assert caplog.text.count("No connection can be accepted") == 1


@pytest.mark.parametrize(("turn", "turns"), [(0, [1, 2, 3, 4, 5]), (60, [1, 1, 1, 1, 1])])
def test_requests_wait_for_the_next_turn_when_the_time_of_one_is_over(
    turn: float, turns: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In between, the loop accepts and reads other connections."""
    monkeypatch.setattr(server_module, "TURN", turn)
    ran: list[int] = []

    async def test() -> None:
        queue = FairQueue(asyncio.get_running_loop())
        for _ in range(5):
            queue.add(lambda: ran.append(current))
        for current in range(1, 6):  # noqa: B007 - the functions in the queue read it
            await asyncio.sleep(0)

    asyncio.run(test())

    assert ran == turns


def test_a_function_that_fails_does_not_stop_the_others() -> None:
    ran: list[str] = []
    errors: list[object] = []

    def fail() -> None:
        raise IndexError

    async def test() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, context: errors.append(context["exception"]))
        queue = FairQueue(loop)
        queue.add(fail)
        queue.add(lambda: ran.append("next"))
        for _ in range(3):
            await asyncio.sleep(0)

    asyncio.run(test())

    assert ran == ["next"]
    assert [type(error) for error in errors] == [IndexError]


def test_connections_that_wait_after_the_end_remain_for_another_process() -> None:
    """Both processes of a hand-over share the socket."""
    listener = Listener()
    other = listener.dup()

    async def end_at_once() -> None:
        Acceptor(asyncio.get_running_loop(), listener, Greeting).close()  # type: ignore[arg-type]

    with waiting_clients(listener, 1), uvloop_runner() as runner:
        runner.run(end_at_once())
        accepted, _address = other.accept()
        accepted.close()
    other.close()
    assert listener.fileno() == -1


def test_connections_that_wait_at_the_end_of_the_last_process_are_accepted() -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    async def end_at_once() -> None:
        acceptor = Acceptor(asyncio.get_running_loop(), listener, Greeting)
        acceptor.close(accept_waiting=True)
        await acceptor.wait_closed()

    clients = [socket.create_connection(listener.getsockname(), 20) for _ in range(2)]
    with uvloop_runner() as runner:
        runner.run(end_at_once())
    for client in clients:
        assert client.recv(1) == b"!"
        client.close()
    assert listener.fileno() == -1
