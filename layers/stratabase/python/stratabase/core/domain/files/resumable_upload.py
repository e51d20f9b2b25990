"""A file that a client uploads in several requests, and can resume after an interruption."""

from typing import NamedTuple

from stratabase.core.domain.files.blob import UploadedPart
from stratabase.core.domain.files.pending_file import FileTarget, PendingFile
from stratabase.core.domain.files.stored_file import StoredFile, pending_key
from stratabase.core.domain.objects.instant import Instant

MAX_CHUNK_SIZE = 4 * 1024 * 1024
"""Bytes. The maximum size of one chunk, because Lambda limits the size of a request."""
MAX_IDLE_DURATION = 24 * 3_600_000
"""Milliseconds after which an upload expires that gets no bytes."""
MAX_UPLOAD_DURATION = 6 * 24 * 3_600_000
"""Milliseconds after which an upload expires. Seven days after its beginning, S3 removes its parts."""


class Tail(NamedTuple):
    """The received bytes that are in no part yet, because parts have a minimum size."""

    key: str
    """The key in the blob store."""
    size: int


class ResumableUpload(NamedTuple):
    """An upload that is not complete. The bytes received so far are those of the parts, then the tail."""

    id: str
    """The ID of the pending file that the upload becomes."""
    target: FileTarget
    member_id: str
    """The ID of the member who uploads the file."""
    file: StoredFile
    """What is known of the file. Its size is the declared one, and its date that of the beginning."""
    sent_type: str
    """The media type as the client sent it."""
    metadata: str
    """The metadata as the client sent them (the header Upload-Metadata)."""
    multipart_id: str | None
    """The ID of the multipart upload, None for a file so small that it needs no parts."""
    last_write: Instant
    """When the last bytes were received, or when the upload began."""
    offset: int = 0
    """How many bytes were received."""
    next_part: int = 1
    """The next free part number. Each attempt gets a new one, so that none replaces the part of another."""
    parts: tuple[UploadedPart, ...] = ()
    tail: Tail | None = None

    @property
    def expires(self) -> Instant:
        """The instant from which the upload cannot be continued."""
        return min(self.file.uploaded_on + MAX_UPLOAD_DURATION, self.last_write + MAX_IDLE_DURATION)

    @property
    def is_complete(self) -> bool:
        """Whether all bytes were received. The upload is about to become a pending file."""
        return self.offset == self.file.size

    def pending_file(self, now: Instant) -> PendingFile:
        """Return the pending file that a complete upload becomes. Its hour begins now."""
        return PendingFile(self.id, self.target, self.member_id, self.file._replace(uploaded_on=now))


def tail_key(upload_id: str, tail_id: str) -> str:
    """Return the key of a tail. It is not below the key of the upload, which has bytes itself later."""
    return f"{pending_key(upload_id)}-{tail_id}"


def upload_id_of(name: str) -> str:
    """Return the ID of the upload that bytes belong to, by their key without its prefix."""
    return name.partition("-")[0]
