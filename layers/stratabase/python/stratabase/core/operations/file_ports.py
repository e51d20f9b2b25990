"""The interfaces for files: a store of bytes, and the ledger of all files that no object has for certain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from stratabase.core.domain.files.blob import Blob, MultipartUpload, UploadedPart
    from stratabase.core.domain.files.pending_file import PendingFile, ReleasedFile
    from stratabase.core.domain.files.resumable_upload import ResumableUpload
    from stratabase.core.domain.objects.instant import Instant
    from stratabase.core.jobs.job import JobQueue


class BlobStore(Protocol):
    """Bytes under keys.

    Keys are relative paths of ASCII letters, digits, `/`, `-` and `_`. All methods that write are durable
    when they return. A reader sees either all bytes of a write or none. Every method raises Unavailable if
    the store cannot answer, for example if the disk is full.
    """

    def put(self, key: str, content: Iterable[bytes], size: int) -> None:
        """Store bytes, and replace those under the key. `size`: the length of all chunks together.

        Raises ValueError, and stores nothing, if the chunks have another length.
        """

    def copy(self, source: str, target: str, size: int) -> None:
        """Store the bytes of one key under another key too, without reading them. Raises BlobNotFound.

        `size`: that of the source, which may take several steps if it is large.
        """

    def read(self, key: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Return an iterator over the bytes from `start` up to `end`, or to the last one.

        The chunks have at most 256 KiB, and the memory does not grow with the size. Raises BlobNotFound at
        once, not when the first chunk is requested. A caller that stops early closes the iterator.
        """

    def size(self, key: str) -> int | None:
        """Return the number of bytes under a key, None if there are none."""

    def delete(self, keys: Sequence[str]) -> None:
        """Remove the bytes under keys. Keys without bytes are ignored."""

    def erase(self, keys: Sequence[str]) -> None:
        """Remove the bytes under keys for good, with all that the store has kept of them for a recovery."""

    def list(self, prefix: str) -> Iterator[Blob]:
        """Yield the stored bytes whose keys begin with a prefix, ordered by key.

        What is written or deleted meanwhile may be missing or present.
        """

    def begin_upload(self, key: str) -> MultipartUpload:
        """Begin a multipart upload. Its bytes appear under the key when it is complete."""

    def put_part(self, upload: MultipartUpload, number: int, content: bytes) -> UploadedPart:
        """Store a part. `number`: 1 to 10,000; parts follow in the order of their numbers.

        A part with the same number is replaced. Raises BlobNotFound if the upload has ended.
        """

    def complete_upload(self, upload: MultipartUpload, parts: Sequence[UploadedPart]) -> None:
        """Join these parts, in the order of their numbers, and store the bytes under the key.

        Parts that are not named are removed. Raises BlobNotFound if the upload has ended, or if a part has
        been replaced since. Raises ValueError without parts, or with two of one number. After a crash, the
        caller can repeat the call: if it had succeeded, the upload has ended and the bytes are there.
        """

    def abort_upload(self, upload: MultipartUpload) -> None:
        """Remove all parts of an upload. An upload that has ended is ignored."""


class FileLedger(Protocol):
    """The durable list of uploads that no object has yet, and of files that no object has any more.

    An entry is written before any bytes, and deleted after them, or in the commit of the object that takes
    the file. Commits that release a file add an entry (`WritableObjects.commit`). Every method raises
    Unavailable if the store cannot answer. Reads are strongly consistent, except for `pending_sizes`, `due`.
    """

    def add(self, pending: PendingFile) -> None:
        """Add an upload, before its bytes are stored."""

    def pending(self, ids: Sequence[str]) -> list[PendingFile | None]:
        """Return the uploads with these IDs, None for others. Expired uploads may still be there.

        Uploads that are incomplete, or that the sweep is removing, do not count.
        """

    def pending_sizes(self, member_id: str, besides: str, now: Instant) -> Sequence[int]:
        """Return the bytes of each upload of a member that no object has taken yet, incomplete ones too.

        Each counts for 1 KiB at least. Uploads that have expired at `now`, and the one with the ID `besides`,
        do not count.
        """

    def withdraw(self, id_: str) -> None:
        """Make sure that no object can take an upload any more. The sweep removes it. Ignore unknown IDs."""

    @property
    def released(self) -> JobQueue[ReleasedFile]:
        """The queue of what the sweep has to remove: what has expired, was released, or is condemned."""

    def condemn(self, released: ReleasedFile, now: Instant) -> None:
        """Mark an entry so that no object can take its file any more. Its removal is after SWEEP_DELAY.

        Do nothing if an object has taken the file meanwhile, or if the entry is not due at `now`.
        """

    def forget(self, released: ReleasedFile) -> None:
        """Delete the entry of a file whose bytes are removed."""

    def hold(self, until: Instant) -> None:
        """Keep the sweep from removing bytes until an instant, or longer if it is kept from it longer."""

    def is_held(self, now: Instant) -> bool:
        """Return whether the sweep must not remove bytes at an instant."""

    def knows(self, pending_ids: Sequence[str]) -> list[bool]:
        """Return, for each ID of an upload, whether the ledger has an entry for it, in any state."""


class UploadLedger(FileLedger, Protocol):
    """The ledger with what resumable uploads need. Uploads that are not complete have entries too.

    The methods that return a bool return False if the upload has received other bytes meanwhile, is complete,
    or is being removed. If they raise Unavailable, the change may have been made.
    """

    def begin(self, upload: ResumableUpload) -> None:
        """Add an upload that is not complete, before its bytes are stored."""

    def find(self, id_: str) -> ResumableUpload | PendingFile | None:
        """Return an upload, complete or not, by its ID. Expired uploads may still be there."""

    def metadata(self, id_: str) -> str:
        """Return the metadata of a resumable upload, complete or not. Empty for others."""

    def claim_part(self, upload: ResumableUpload) -> bool:
        """Reserve the next part number of an upload for this request. Return whether this succeeded."""

    def advance(self, before: ResumableUpload, after: ResumableUpload) -> bool:
        """Add received bytes to an upload. Return whether this succeeded."""

    def finish(self, upload: ResumableUpload, pending: PendingFile) -> bool:
        """Make a complete upload a pending file. Return whether this succeeded."""


class FileStores:
    """Where files are: their bytes, and the ledger."""

    def __init__(self, open_blobs: Callable[[], BlobStore], ledger: UploadLedger) -> None:
        """`open_blobs` opens the blob store when it is first needed, which takes time."""
        self._open_blobs = open_blobs
        self.ledger = ledger

    @cached_property
    def blobs(self) -> BlobStore:
        """The bytes."""
        return self._open_blobs()
