"""The mark of a store of files, which is a small file below `meta/`."""

from stratabase.core.domain.files.blob import BlobNotFound
from stratabase.core.domain.store_mark import StoreMark, parse_mark
from stratabase.core.operations.file_ports import BlobStore

MARK_KEY_OF_FILES = "meta/mark"
"""The key of the mark. The policies of the functions name it."""


class BlobMark:
    """The mark of a blob store. Implements the port MarkStore.

    Blob stores have no conditional writes. Of two concurrent writes, the last one counts, and the other
    process finds a foreign mark when it checks the store again.
    """

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    @property
    def content(self) -> BlobStore:
        """The store itself."""
        return self._blobs

    def read_mark(self) -> StoreMark | None:
        """Return the mark, None if the store has none. Raises Unavailable."""
        try:
            return parse_mark(b"".join(self._blobs.read(MARK_KEY_OF_FILES)).decode())
        except BlobNotFound:
            return None

    def is_new(self) -> bool:
        """Return whether the store is empty. Raises Unavailable."""
        return next(iter(self._blobs.list("")), None) is None

    def write_mark(self, mark: StoreMark, before: StoreMark | None) -> bool:
        """Write a mark if the current one is `before`. Return whether it was. Raises Unavailable."""
        if self.read_mark() != before:
            return False
        content = mark.text().encode()
        self._blobs.put(MARK_KEY_OF_FILES, [content], len(content))
        return self.read_mark() == mark
