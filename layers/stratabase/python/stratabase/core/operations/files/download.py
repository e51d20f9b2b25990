"""Open files for download: of uploads, of objects, and of former versions of objects."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple, Protocol

from stratabase.core.domain.access.grants import access_of
from stratabase.core.domain.access.visibility import readable_refusal
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.blob import BlobNotFound
from stratabase.core.domain.files.pending_file import PendingFile
from stratabase.core.domain.files.resumable_upload import ResumableUpload
from stratabase.core.domain.files.stored_file import StoredFile, file_ids, file_key, pending_key, stored_file
from stratabase.core.domain.issues.refusals import FileNotFound, PendingFileGone, ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import Class
from stratabase.core.operations.context import ReadContext, Services, read_context
from stratabase.core.operations.file_ports import FileStores
from stratabase.core.operations.files.attributes import UploadAddress, find_attribute, find_own, upload_gone
from stratabase.core.operations.files.open_downloads import OpenDownloads
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.versions import VersionReader, get_version
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.messages import _


class ReadBytes(Protocol):
    """Reads a part of a file."""

    def __call__(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Return the bytes from `start` up to `end`.

        Raises FileNotFound or PendingFileGone if the file has just gone. Raises FileLost, Unavailable.
        """


class OpenFile(NamedTuple):
    """A file that the caller may download."""

    file: StoredFile
    modified: Instant
    """When the address got this file."""
    read: ReadBytes
    is_exact: bool = True
    """Whether the second of `modified` identifies the file: no other one has it at this address."""


class FileLost(Exception):
    """The bytes of a file are missing, although an object has it. No client can cause this."""


class FileDownloads:
    """Opens files. An attribute or object that the caller may not read counts as missing."""

    def __init__(self, services: Services, files: FileStores, open_downloads: OpenDownloads) -> None:
        self._services = services
        self._files = files
        self._open_downloads = open_downloads

    def open_pending(self, caller: Caller, class_name: str, attribute: str, pending_id: str) -> OpenFile:
        """Open a pending file of the caller. An administrator may open that of any member.

        Raises as `find_pending`.
        """
        pending = self.find_pending(caller, class_name, attribute, pending_id)
        read = self._counted(caller, pending.file, partial(self._read_pending, pending.id))
        return OpenFile(pending.file, pending.file.uploaded_on, read)

    def find_pending(self, caller: Caller, class_name: str, attribute: str, pending_id: str) -> PendingFile:
        """Return a pending file of the caller. An administrator may see that of any member.

        Class and attribute may be in any case. Raises Unavailable, PendingFileGone for an upload that is not
        complete, and as `find_own`.
        """
        address = UploadAddress(class_name, attribute, pending_id)
        found = find_own(self._services, self._files.ledger, caller, address)
        if isinstance(found, ResumableUpload):
            raise _incomplete(found)
        return found

    def open_bound(
        self, caller: Caller, class_name: str, id_: str, attribute: str, version: Instant | None = None
    ) -> OpenFile:
        """Open the file of an object, or of the version of it that began at an instant.

        Class and attribute may be in any case. Raises FileNotFound, Forbidden, ReadBudgetExceeded,
        Unavailable.
        """
        class_, found = find_attribute(self._services.model, caller, class_name, attribute)
        access, reference = access_of(self._services.model, caller.profile), Reference(class_.name, id_)
        if access is not None and access.read_obstacle(class_.name, found.name) is not None:
            raise _missing(reference, found)
        entity = self._find(caller, class_, reference, version)
        file = None if entity is None else stored_file(entity.state.get(found.name))
        if entity is None or file is None:
            raise _missing(reference, found)

        def read(start: int = 0, end: int | None = None) -> Iterator[bytes]:
            try:
                return self._files.blobs.read(file_key(file.file_id), start, end)
            except BlobNotFound:
                # Unless the object has lost the file since it was read, its bytes should be there.
                again = self._find(caller, class_, reference, version)
                if again is not None and file.file_id in file_ids(again.state):
                    raise FileLost(file.file_id) from None
                raise _missing(reference, found) from None

        if file.bound_on is not None:
            return OpenFile(file, file.bound_on, self._counted(caller, file, read))
        counted = self._counted(caller, file, read)
        return OpenFile(file, max(file.uploaded_on, entity.start or 0), counted, is_exact=False)

    def _counted(self, caller: Caller, file: StoredFile, read: ReadBytes) -> ReadBytes:
        """Return how to read a file as one of the member's open downloads."""

        def counted(start: int = 0, end: int | None = None) -> Iterator[bytes]:
            size = (file.size if end is None else end) - start
            return self._open_downloads.read(caller.id, size, lambda: read(start, end))

        return counted

    def _find(
        self, caller: Caller, class_: Class, reference: Reference, version: Instant | None
    ) -> Entity | None:
        """Return an object, or a version of it, as the caller sees it now."""
        context = read_context(self._services, caller)
        try:
            if version is None:
                return _present(context, reference)
            return _as_of(context, class_, reference, version)
        except ReadBudgetExceeded as refusal:
            raise readable_refusal(context.access, refusal) from None

    def _read_pending(self, pending_id: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        try:
            return self._files.blobs.read(pending_key(pending_id), start, end)
        except BlobNotFound:
            raise upload_gone(pending_id) from None


def _present(context: ReadContext, reference: Reference) -> Entity | None:
    """Return an object as the caller sees it now. A part must belong to its whole."""
    reader = Reader(context)
    entity = reader.get(reference)
    return None if entity is None else next(iter(run(reader.attached([entity]))), None)


def _as_of(context: ReadContext, class_: Class, reference: Reference, start: Instant) -> Entity | None:
    """Return the version of an object that began at an instant, as the caller sees it."""
    if not class_.versioned:
        return None
    version = get_version(context, reference, start)
    if version is None or version.start != start:
        return None
    return VersionReader(context).show(version, start)


def _incomplete(upload: ResumableUpload) -> PendingFileGone:
    message = _(
        "The upload {id} is not complete. It has {offset} of {size} bytes. Continue it first.",
        id=upload.id,
        offset=upload.offset,
        size=upload.file.size,
    )
    return PendingFileGone(message)


def _missing(reference: Reference, attribute: Attribute) -> FileNotFound:
    message = _(
        "The {class_name} {id} has no file in {attribute}.",
        class_name=reference.class_name,
        id=describe_value(reference.id),
        attribute=attribute.name,
    )
    return FileNotFound(message)
