"""An in-memory blob store."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count

from stratabase.core.domain.files.blob import Blob, BlobNotFound, MultipartUpload, UploadedPart


class InMemoryBlobs:
    """A blob store that follows the port.

    `before` is called with the name of each method before it acts. It is called again before bytes
    appear under a key: between the reading of a source and the writing of its copy, others may delete both.
    """

    def __init__(self, before: Callable[[str], None] = lambda _method: None) -> None:
        self.stored: dict[str, bytes] = {}
        self.before = before
        self._uploads: dict[MultipartUpload, dict[int, bytes]] = {}
        self._numbers = count(1)

    def put(self, key: str, content: Iterable[bytes], size: int) -> None:
        self.before("put")
        data = b"".join(content)
        assert len(data) == size
        self.before("put the whole")
        self.stored[key] = data

    def copy(self, source: str, target: str, size: int) -> None:
        self.before("copy")
        data = self._bytes(source)
        assert len(data) == size
        self.before("put the copy")
        self.stored[target] = data

    def read(self, key: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        self.before("read")
        return iter([self._bytes(key)[start:end]])

    def size(self, key: str) -> int | None:
        return len(self.stored[key]) if key in self.stored else None

    def delete(self, keys: Sequence[str]) -> None:
        for key in keys:
            self.before("delete")
            self.stored.pop(key, None)

    def erase(self, keys: Sequence[str]) -> None:
        self.delete(keys)

    def list(self, prefix: str) -> Iterator[Blob]:
        self.before("list")
        stored = dict(self.stored)
        return (Blob(key, len(stored[key])) for key in sorted(stored) if key.startswith(prefix))

    def begin_upload(self, key: str) -> MultipartUpload:
        self.before("begin_upload")
        upload = MultipartUpload(key, f"u{next(self._numbers)}")
        self._uploads[upload] = {}
        return upload

    def put_part(self, upload: MultipartUpload, number: int, content: bytes) -> UploadedPart:
        self.before("put_part")
        if upload not in self._uploads:
            raise BlobNotFound(upload.key)
        self._uploads[upload][number] = content
        return UploadedPart(number, str(hash(content)))

    def complete_upload(self, upload: MultipartUpload, parts: Sequence[UploadedPart]) -> None:
        self.before("complete_upload")
        if upload not in self._uploads:
            raise BlobNotFound(upload.key)
        stored = self._uploads.pop(upload)
        assert all(str(hash(stored[part.number])) == part.token for part in parts)
        self.stored[upload.key] = b"".join(stored[part.number] for part in parts)

    def abort_upload(self, upload: MultipartUpload) -> None:
        self.before("abort_upload")
        self._uploads.pop(upload, None)

    def _bytes(self, key: str) -> bytes:
        if key not in self.stored:
            raise BlobNotFound(key)
        return self.stored[key]
