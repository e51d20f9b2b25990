"""Many busy connections over real sockets: new clients have their turn, and clients may leave at any time."""

import selectors
import socket
import struct
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from benchmarks.load import content_length
from stratabase.core import greenlets
from stratabase.core.store.sqlite import engine as sqlite_engine
from stratabase.server.http import server as server_module
from stratabase.server.http.connection import HttpConnection
from tests.server.http.graphql_service import (
    CREATE,
    PAGE,
    Gate,
    GraphQLService,
    graphql_service,
    hold_commits,
    hold_reads,
)
from tests.server.http.serving import DEADLINE
from tests.soak import count

GET = "query($id: ID!) { Team___get(_id: $id) { _id name } }"
TEAMS = 60
NEWCOMERS = 32
"""The clients that connect at the same time, while others are busy."""
ROUNDS = count(2, 30)
"""How often new clients connect."""
FURTHER = 8
"""The answers that a busy connection may have before each of the new clients has its first one.

One is on its way when they connect, and one waits for its turn before their requests. Each of the few turns
in which the server accepts and reads their connections can bring another one. If it accepted one of them in
each turn, there would be as many as NEWCOMERS."""
FILES = Path("/proc/self/fd")
"""The open files of the process."""
ABORT = struct.pack("ii", 1, 0)
"""The option SO_LINGER of a socket that sends a reset when it is closed."""


class Connection:
    """A client that sends each request after the response to the last one."""

    def __init__(self, port: int, requests: Iterator[bytes]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), DEADLINE)
        self.answers = 0
        self._requests = requests
        self._received = bytearray()
        self.send()

    def send(self) -> None:
        """Send the next request."""
        self.socket.sendall(next(self._requests))

    def receive(self) -> None:
        """Receive bytes, and send the next request if they complete a response."""
        data = self.socket.recv(65536)
        assert data, "the service has closed the connection"
        self._received += data
        head = self._received.find(b"\r\n\r\n")
        if head < 0 or len(self._received) < head + 4 + content_length(self._received[:head]):
            return
        assert self._received.startswith(b"HTTP/1.1 200")
        assert b'"errors"' not in self._received
        self._received.clear()
        self.answers += 1
        self.send()


class Load:
    """Busy connections of one thread."""

    def __init__(self, port: int, requests: Sequence[bytes], number: int) -> None:
        self._port = port
        self._requests = cycle(requests)
        self._selector = selectors.DefaultSelector()
        self.connections = self.connect(number)

    def connect(self, number: int) -> list[Connection]:
        """Open further connections, each of which sends a request."""
        found = [Connection(self._port, self._requests) for _ in range(number)]
        for each in found:
            self._selector.register(each.socket, selectors.EVENT_READ, each)
        return found

    def advance(self, number: int, connections: Sequence[Connection] | None = None) -> None:
        """Send and receive until connections, by default all, have that many further answers each."""
        wanted = [(each, each.answers + number) for each in connections or self.connections]
        while any(each.answers < least for each, least in wanted):
            ready = self._selector.select(DEADLINE)
            assert ready, "no response arrives"
            for key, _ in ready:
                key.data.receive()

    def disconnect(self, connections: Sequence[Connection]) -> None:
        """Close connections, which may wait for a response."""
        for each in connections:
            self._selector.unregister(each.socket)
            each.socket.close()

    def close(self) -> None:
        """Close all connections."""
        self.disconnect(self.connections)
        self._selector.close()


SHORTEST, LONGEST = 0, 1000
"""The seconds of turns of the loop that answer one request, and all requests that have arrived."""


