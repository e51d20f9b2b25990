"""Sending of streamed responses: reads a body chunk by chunk, as fast as the client receives it."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from stratabase.cli.gateway.request import Receive
from stratabase.http_api.http.messages import BodyStream

Send = Callable[[Any], Awaitable[None]]

log = logging.getLogger(__name__)


async def send_stream(send: Send, receive: Receive, stream: BodyStream, request_id: str) -> None:
    """Send a body after the start of its response, and close it.

    A chunk that the source doesn't have in memory is read in a thread, which is free again while `send` waits
    for the client. If the client disconnects, the rest is not read. If the body fails, the response stays
    incomplete, so that the server closes the connection. `request_id` is for the log.
    """
    reader = _Reader(stream)
    async with _disconnection(receive) as is_disconnected:
        try:
            while not is_disconnected():
                chunk = await reader.next()
                if chunk is None:
                    await send({"type": "http.response.body", "body": b""})
                    return
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        except Exception:
            log.exception("The body of the response with the trace ID %s failed", request_id)
        finally:
            # If this task was cancelled, a thread may still read, so that `close` would block the loop.
            asyncio.get_running_loop().run_in_executor(None, reader.close)


class _Reader:
    """Reads a body, one chunk at a time."""

    def __init__(self, stream: BodyStream) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    async def next(self) -> bytes | None:
        """Return the next chunk, or None after the last one."""
        chunk = self._stream.next_cached()
        if chunk is None:
            return await asyncio.to_thread(self._read)
        # Nothing else makes this task wait if the client is fast. Let the other requests run.
        await asyncio.sleep(0)
        return chunk

    def close(self) -> None:
        """Close the body, as soon as no thread reads it."""
        with self._lock:
            self._stream.close()

    def _read(self) -> bytes | None:
        with self._lock:
            return next(self._stream, None)


@contextlib.asynccontextmanager
async def _disconnection(receive: Receive) -> AsyncIterator[Callable[[], bool]]:
    """Watch the connection during a block. Yields a function that tells whether the client disconnected."""

    async def wait() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    watching = asyncio.create_task(wait())
    try:
        yield watching.done
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
