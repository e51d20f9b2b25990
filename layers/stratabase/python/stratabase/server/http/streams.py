"""Sending of streamed responses: reads a body chunk by chunk, as fast as the client receives it."""

import asyncio
import logging
import threading
from typing import Protocol

from stratabase.core.http.base.messages import BodyStream

log = logging.getLogger(__name__)


class BodyWriter(Protocol):
    """The connection to the client."""

    @property
    def is_lost(self) -> bool:
        """Whether the client has left."""

    async def write_body(self, chunk: bytes) -> None:
        """Send a chunk. Wait while the buffers of the connection are full."""


async def send_stream(writer: BodyWriter, stream: BodyStream, trace_id: str) -> bool:
    """Send a body after the head of its response, and close it. Return whether all of it was sent.

    A chunk that the source doesn't have in memory is read in a thread, which is free again while the writer
    waits for the client. If the client disconnects, the rest is not read. `trace_id` is for the log.
    """
    reader = _Reader(stream)
    try:
        while not writer.is_lost:
            chunk = await reader.next()
            if chunk is None:
                return True
            await writer.write_body(chunk)
    except Exception:
        log.exception("The body of the response with the trace ID %s failed", trace_id)
    finally:
        # If this task was cancelled, a thread may still read, so that `close` would block the loop.
        asyncio.get_running_loop().run_in_executor(None, reader.close)
    return False


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