@pytest.fixture(params=[SHORTEST, LONGEST], ids=["one request in a turn", "all requests in a turn"])
def service(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[GraphQLService]:
    """A service with the shortest and the longest turns of its loop. It gives way wherever it can."""
    for module in (greenlets, server_module):
        monkeypatch.setattr(module, "TURN", request.param)
    monkeypatch.setattr(greenlets, "SLICE", 0)
    monkeypatch.setattr(sqlite_engine, "_FIRST_PAGE", 4)
    monkeypatch.setattr(sqlite_engine, "_MAX_PAGE", 4)
    monkeypatch.setattr(sqlite_engine, "_MAX_LIMITED_PAGE", 4)
    with graphql_service(tmp_path) as found:
        yield found


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The numbers of connections that the server has opened and closed."""
    found = Counter[str]()

    def counted(name: str) -> None:
        call = getattr(HttpConnection, name)

        def and_count(self: HttpConnection, *arguments: Any) -> None:
            call(self, *arguments)
            found[name] += 1

        monkeypatch.setattr(HttpConnection, name, and_count)

    counted("connection_made")
    counted("connection_lost")
    return found


def loaded(service: GraphQLService, number: int) -> Load:
    """Return a number of connections, each of which has had an answer."""
    requests = [service.request_bytes(GET, id=id_) for id_ in service.create_teams(TEAMS)]
    load = Load(service.port, requests, number)
    load.advance(1)
    return load


NUMBERS = [64, pytest.param(256, marks=pytest.mark.thorough)]


@pytest.mark.soak
@pytest.mark.parametrize("number", NUMBERS)
def test_new_clients_are_answered_before_others_have_many_answers(
    service: GraphQLService, number: int
) -> None:
    load = loaded(service, number)
    for _ in range(ROUNDS):
        before = [each.answers for each in load.connections]
        newcomers = load.connect(NEWCOMERS)

        load.advance(1, newcomers)

        further = [each.answers - old for each, old in zip(load.connections, before, strict=True)]
        assert max(further) <= FURTHER, further
        load.disconnect(newcomers)
    load.close()


@pytest.mark.soak
@pytest.mark.parametrize("service", [SHORTEST], indirect=True)
@pytest.mark.parametrize("number", NUMBERS)
def test_busy_connections_have_the_same_number_of_answers(service: GraphQLService, number: int) -> None:
    load = loaded(service, number)

    before = [each.answers for each in load.connections]

    load.advance(count(5, 50))

    further = [each.answers - old for each, old in zip(load.connections, before, strict=True)]
    assert max(further) <= 2 * min(further) + 3, further
    load.close()


@pytest.mark.soak
@pytest.mark.parametrize("number", NUMBERS)
def test_clients_that_leave_beside_busy_ones_leave_nothing_behind(
    service: GraphQLService, opened: Counter[str], number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.ask(PAGE)
    files, threads = len([*FILES.iterdir()]), threading.active_count()
    load = loaded(service, number)
    leaving = count(2, 20)
    for turn in range(leaving):
        # 1. Readers leave in the middle of a page, of which nothing more is read.
        with monkeypatch.context() as patched:
            gate = Gate()
            hold_reads(patched, gate)
            gate.let_leave(service.send(PAGE))
            load.advance(2)
            assert gate.calls < TEAMS / 4 / 2
        # 2. Writers leave in the middle of a commit, which goes on.
        with monkeypatch.context() as patched:
            gate = Gate()
            committed = hold_commits(patched, gate)
            gate.let_leave(service.send(CREATE, name=f"Left {turn}"))
            assert committed.wait(DEADLINE)
        # 3. Others leave before their request is complete, or has its turn, some of them by a reset.
        for sent in (service.request_bytes(PAGE)[:-5], service.request_bytes(PAGE), b"POST / HTT", b""):
            for is_reset in (False, True):
                client = socket.create_connection(("127.0.0.1", service.port), DEADLINE)
                client.sendall(sent)
                if is_reset:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
                client.close()

    load.advance(4)
    load.close()
    found = service.ask('{ Team___getPage(options: {filter: {name___starts_with: "Left"}}) { totalCount } }')
    assert found == {"Team___getPage": {"totalCount": leaving}}
    for _ in range(1000):  # it learns in a later turn that clients have left
        if opened["connection_made"] == opened["connection_lost"] + 1:
            break
        service.ask("{ __typename }")
    assert opened["connection_made"] <= opened["connection_lost"] + 1
    assert threading.active_count() == threads
    assert len([*FILES.iterdir()]) <= files + 1
