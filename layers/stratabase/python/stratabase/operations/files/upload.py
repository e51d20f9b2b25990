"""Accept a file for an attribute. It stays pending until an object takes it, for an hour at most."""

from typing import NamedTuple

from stratabase.domain.files.pending_file import FileTarget, PendingFile
from stratabase.domain.members.member import Caller
from stratabase.operations.files.ports import BlobStore, FileLedger
from stratabase.operations.services import Services


class FileLimits(NamedTuple):
    """The limits of an instance, in bytes."""

    file_size: int
    """The largest file."""
    pending_bytes: int
    """The pending files of one member, all together."""


class SentFile(NamedTuple):
    """A file as a client sent it."""

    name: str
    """The file name, which may contain a path."""
    mime_type: str
    """The media type, empty if the client named none."""
    content: bytes


class FileUploads:
    """Accepts files."""

    def __init__(self, services: Services, blobs: BlobStore, ledger: FileLedger, limits: FileLimits) -> None:
        self._services = services
        self._blobs = blobs
        self._ledger = ledger
        self._limits = limits

    def target(self, caller: Caller, class_name: str, attribute: str) -> FileTarget:
        """Return the attribute that an address names, in any case, if the caller may set it.

        Raises FileNotFound, Forbidden.
        """
        raise NotImplementedError

    def upload(self, caller: Caller, target: FileTarget, sent: SentFile) -> PendingFile:
        """Store a file, and return it.

        Raises FileTooLarge, FileTypeNotAllowed, TooMuchPending, Unavailable.
        """
        raise NotImplementedError
