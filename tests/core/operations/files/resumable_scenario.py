"""A service with files, whose members upload in several requests. Parts and chunks are small."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.blob import MultipartUpload, UploadedPart
from stratabase.core.operations.file_ports import BlobStore
from stratabase.core.operations.files import resumable
from stratabase.core.operations.files.attributes import UploadAddress
from stratabase.core.operations.files.resumable import NewUpload, Progress, ResumableUploads
from stratabase.core.operations.files.upload import FileLimits, FileUploads
from stratabase.core.store.engine.port import Engine
from tests.core.operations.files.file_scenario import BEN, FileScenario
from tests.in_memory_blobs import InMemoryBlobs

PART, CHUNK = 50, 40
"""Bytes, in place of 5 MiB and 4 MiB."""
LARGE = FileLimits(file_size=100_000_000, pending_bytes=200_000_000)
NAME = "photo.png"


@contextmanager
def small_parts() -> Iterator[None]:
    """Let parts and chunks be small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resumable, "MIN_PART_SIZE", PART)
        patch.setattr(resumable, "MAX_CHUNK_SIZE", CHUNK)
        yield


class PartBlobs(InMemoryBlobs):
    """A blob store that refuses what S3 refuses: small parts, and parts in the wrong order."""

    def complete_upload(self, upload: MultipartUpload, parts: Iterable[UploadedPart]) -> None:
        parts = list(parts)
        numbers = [part.number for part in parts]
        assert numbers == sorted(set(numbers))
        sizes = [len(self._uploads[upload][number]) for number in numbers] if upload in self._uploads else []
        assert all(size >= PART for size in sizes[:-1])
        super().complete_upload(upload, parts)

    def open_uploads(self) -> int:
        """Return the number of multipart uploads that have bytes, and have not ended."""
        return sum(1 for parts in self._uploads.values() if parts)


class ResumableScenario(FileScenario):
    """A service with files that are uploaded in several requests."""

    def __init__(self, engine: Engine | None = None, blobs: BlobStore | None = None) -> None:
        self.part_blobs = blobs if isinstance(blobs, PartBlobs) else PartBlobs()
        super().__init__(engine, blobs or self.part_blobs)
        self.uploads = FileUploads(self.services, self.files, LARGE)
        self.resumable = ResumableUploads(self.services, self.files, self.uploads)

    def begin(
        self,
        size: int,
        content: bytes = b"",
        attribute: str = "thumbnail",
        *,
        name: str = NAME,
        caller: Caller = BEN,
    ) -> Progress:
        """Begin an upload."""
        target = self.resumable.target(caller, "photo", attribute)
        return self.resumable.create(caller, target, NewUpload(name, "image/png", size, "meta"), content)

    def append(self, id_: str, offset: int, content: bytes, caller: Caller = BEN) -> Progress:
        """Add bytes to an upload."""
        return self.resumable.append(caller, address(id_), offset, content)

    def progress(self, id_: str, caller: Caller = BEN) -> Progress:
        """Return how far an upload is."""
        return self.resumable.progress(caller, address(id_))

    def terminate(self, id_: str, caller: Caller = BEN) -> None:
        """Give up an upload."""
        self.resumable.terminate(caller, address(id_))

    def send(self, content: bytes, chunk: int = CHUNK) -> str:
        """Upload a file in chunks, and return its ID."""
        id_ = self.begin(len(content)).id
        for offset in range(0, len(content), chunk):
            self.append(id_, offset, content[offset : offset + chunk])
        return id_

    def content_of(self, id_: str) -> bytes:
        """Return the bytes of a complete upload."""
        return b"".join(self.downloads.open_pending(BEN, *address(id_)).read())


def address(id_: str, attribute: str = "thumbnail") -> UploadAddress:
    """Return the address of an upload."""
    return UploadAddress("PHOTO", attribute, id_)
