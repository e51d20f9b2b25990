"""Open files for download: of uploads, of objects, and of former versions of objects."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple, Protocol

from stratabase.domain.access.grants import access_of
from stratabase.domain.files.blob import BlobNotFound
from stratabase.domain.files.pending_file import FileTarget, PendingFile, is_file_id
from stratabase.domain.files.refusals import FileNotFound, PendingFileGone
from stratabase.domain.files.stored_file import StoredFile, file_key, pending_key, stored_file
from stratabase.domain.members.member import Caller
from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.instant import Instant
from stratabase.formats.invalid_value import describe_value
from stratabase.messages import _
from stratabase.model.attribute import Attribute
from stratabase.model.model import Class
from stratabase.operations.context import ReadContext, read_context
from stratabase.operations.file_ports import FileStores
from stratabase.operations.files.attributes import find_attribute
from stratabase.operations.read.batched_reads import run
from stratabase.operations.read.reader import Reader
from stratabase.operations.read.versions import VersionReader, get_version
from stratabase.operations.services import Services


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

    def __init__(self, services: Services, files: FileStores) -> None:
        self._services = services
        self._files = files

    def open_pending(self, caller: Caller, class_name: str, attribute: str, pending_id: str) -> OpenFile:
        """Open a pending file of the caller. An administrator may open that of any member.

        Raises as `find_pending`.
        """
        pending = self.find_pending(caller, class_name, attribute, pending_id)
        return OpenFile(pending.file, partial(self._read_pending, pending.id))

    def find_pending(self, caller: Caller, class_name: str, attribute: str, pending_id: str) -> PendingFile:
        """Return a pending file of the caller. An administrator may see that of any member.

        Class and attribute may be in any case. Raises FileNotFound for an unknown class or attribute, and
        for an ID that is malformed. Raises PendingFileGone for every other ID that does not name a pending
        file of the caller for this attribute.
        """
        class_, found = find_attribute(self._services.model, class_name, attribute)
        if not is_file_id(pending_id):
            raise FileNotFound(_("{id} is not the ID of a pending file.", id=describe_value(pending_id)))
        (pending,) = self._files.ledger.pending([pending_id])
        if (
            pending is None
            or pending.target != FileTarget(class_.name, found.name)
            or not (pending.member_id == caller.id or caller.administrator)
            or not pending.is_pending(self._services.clock.now())
        ):
            raise _gone(pending_id)
        return pending

    def open_bound(
        self, caller: Caller, class_name: str, id_: str, attribute: str, version: Instant | None = None
    ) -> OpenFile:
        """Open the file of an object, or of the version of it that began at an instant.

        Class and attribute may be in any case. Raises FileNotFound, ReadBudgetExceeded, Unavailable.
        """
        class_, found = find_attribute(self._services.model, class_name, attribute)
        access, reference = access_of(self._services.model, caller.profile), Reference(class_.name, id_)
        if access is not None and access.read_obstacle(class_.name, found.name) is not None:
            raise _missing(reference, found)
        context = read_context(self._services, caller)
        entity = (
            _present(context, reference) if version is None else _as_of(context, class_, reference, version)
        )
        file = None if entity is None else stored_file(entity.state.get(found.name))
        if file is None:
            raise _missing(reference, found)
        return OpenFile(file, partial(self._read_bound, reference, found, file.file_id))

    def _read_pending(self, pending_id: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        try:
            return self._files.blobs.read(pending_key(pending_id), start, end)
        except BlobNotFound:
            raise _gone(pending_id) from None

    def _read_bound(
        self, reference: Reference, attribute: Attribute, file_id: str, start: int = 0, end: int | None = None
    ) -> Iterator[bytes]:
        try:
            return self._files.blobs.read(file_key(file_id), start, end)
        except BlobNotFound:  # another request has just replaced the file
            raise _missing(reference, attribute) from None


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


def _gone(pending_id: str) -> PendingFileGone:
    message = _(
        "The pending file {id} does not exist. It may have expired, or an object may have it now.",
        id=describe_value(pending_id),
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
