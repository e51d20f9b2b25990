"""Reads and writes files of the folder. Errors of the disk become Unavailable."""

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from io import FileIO
from pathlib import Path
from typing import TypeVar

from stratabase.core import waiting
from stratabase.core.domain.files.blob import CHUNK_SIZE
from stratabase.core.domain.issues.refusals import StoreFull, Unavailable
from stratabase.core.local_files import is_disk_full
from stratabase.values.messages import _

T = TypeVar("T")


def on_disk(work: Callable[..., T], *arguments: object) -> T:
    """Return the result of a function that uses the disk, while other requests run. Raises Unavailable."""
    try:
        return waiting.offload(work, *arguments)
    except OSError as error:
        if is_disk_full(error):
            raise StoreFull(error.filename or "The folder of files") from error
        # The error has paths of this machine, so it is the cause, which the log shows.
        message = _("The store is temporarily unavailable. Try again later.")
        raise Unavailable(message, retry_after=5) from error


def create_file(path: Path) -> FileIO:
    """Create a file that only its owner can read, and open it for writing. Raises OSError."""
    # Without a buffer, closing the file writes nothing, so it cannot fail because the disk is full.
    return FileIO(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))


def write_all(file: FileIO, content: bytes) -> None:
    """Write all bytes to a file. Raises OSError."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]


def chunks(file: FileIO) -> Iterator[bytes]:
    """Yield the bytes of a file from its position on. Raises OSError."""
    return iter(partial(file.read, CHUNK_SIZE), b"")


class FileRange:
    """The bytes of an open file from `start` up to `end`, as an iterator of chunks.

    A server can send the range itself, by `fileno()`, `start` and `end`, and then close it.
    """

    def __init__(self, file: FileIO, start: int, end: int) -> None:
        self._file = file
        self._at = start
        self.start = start
        self.end = max(start, end)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        wanted = min(CHUNK_SIZE, self.end - self._at)
        if wanted <= 0 or self._file.closed:
            self.close()
            raise StopIteration
        chunk = on_disk(self._read, wanted)
        self._at += len(chunk)
        return chunk

    def next_cached(self) -> bytes | None:
        """Return the next chunk if it is in the memory of the operating system, otherwise None. Never waits.

        The chunk can be shorter than others. Systems other than Linux cannot tell, nor can some file systems.
        """
        wanted = min(CHUNK_SIZE, self.end - self._at)
        if sys.platform != "linux" or wanted <= 0 or self._file.closed:
            return None
        buffer = bytearray(wanted)
        try:
            count = os.preadv(self._file.fileno(), [buffer], self._at, os.RWF_NOWAIT)
        except OSError:
            return None
        self._at += count
        return bytes(memoryview(buffer)[:count]) or None

    def fileno(self) -> int:
        """Return the descriptor of the file."""
        return self._file.fileno()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _read(self, count: int) -> bytes:
        self._file.seek(self._at)
        chunk = self._file.read(count)
        if not chunk:
            raise OSError("A stored file has become shorter.")
        return chunk
