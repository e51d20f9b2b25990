"""An uploaded file that no object has yet, and the ledger entries that account for all bytes in transit."""

import re
from typing import NamedTuple

from stratabase.core.domain.files.stored_file import StoredFile
from stratabase.core.domain.objects.instant import Instant

PENDING_DURATION = 3_600_000
"""Milliseconds after the upload, within which an object can take the file."""
SWEEP_DELAY = 300_000
"""Milliseconds for which the sweep waits, so that writes that have begun can end.

After an upload has expired, a write that began in time can still take it. After the sweep has condemned an
entry, a write that read the entry before can still copy the bytes. Then its commit fails.
"""


_FILE_ID = re.compile(r"[0-9a-v]{26}")


def is_file_id(text: str) -> bool:
    """Return whether a text has the form of the IDs of files. All other texts are IDs of no file."""
    return _FILE_ID.fullmatch(text) is not None


class FileTarget(NamedTuple):
    """The attribute that a file is uploaded for."""

    class_name: str
    attribute: str


class PendingFile(NamedTuple):
    """A file that a member has uploaded for an attribute, and that no object has yet."""

    id: str
    target: FileTarget
    member_id: str
    """The ID of the member who uploaded the file."""
    file: StoredFile

    @property
    def expires(self) -> Instant:
        """The instant from which no object can take the file."""
        return self.file.uploaded_on + PENDING_DURATION

    def is_pending(self, now: Instant) -> bool:
        """Return whether an object can still take the file."""
        return now < self.expires


class ReleasedFile(NamedTuple):
    """Bytes that the sweep removes: an expired upload, or a file that no object refers to any more."""

    ledger_id: str
    """The ID of the ledger entry."""
    pending_id: str | None
    """The ID of the upload, None if the file is not an upload any more."""
    file_id: str
    removal: Instant | None = None
    """The instant from which the sweep may remove the bytes. None while an object can still take the file."""
    multipart_id: str | None = None
    """The ID of the multipart upload, if the upload is not complete."""

    def is_removable(self, now: Instant) -> bool:
        """Return whether the sweep may remove the bytes."""
        return self.removal is not None and self.removal <= now

    def is_waiting(self, now: Instant) -> bool:
        """Return whether the sweep may remove the bytes soon. A later instant is one of a wrong clock."""
        return self.removal is not None and now < self.removal <= now + SWEEP_DELAY
