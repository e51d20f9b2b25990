"""Downloads of files in memory, which record their calls and their readers."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.stored_file import StoredFile
from stratabase.core.domain.issues.refusals import FileNotFound, PendingFileGone, Refusal
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.operations.files.download import OpenFile
from stratabase.values.messages import verbatim

PHOTO = StoredFile("f1", "Perché.jpg", "image/jpeg", 10, 1788343200999)
CONTENT = b"0123456789"


@dataclass
class Reader:
    """The bytes of a file in chunks of 4 bytes. It raises `failure` in place of the last chunk."""

    content: bytes
    failure: Exception | None = None
    position: int = 0
    closed: bool = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        assert not self.closed
        chunk = self.content[self.position : self.position + 4]
        self.position += 4
        if self.failure is not None and self.position >= len(self.content):
            raise self.failure
        if not chunk:
            raise StopIteration
        return chunk

    def close(self) -> None:
        self.closed = True


@dataclass
class FakeDownloads:
    """Every address has the same file, or the same refusal."""

    file: StoredFile = PHOTO
    content: bytes = CONTENT
    refusal: Refusal | None = None
    failure: Exception | None = None
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    readers: list[Reader] = field(default_factory=list)

    def open_pending(self, caller: Caller, class_name: str, attribute: str, pending_id: str) -> OpenFile:
        self.calls.append((caller.username, class_name, attribute, pending_id))
        return self._open()

    def open_bound(
        self, caller: Caller, class_name: str, id_: str, attribute: str, version: Instant | None = None
    ) -> OpenFile:
        self.calls.append((caller.username, class_name, id_, attribute, version))
        return self._open()

    def hold(self, content: bytes, **metadata: Any) -> None:
        """Replace the file."""
        self.content = content
        self.file = self.file._replace(size=len(content), **metadata)

    def _open(self) -> OpenFile:
        if self.refusal is not None:
            raise self.refusal
        return OpenFile(self.file, self.file.uploaded_on, self._read)

    def _read(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        self.readers.append(Reader(self.content[start:end], self.failure))
        return self.readers[-1]


def not_found() -> FileNotFound:
    return FileNotFound(verbatim("There is no such file."))


def gone() -> PendingFileGone:
    return PendingFileGone(verbatim("The file is not pending."))
