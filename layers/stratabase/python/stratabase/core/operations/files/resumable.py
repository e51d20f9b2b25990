"""Accept a file in several requests. A client can resume its upload after an interruption of either side.

No request locks an upload. Each one reads the offset, stores its bytes under a key or part number that no
other request uses, and then advances the offset if it has not changed. Of two requests at one offset, one
succeeds.
"""

from contextlib import suppress
from typing import NamedTuple

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.blob import MAX_PARTS, MIN_PART_SIZE, BlobNotFound, MultipartUpload
from stratabase.core.domain.files.file_name import clean_file_name
from stratabase.core.domain.files.media_type import stored_media_type
from stratabase.core.domain.files.pending_file import FileTarget, PendingFile
from stratabase.core.domain.files.resumable_upload import (
    MAX_CHUNK_SIZE,
    ResumableUpload,
    Tail,
    tail_key,
)
from stratabase.core.domain.files.stored_file import StoredFile, pending_key
from stratabase.core.domain.issues.refusals import FileTooLarge, OffsetConflict, PendingFileGone, Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.operations.context import Services
from stratabase.core.operations.file_ports import BlobStore, FileStores
from stratabase.core.operations.files.attributes import UploadAddress, find_own, upload_gone
from stratabase.core.operations.files.upload import FileUploads
from stratabase.core.operations.ports import Clock
from stratabase.values.messages import _

_MEBIBYTE = 1024 * 1024


class NewUpload(NamedTuple):
    """What a client says about a file before it sends the bytes."""

    name: str
    """The file name, which may contain a path."""
    mime_type: str
    """The media type, empty if the client named none."""
    size: int
    """In bytes."""
    metadata: str
    """All that the client said, in its own format, to be returned to it."""


class Progress(NamedTuple):
    """How far an upload is."""

    id: str
    """The ID of the pending file that the upload is, or becomes."""
    target: FileTarget
    offset: int
    """How many bytes were received."""
    size: int
    """How many bytes the file has."""
    expires: Instant
    """When the upload expires; the pending file, if the upload is complete."""
    metadata: str = ""
    """What the client said about the file, if `progress` returns this."""


