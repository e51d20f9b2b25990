"""Whether `serve` treats connections alike: the first answer of each one, and the spread of their throughput.

All connections open at the same time, and each sends its requests one after the other. Meanwhile, further
clients connect, and others leave in the middle of a response.
"""

import asyncio
import json
import time
from collections.abc import Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import cast

import uvloop

from benchmarks.load import content_length
from benchmarks.table import Figure, print_table
from tests.service import PASSWORD, RunningService, basic, running

CONNECTIONS = (64, 256)
REQUESTS = 1_000
"""The requests of each connection."""
OBJECTS = 200
NEWCOMERS = 20
"""The clients that connect while the others are busy."""
LEAVING = 20
"""The clients that leave in the middle of a long response, while the others are busy."""
FIRST_ANSWER = 0.3
"""The seconds within which a new connection should have its first answer, which takes Node.js as long."""
CREATE = "mutation($n: String!) { Team___create(data: {name: $n}) { _id } }"
PAGE = "{ Team___getPage(options: {next: 1000}) { items { _id name } } }"


def main(folder: Path) -> None:
    """Print a table for each number of connections."""
    with running(folder / "home") as service:
        made = (service.graphql(CREATE, {"n": f"Team {n}"})["data"]["Team___create"] for n in range(OBJECTS))
        get = "query($id: ID!) { Team___get(_id: $id) { _id name } }"
        requests = [_request(service, get, {"id": team["_id"]}) for team in made]
        page = _request(service, PAGE, {})
        for connections in CONNECTIONS:
            figures = list(uvloop.run(_measure(service, connections, requests, page)))
            print_table(f"Fairness, {connections} connections, {REQUESTS:,} requests each", figures)


async def _measure(
    service: RunningService, connections: int, requests: list[bytes], page: bytes
) -> list[Figure]:
    """Return the figures of one load."""
    began = time.perf_counter()
    opening = (_connect(service.port, cycle(requests), REQUESTS) for _ in range(connections))
    busy = await asyncio.gather(*opening)
    for _ in range(LEAVING):
        await _leave(service.port, page)
    newcomers = []
    for _ in range(NEWCOMERS):
        newcomer = await _connect(service.port, cycle(requests), 1)
        newcomers.append(newcomer)
        await newcomer.ended
    await asyncio.gather(*(each.ended for each in busy))
    seconds = time.perf_counter() - began
    assert all(each.is_good for each in (*busy, *newcomers)), "a request failed"
    durations = [each.answers[-1] - each.opened for each in busy]
    waits = [max(each.waits()) for each in busy]
    return [
        Figure("first answer, worst", max(each.first for each in busy), "s", FIRST_ANSWER, "Node.js"),
        Figure(
            "first answer beside busy connections, worst", max(n.first for n in newcomers), "s", FIRST_ANSWER
        ),
        Figure("any answer, worst", max(waits), "s"),
        Figure("time of a connection, slowest by fastest", max(durations) / min(durations), ""),
        Figure("requests", connections * REQUESTS / seconds, "/s"),
    ]


class _BusyConnection(asyncio.Protocol):
    """A connection that sends a number of requests, each after the response to the last one."""

    def __init__(self, requests: Iterator[bytes], number: int, opened: float) -> None:
        self.opened = opened
        self.answers: list[float] = []
        """The instants of the answers."""
        self.is_good = True
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._requests = requests
        self._left = number
        self._received = bytearray()

    @property
    def first(self) -> float:
        """The seconds from the start of the connection to its first answer."""
        return self.answers[0] - self.opened

    def waits(self) -> Iterator[float]:
        """Yield the seconds that each answer took."""
        for before, after in zip((self.opened, *self.answers), self.answers, strict=False):
            yield after - before

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(next(self._requests))

    def data_received(self, data: bytes) -> None:
        self._received += data
        head = self._received.find(b"\r\n\r\n")
        if head < 0 or len(self._received) < head + 4 + content_length(self._received[:head]):
            return
        self.answers.append(time.perf_counter())
        self.is_good &= self._received.startswith(b"HTTP/1.1 200") and b'"errors"' not in self._received
        self._received.clear()
        self._left -= 1
        if self._left:
            self._transport.write(next(self._requests))
        else:
            self.ended.set_result(None)
            self._transport.close()

    def connection_lost(self, _error: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_exception(ConnectionError("the service closed the connection"))


async def _connect(port: int, requests: Iterator[bytes], number: int) -> _BusyConnection:
    make = partial(_BusyConnection, requests, number, time.perf_counter())
    _transport, protocol = await asyncio.get_running_loop().create_connection(make, "127.0.0.1", port)
    return protocol


async def _leave(port: int, request: bytes) -> None:
    """Send a request, and leave before the response."""
    _reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    await writer.drain()
    writer.transport.abort()


def _request(service: RunningService, query: str, variables: dict[str, object]) -> bytes:
    body = json.dumps({"query": query, "variables": variables}).encode()
    head = (
        f"POST /auth/api/graphql/Hr HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\n"
        f"Authorization: {basic('admin', PASSWORD)}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
