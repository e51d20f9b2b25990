"""The file to upload, and the attribute that it is for."""

import mimetypes
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from stratabase.terminal.command_error import CommandError

_UNKNOWN_TYPE = "application/octet-stream"


class LocalFile(NamedTuple):
    """An open file of this machine."""

    path: Path
    stream: BinaryIO
    size: int
    """In bytes, when it was opened."""
    modified: int
    """When it was last modified, in nanoseconds since 1970."""

    @property
    def name(self) -> str:
        """The name of the file. Bytes that are not UTF-8 are replaced."""
        return os.fsencode(self.path.name).decode("utf-8", "replace")

    @property
    def mime_type(self) -> str:
        """The media type, which follows from the extension."""
        return mimetypes.guess_type(self.name)[0] or _UNKNOWN_TYPE

    def read(self, start: int, size: int) -> bytes:
        """Return bytes of the file. Raises CommandError."""
        try:
            self.stream.seek(start)
            content = self.stream.read(size)
        except OSError as error:
            raise CommandError(f"Reading {self.path} failed: {error.strerror}.") from error
        if len(content) < size:
            self.check_unchanged()
        return content

    def check_unchanged(self) -> None:
        """Raise CommandError if the file has changed since it was opened."""
        status = os.fstat(self.stream.fileno())
        if (status.st_size, status.st_mtime_ns) != (self.size, self.modified):
            raise FileChanged(f"{self.path} changed during the upload. Run the command again.")


class FileChanged(CommandError):
    """The file changed during the upload."""


@contextmanager
def open_local_file(path: Path) -> Iterator[LocalFile]:
    """Open a file to upload. Raises CommandError."""
    try:
        # Opening a named pipe would wait for its writer.
        if not stat.S_ISREG(path.stat().st_mode):
            kind = "a folder" if path.is_dir() else "not a regular file"
            raise CommandError(f"{path} is {kind}. Name one file to upload.")
        stream = path.open("rb")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CommandError(f"Opening {path} failed: {reason}.") from error
    with stream:
        status = os.fstat(stream.fileno())
        yield LocalFile(path, stream, status.st_size, status.st_mtime_ns)