class ResumableUploads:
    """Accepts files in several requests."""

    def __init__(self, services: Services, files: FileStores, uploads: FileUploads) -> None:
        """Take over the rules for all uploads from `uploads`."""
        self._services = services
        self._files = files
        self._uploads = uploads

    @property
    def max_size(self) -> int:
        """The largest file of the instance, in bytes."""
        return self._uploads.max_size

    def target(self, caller: Caller, class_name: str, attribute: str) -> FileTarget:
        """Return the attribute that an address names, if the caller may set it.

        Raises FileNotFound, Forbidden.
        """
        return self._uploads.target(caller, class_name, attribute)

    def create(self, caller: Caller, target: FileTarget, new: NewUpload, content: bytes = b"") -> Progress:
        """Begin an upload, possibly with its first bytes.

        Raises FileTooLarge, FileTypeNotAllowed, TooMuchPending, Unavailable.
        """
        ids, now = self._services.ids, self._services.clock.now()
        media_type = stored_media_type(new.mime_type, content)
        file = StoredFile(ids.new(), clean_file_name(new.name), media_type, new.size, now)
        self._uploads.check(caller, target, file)
        _check_chunk(content, new.size)
        id_ = ids.new()
        # This stores no bytes. If this process stops before the ledger has the ID, the blob store removes the
        # multipart upload when it is seven days old.
        is_small = new.size <= MIN_PART_SIZE
        multipart_id = None if is_small else self._files.blobs.begin_upload(pending_key(id_)).id
        upload = ResumableUpload(
            id_, target, caller.id, file, new.mime_type, new.metadata, multipart_id, last_write=now
        )
        self._uploads.admit(caller, id_, new.size, lambda: self._files.ledger.begin(upload))
        return self._add(caller, upload, content)

    def append(self, caller: Caller, address: UploadAddress, offset: int, content: bytes) -> Progress:
        """Add bytes to an upload at its offset. The last ones complete it.

        Raises OffsetConflict, FileTooLarge, FileTypeNotAllowed, Unavailable, and as `find_own`.
        """
        found = self._find(caller, address)
        present = _progress(found)
        if offset != present.offset:
            raise _conflict(offset)
        _check_chunk(content, present.size - offset)
        return present if isinstance(found, PendingFile) else self._add(caller, found, content)

    def progress(self, caller: Caller, address: UploadAddress) -> Progress:
        """Return how far an upload is. Raises Unavailable, and as `find_own`."""
        found = self._find(caller, address)
        if isinstance(found, ResumableUpload):
            return self._completed(found)._replace(metadata=found.metadata)
        return _progress(found)._replace(metadata=self._files.ledger.metadata(found.id))

    def terminate(self, caller: Caller, address: UploadAddress) -> None:
        """Give up an upload, complete or not. Raises Unavailable, and as `find_own`."""
        self._files.ledger.withdraw(self._find(caller, address).id)

    def _find(self, caller: Caller, address: UploadAddress) -> ResumableUpload | PendingFile:
        return find_own(self._services, self._files.ledger, caller, address)

    def _add(self, caller: Caller, upload: ResumableUpload, content: bytes) -> Progress:
        return self._completed(self._store(caller, upload, content) if content else upload)

    def _completed(self, upload: ResumableUpload) -> Progress:
        """Complete an upload that has all its bytes, and return its progress."""
        if not upload.is_complete:
            return _progress(upload)
        pending = _complete(self._files, self._services.clock, upload)
        if pending is None:
            self._files.ledger.withdraw(upload.id)
            raise upload_gone(upload.id)
        return _progress(pending)

    def _store(self, caller: Caller, upload: ResumableUpload, content: bytes) -> ResumableUpload:
        """Store received bytes, and return the upload with them."""
        try:
            unparted = self._read_tail(upload) + content
            grown = self._grow(caller, upload, unparted, len(content))
            is_enough = grown.is_complete or len(unparted) >= MIN_PART_SIZE
            put = self._put_part if upload.multipart_id is not None and is_enough else self._put_tail
            stored = put(upload, grown, unparted)
        except BlobNotFound:
            raise self._interrupted(upload) from None
        if not self._files.ledger.advance(upload, stored):
            if stored.tail is not None:
                _delete_tail(self._files.blobs, stored.tail.key)
            raise _conflict(upload.offset)
        if upload.tail is not None:
            _delete_tail(self._files.blobs, upload.tail.key)
        return stored

    def _read_tail(self, upload: ResumableUpload) -> bytes:
        return b"" if upload.tail is None else b"".join(self._files.blobs.read(upload.tail.key))

    def _grow(self, caller: Caller, upload: ResumableUpload, unparted: bytes, count: int) -> ResumableUpload:
        """Return an upload with more bytes. Raises FileTypeNotAllowed if they show that the type is wrong."""
        file = upload.file
        if not upload.parts:  # these are the first bytes of the file
            file = file._replace(mime_type=stored_media_type(upload.sent_type, unparted))
            self._uploads.check(caller, upload.target, file)
        now = self._services.clock.now()
        return upload._replace(file=file, offset=upload.offset + count, last_write=now)

    def _put_part(self, before: ResumableUpload, after: ResumableUpload, content: bytes) -> ResumableUpload:
        """Store a part of an upload, and return the upload with it. Raises OffsetConflict, BlobNotFound."""
        if before.next_part > MAX_PARTS:
            self._files.ledger.withdraw(before.id)
            raise PendingFileGone(_("The upload was interrupted too often. Begin a new one."))
        if not self._files.ledger.claim_part(before):
            raise _conflict(before.offset)
        multipart = MultipartUpload(pending_key(before.id), before.multipart_id or "")
        part = self._files.blobs.put_part(multipart, before.next_part, content)
        return after._replace(parts=(*before.parts, part), tail=None)

    def _put_tail(self, before: ResumableUpload, after: ResumableUpload, content: bytes) -> ResumableUpload:
        """Store the bytes that are in no part yet, and return the upload with them."""
        tail = Tail(tail_key(before.id, self._services.ids.new()), len(content))
        self._files.blobs.put(tail.key, (content,), tail.size)
        return after._replace(tail=tail)

    def _interrupted(self, upload: ResumableUpload) -> OffsetConflict | PendingFileGone:
        """Return the refusal when stored bytes of an upload are gone: another request has changed it."""
        found = self._files.ledger.find(upload.id)
        if found is None or _progress(found).offset == upload.offset:
            self._files.ledger.withdraw(upload.id)
            return upload_gone(upload.id)
        return _conflict(upload.offset)


def _complete(files: FileStores, clock: Clock, upload: ResumableUpload) -> PendingFile | None:
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
        _delete_tail(files.blobs, upload.tail.key)
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


def _delete_tail(blobs: BlobStore, key: str) -> None:
    """Remove a tail that is not needed any more. If this fails, the sweep does it when the upload is gone."""
    with suppress(Unavailable):
        blobs.delete([key])


def _progress(upload: ResumableUpload | PendingFile) -> Progress:
    size = upload.file.size
    if isinstance(upload, PendingFile):
        return Progress(upload.id, upload.target, size, size, upload.expires)
    return Progress(upload.id, upload.target, upload.offset, size, upload.expires)


def _check_chunk(content: bytes, left: int) -> None:
    """Raise FileTooLarge for bytes that do not fit in one request, or in the rest of the file."""
    if len(content) > MAX_CHUNK_SIZE:
        message = _(
            "The request has {size} bytes of the file. The maximum is {maximum} MiB in one request. "
            "Send the file in smaller chunks.",
            size=len(content),
            maximum=MAX_CHUNK_SIZE // _MEBIBYTE,
        )
        raise FileTooLarge(message)
    if len(content) > left:
        message = _(
            "The request has {size} bytes of the file, but only {left} bytes are left of its declared size.",
            size=len(content),
            left=left,
        )
        raise FileTooLarge(message)


def _conflict(offset: int) -> OffsetConflict:
    message = _(
        "The upload is not at the offset {offset}. Request its present offset, and continue from there.",
        offset=offset,
    )
    return OffsetConflict(message)
