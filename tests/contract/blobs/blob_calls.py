"""Short functions that write to a blob store and read from it."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, cast

from stratabase.core.operations.file_ports import BlobStore


def pattern(size: int, seed: int = 0) -> bytes:
    """Return bytes that repeat only after a prime number of them, so that exchanged parts are detected."""
    period = bytes((at * 7 + seed) % 251 for at in range(251))
    return (period * (size // 251 + 1))[:size]


def put(blobs: BlobStore, key: str, content: bytes) -> None:
    """Store bytes under a key."""
    blobs.put(key, [content], len(content))


def read(blobs: BlobStore, key: str, start: int = 0, end: int | None = None) -> bytes:
    """Return a part of the bytes under a key."""
    return b"".join(blobs.read(key, start, end))


def close(chunks: Iterator[bytes]) -> None:
    """Close an iterator of chunks before its end."""
    with closing(cast("Any", chunks)):
        pass
