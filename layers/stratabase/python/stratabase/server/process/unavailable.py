"""Answers all requests with 503 while no worker can serve."""

import asyncio
import json
import socket
import threading
from contextlib import suppress

from stratabase.server.http.acceptor import Acceptor

_RETRY_AFTER = 5
"""The seconds after which clients are told to try again."""
_TIMEOUT = 5.0
"""The seconds for the head of a request, and then for the client to close the connection."""
_BODY = json.dumps(
    {
        "type": "about:blank",
        "title": "Service Unavailable",
        "status": 503,
        "detail": "The service cannot start at the moment. Try again later.",
    }
).encode()
_HEAD = (
    "HTTP/1.1 503 Service Unavailable\r\n"
    "content-type: application/problem+json\r\n"
    f"content-length: {len(_BODY)}\r\n"
    "cache-control: no-store\r\n"
    f"retry-after: {_RETRY_AFTER}\r\n"
    "connection: close\r\n\r\n"
).encode()


class UnavailableServer:
    """Answers the requests on a listening socket with 503 in its own thread, between `start` and `stop`."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._running: _Run | None = None

    def start(self) -> None:
        """Answer with 503 from now on, if this does not do so yet."""
        if self._running is None:
            self._running = _Run(self._listener.dup())

    def stop(self) -> None:
        """Accept no more connections. Those that wait remain for a worker."""
        if self._running is not None:
            self._running.end()
            self._running = None


class _Run:
    """The thread that answers from one `start` to the next `stop`."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._loop = asyncio.new_event_loop()
        self._ending = asyncio.Event()
        self._closed = threading.Event()
        self._answers: set[asyncio.Task[None]] = set()
        threading.Thread(target=self._run, name="unavailable", daemon=True).start()

    def end(self) -> None:
        """Accept no more connections. The thread still answers those that it has accepted."""
        self._loop.call_soon_threadsafe(self._ending.set)
        self._closed.wait(_TIMEOUT)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        acceptor = Acceptor(self._loop, self._listener, self._make_protocol)
        await self._ending.wait()
        acceptor.close()
        self._closed.set()
        await acceptor.wait_closed()
        if self._answers:
            await asyncio.wait(self._answers)

    def _make_protocol(self, _address: str) -> asyncio.Protocol:
        reader = asyncio.StreamReader(loop=self._loop)
        return asyncio.StreamReaderProtocol(reader, self._answer, loop=self._loop)

    def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._loop.create_task(_refuse(reader, writer))
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)


async def _refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request, and close the connection."""
    try:
        async with asyncio.timeout(_TIMEOUT):
            head = await reader.readuntil(b"\r\n\r\n")
        writer.write(_HEAD if head.startswith(b"HEAD ") else _HEAD + _BODY)
        writer.write_eof()
        # If this closed the connection while the client sends a body, the client would lose the response.
        async with asyncio.timeout(_TIMEOUT):
            while await reader.read(65_536):
                pass
    except (OSError, EOFError, asyncio.LimitOverrunError):
        pass  # the client has left, is too slow, or sends no HTTP
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
