"""Open files for download: of uploads, of objects, and of former versions of objects."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from stratabase.domain.files.stored_file import StoredFile
from stratabase.domain.members.member import Caller
from stratabase.domain.objects.instant import Instant


class ReadBytes(Protocol):
    """Reads a part of a file."""

    def __call__(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Return the bytes from `start` up to `end`. Raises FileNotFound at once, Unavailable."""


class OpenFile(NamedTuple):
    """A file that the caller may download."""

    file: StoredFile
    read: ReadBytes


class FileDownloads:
    """Opens files. An attribute or object that the caller may not read counts as missing."""

    def open_pending(self, caller: Caller, class_name: str, attribute: str, pending_id: str) -> OpenFile:
        """Open a pending file of the caller. An administrator may open that of any member.

        Class and attribute may be in any case. Raises FileNotFound for an unknown class or attribute, and
        for an ID that is malformed. Raises PendingFileGone for every other ID that does not name a pending
        file of the caller for this attribute.
        """
        raise NotImplementedError

    def open_bound(
        self, caller: Caller, class_name: str, id_: str, attribute: str, version: Instant | None = None
    ) -> OpenFile:
        """Open the file of an object, or of the version of it that began at an instant.

        Class and attribute may be in any case. Raises FileNotFound, ReadBudgetExceeded, Unavailable.
        """
        raise NotImplementedError
