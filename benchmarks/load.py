"""A load generator, which keeps several connections busy with little CPU time of its own."""

import asyncio
import time
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple, cast

import uvloop


class Load(NamedTuple):
    """The result of a load test: the total seconds, and the latency of each request in seconds."""

    seconds: float
    latencies: list[float]
    bad: int
    """The number of responses with a status other than 200 or 201, or with GraphQL errors."""


class _Connection(asyncio.Protocol):
    """A connection that sends the next request after each response."""

    def __init__(
        self, requests: Iterator[bytes], latencies: list[float], done: "asyncio.Future[int]"
    ) -> None:
        self._requests = requests
        self._latencies = latencies
        self._done = done
        self._received = bytearray()
        self._bad = 0
        self._sent = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._next()

    def data_received(self, data: bytes) -> None:
        self._received += data
        head = self._received.find(b"\r\n\r\n")
        if head < 0 or len(self._received) < head + 4 + content_length(self._received[:head]):
            return
        self._latencies.append(time.perf_counter() - self._sent)
        self._bad += not self._received.startswith(b"HTTP/1.1 20") or b'"errors"' in self._received
        self._received.clear()
        self._next()

    def connection_lost(self, _: Exception | None) -> None:
        if not self._done.done():
            self._done.set_exception(ConnectionError("the service closed the connection"))

    def _next(self) -> None:
        request = next(self._requests, None)
        if request is None:
            self._done.set_result(self._bad)
            self._transport.close()
            return
        self._sent = time.perf_counter()
        self._transport.write(request)


def content_length(head: bytearray) -> int:
    """Return the size of the body that the head of a response announces."""
    at = head.lower().index(b"content-length:") + 15
    return int(head[at:].split(b"\r\n", 1)[0])


def run(port: int, connections: int, requests: Iterator[bytes]) -> Load:
    """Send all requests over the given number of connections, and return the result."""
    return uvloop.run(_run(port, connections, requests))


async def _run(port: int, connections: int, requests: Iterator[bytes]) -> Load:
    loop = asyncio.get_running_loop()
    latencies: list[float] = []
    ends = [loop.create_future() for _ in range(connections)]
    began = time.perf_counter()
    for end in ends:
        await loop.create_connection(partial(_Connection, requests, latencies, end), "127.0.0.1", port)
    bad = await asyncio.gather(*ends)
    return Load(time.perf_counter() - began, latencies, sum(bad))
