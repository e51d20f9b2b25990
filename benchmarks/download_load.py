"""A load generator that downloads on several connections, as fast as possible or at a limited speed.

As a program, it prints a line when the first bytes have arrived on all connections.
"""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import cast

import uvloop

from benchmarks.load import content_length

BUFFER = 256 * 1024
PAUSE = 0.02
"""Seconds between two reads of a connection with a limited speed."""


class _Download(asyncio.BufferedProtocol):
    """A connection that sends one request, and counts the bytes of the response."""

    def __init__(self, request: bytes, speed: int | None) -> None:
        loop = self._loop = asyncio.get_running_loop()
        self._request = request
        self._speed = speed
        self._buffer = bytearray(BUFFER)
        self._head: bytes | None = b""
        self._left = 0
        self._received = 0
        self._created = loop.time()
        self.begun: asyncio.Future[None] = loop.create_future()
        self.ended: asyncio.Future[None] = loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(self._request)

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002 - the buffer has always the same size
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self._received += nbytes
        if self._head is None:
            self._left -= nbytes
        else:
            self._read_head(self._head + self._buffer[:nbytes])
        if self._head is None and self._left == 0:
            self.ended.set_result(None)
            self._transport.close()
        elif self._speed is not None:
            self._pause(self._speed)

    def connection_lost(self, _: Exception | None) -> None:
        for future in (self.begun, self.ended):
            if not future.done():
                future.set_exception(ConnectionError("the server closed the connection"))

    def _read_head(self, received: bytes) -> None:
        head, end, body = received.partition(b"\r\n\r\n")
        self._head = None if end else received
        if not end:
            return
        assert head.startswith(b"HTTP/1.1 200"), head
        self._left = content_length(bytearray(head)) - len(body)
        self.begun.set_result(None)

    def _pause(self, speed: int) -> None:
        """Read nothing while more has arrived than the speed allows."""
        early = self._created + self._received / speed - self._loop.time()
        if early > PAUSE:
            self._transport.pause_reading()
            self._loop.call_later(early, self._transport.resume_reading)


def run(port: int, connections: int, request: bytes) -> float:
    """Send a request on each connection, and return the seconds until all responses have arrived."""
    began = time.perf_counter()
    uvloop.run(_run(port, connections, request))
    return time.perf_counter() - began


async def _run(
    port: int,
    connections: int,
    request: bytes,
    speed: int | None = None,
    when_begun: Callable[[], None] = lambda: None,
) -> None:
    loop = asyncio.get_running_loop()
    create = partial(_Download, request, speed)
    downloads = [(await loop.create_connection(create, "127.0.0.1", port))[1] for _ in range(connections)]
    await asyncio.gather(*(download.begun for download in downloads))
    when_begun()
    await asyncio.gather(*(download.ended for download in downloads))


@contextmanager
def limited(port: int, connections: int, request: bytes, speed: int) -> Iterator[None]:
    """Download in another process during a `with` block, with `speed` bytes per second on each connection.

    The downloads have begun when the block begins. At its end, they must go on, and then they must succeed.
    """
    command = [sys.executable, "-m", "benchmarks.download_load", str(port), str(connections), str(speed)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(request)
        process.stdin.close()
        assert process.stdout.readline(), "the downloads failed"
        yield
        assert process.poll() is None, "the downloads ended too early"
        assert process.wait() == 0, "the downloads failed"


if __name__ == "__main__":
    port, connections, speed = (int(argument) for argument in sys.argv[1:])
    uvloop.run(_run(port, connections, sys.stdin.buffer.read(), speed, lambda: print("begun", flush=True)))
