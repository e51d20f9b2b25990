"""Reads and writes files of the folder, complete ones and those that are not complete yet.

Errors of the disk become Unavailable. When a process has been killed, another one removes what it left.
"""

import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from io import FileIO
from pathlib import Path
from typing import TypeVar

from stratabase.core import waiting
from stratabase.core.domain.files.blob import CHUNK_SIZE
from stratabase.core.domain.issues.refusals import StoreFull, store_unavailable
from stratabase.core.local_files import LockTimeout, is_disk_full, lock_file

T = TypeVar("T")


def on_disk(work: Callable[..., T], *arguments: object) -> T:
    """Return the result of a function that uses the disk, while other requests run. Raises Unavailable."""
    try:
        return waiting.offload(work, *arguments)
    except OSError as error:
        if is_disk_full(error):
            raise StoreFull(error.filename or "The folder of files") from error
        # The error has paths of this machine, so it is the cause, which the log shows.
        raise store_unavailable() from error


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


LOCK_TIMEOUT = 5.0
"""The seconds to wait while another process opens its folder."""
_LOCK = "lock"


class TemporaryFolder:
    """A folder of one process for files that it has not completed.

    The process holds a file lock in the folder. The operating system releases the lock when the process ends,
    even if it is killed. Process IDs would not do: they are used again, and differ between containers.
    """

    def __init__(self, parent: Path) -> None:
        """Create a folder in `parent`, and remove those of processes that have ended.

        Raises OSError, LockTimeout.
        """
        parent.mkdir(mode=0o700, exist_ok=True)
        self._lock = ExitStack()
        # This lock keeps others from removing the new folder before it is locked.
        with lock_file(parent / _LOCK, LOCK_TIMEOUT):
            _remove_abandoned(parent)
            self._path = parent / secrets.token_hex(16)
            self._path.mkdir(mode=0o700)
            self._lock.enter_context(lock_file(self._path / _LOCK, 0))

    @contextmanager
    def new_path(self) -> Iterator[Path]:
        """Yield a path for a new file or folder. Remove a file that is still there at the end."""
        path = self._path / secrets.token_hex(16)
        try:
            yield path
        finally:
            # What cannot be removed now is removed with the folder.
            with suppress(OSError):
                path.unlink()

    def remove_folder(self, folder: Path) -> None:
        """Remove a folder on the same disk with its content. Nobody sees it half removed.

        Raises OSError; FileNotFoundError if the folder does not exist.
        """
        removed = self._path / secrets.token_hex(16)
        folder.rename(removed)
        shutil.rmtree(removed, ignore_errors=True)

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self._path, ignore_errors=True)
        self._lock.close()


def has_live_folder(parent: Path) -> bool:
    """Return whether a process uses a temporary folder in `parent`."""
    for folder in parent.iterdir() if parent.is_dir() else ():
        if folder.is_dir():
            try:
                with lock_file(folder / _LOCK, 0):
                    pass
            except LockTimeout:
                return True
            except FileNotFoundError:  # the process has just ended
                continue
    return False


def _remove_abandoned(parent: Path) -> None:
    for folder in parent.iterdir():
        if folder.is_dir():
            # A process that closes its folder removes it at the same time.
            with suppress(LockTimeout, FileNotFoundError):
                with lock_file(folder / _LOCK, 0):
                    pass
                shutil.rmtree(folder)
