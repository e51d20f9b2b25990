"""A reference to the bytes of a file, as a check of all files finds it in the store."""

from typing import NamedTuple


class FileReference(NamedTuple):
    """A file that an item of the store refers to."""

    item: tuple[str, str]
    """The key of the item."""
    file_id: str
    size: int | None
    """In bytes. None if the item does not say."""
    owner: str
    """The object or version, for messages."""
    needs_bytes: bool
    """Whether the item is an object or a version, whose file a client can download."""
