"""Compare the bytes in the blob store with the files that the objects refer to, and recover lost bytes.

It works while the service runs: what looks wrong is looked at again before it is reported.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

from stratabase.core.domain.files.blob import Blob
from stratabase.core.domain.files.stored_file import PENDING_PREFIX, FileReference, file_key
from stratabase.core.operations.file_ports import BlobStore
from stratabase.core.operations.files.blob_mark import MARK_KEY_OF_FILES


class FileReferences(Protocol):
    """All references to files in the store. Both methods raise Unavailable."""

    def all(self) -> Iterator[FileReference]:
        """Yield all references. This reads the whole store."""

    def still_holds(self, reference: FileReference) -> bool:
        """Return whether an item still has a reference."""


class RecoverableBlobs(BlobStore, Protocol):
    """A blob store that keeps deleted bytes for some time."""

    def recover(self, key: str) -> bool:
        """Bring back the bytes that were last deleted under a key. Return False if they are not kept."""


class MissingFile(NamedTuple):
    """A file without its bytes, or with a part of them."""

    reference: FileReference
    found: int | None
    """The size of the bytes that are there. None if there are none."""
    is_recovered: bool


class FileCheck(NamedTuple):
    """The result of a check."""

    files: int
    """The number of files that objects and versions refer to."""
    missing: tuple[MissingFile, ...]
    unknown: tuple[Blob, ...]
    """Bytes that nothing refers to."""


def check_files(
    references: FileReferences,
    blobs: RecoverableBlobs,
    *,
    recover: bool = False,
    progress: Callable[[int], None] = lambda _count: None,
) -> FileCheck:
    """Return which files lack their bytes, and which bytes nothing refers to. Raises Unavailable.

    `recover`: bring back deleted bytes of missing files. `progress` is called with the number of references
    that were read since the last call. All IDs of files are in memory: about 200 bytes for each.
    """
    # 1. List the bytes first. What is written later is not a candidate for "unknown".
    before = _list(blobs)
    wanted: dict[str, FileReference] = {}
    known: set[str] = set()
    for reference in references.all():
        known.add(reference.file_id)
        if reference.needs_bytes:
            wanted.setdefault(reference.file_id, reference)
        progress(1)
    # 2. Find missing bytes. Ask the store again, because an object may have released its file meanwhile.
    missing = tuple(_missing(wanted, references, blobs, before, recover=recover))
    # 3. Find unknown bytes. A second scan sees files that objects have got during the first one.
    unknown = _unknown(before, known)
    if unknown:
        again = {reference.file_id for reference in references.all()}
        sizes = {key: blobs.size(key) for key in _unknown(unknown, again)}
        unknown = {key: size for key, size in sizes.items() if size is not None}
    return FileCheck(len(wanted), missing, tuple(Blob(*each) for each in unknown.items()))


def _list(blobs: BlobStore) -> dict[str, int]:
    """Return the size of all bytes by key, except for uploads, which the sweep looks after."""
    listed = (blob for blob in blobs.list("") if blob.key != MARK_KEY_OF_FILES)
    return {blob.key: blob.size for blob in listed if not blob.key.startswith(PENDING_PREFIX)}


def _unknown(sizes: Mapping[str, int], file_ids: set[str]) -> dict[str, int]:
    known = {file_key(file_id) for file_id in file_ids}
    return {key: size for key, size in sizes.items() if key not in known}


def _missing(
    wanted: Mapping[str, FileReference],
    references: FileReferences,
    blobs: RecoverableBlobs,
    before: Mapping[str, int],
    *,
    recover: bool,
) -> Iterator[MissingFile]:
    for file_id, reference in wanted.items():
        key = file_key(file_id)
        if before.get(key, -1) == reference.size or (key in before and reference.size is None):
            continue
        found = blobs.size(key)
        if found == reference.size or not references.still_holds(reference):
            continue
        is_recovered = recover and found is None and blobs.recover(key)
        yield MissingFile(reference, found, is_recovered)
