"""Make a resumable upload that has all its bytes an ordinary pending file."""

from contextlib import suppress

from stratabase.domain.files.blob import BlobNotFound, MultipartUpload
from stratabase.domain.files.pending_file import PendingFile
from stratabase.domain.files.resumable_upload import ResumableUpload
from stratabase.domain.files.stored_file import pending_key
from stratabase.domain.issues.refusals import Unavailable
from stratabase.operations.file_ports import BlobStore, FileStores
from stratabase.operations.ports import Clock


def complete_upload(files: FileStores, clock: Clock, upload: ResumableUpload) -> PendingFile | None:
    """Make an upload that has all its bytes a pending file, and return it. Its hour begins now.

    Every step can be repeated, also by several requests at the same time. Returns None if the upload is being
    removed.
    """
    if not _store_bytes(files.blobs, upload):
        return None
    pending = upload.pending_file(clock.now())
    if not files.ledger.finish(upload, pending):
        found = files.ledger.find(upload.id)
        return found if isinstance(found, PendingFile) else None
    if upload.tail is not None:
        delete_tail(files.blobs, upload.tail.key)
    return pending


def _store_bytes(blobs: BlobStore, upload: ResumableUpload) -> bool:
    """Store the bytes of an upload as those of a pending file. Return False if they are gone."""
    key, size = pending_key(upload.id), upload.file.size
    try:
        if upload.multipart_id is not None:
            blobs.complete_upload(MultipartUpload(key, upload.multipart_id), upload.parts)
        elif upload.tail is not None:
            blobs.copy(upload.tail.key, key, size)
        else:
            blobs.put(key, (), size)
    except BlobNotFound:  # another request may have completed it
        return blobs.size(key) == size
    return True


def delete_tail(blobs: BlobStore, key: str) -> None:
    """Remove a tail that is not needed any more. If this fails, the sweep does it when the upload is gone."""
    with suppress(Unavailable):
        blobs.delete([key])
