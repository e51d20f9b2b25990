"""Copy the bytes of uploads that objects take, before the commit that takes them.

If the commit does not happen, the copies belong to nobody. Then the sweep removes them with the upload.
"""

from collections.abc import Iterable

from stratabase.core.domain.files.blob import BlobNotFound
from stratabase.core.domain.files.pending_file import PendingFile
from stratabase.core.domain.files.stored_file import file_key, pending_key
from stratabase.core.operations.file_ports import BlobStore


class UploadLost(Exception):
    """The bytes of an upload are missing: it was interrupted, or is being removed."""

    def __init__(self, pending_id: str) -> None:
        super().__init__(pending_id)
        self.pending_id = pending_id


def copy_uploads(blobs: BlobStore, uploads: Iterable[PendingFile]) -> None:
    """Copy the bytes of uploads to where the files of objects are. Raises UploadLost, Unavailable."""
    for pending in uploads:
        try:
            blobs.copy(pending_key(pending.id), file_key(pending.file.file_id), pending.file.size)
        except BlobNotFound:
            raise UploadLost(pending.id) from None
