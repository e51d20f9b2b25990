"""The value of a File attribute, and the keys under which the blob store has the bytes."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from stratabase.domain.objects.entity import State
from stratabase.domain.objects.instant import Instant, format_instant, parse_instant
from stratabase.model.stored_values import kept_values
from stratabase.model.types.file import PENDING_ID
from stratabase.model.types.storage import Stored


class StoredFile(NamedTuple):
    """A file of an object: its metadata, as the state of the object has it."""

    file_id: str
    """The ID of the bytes. Versions of an object that have the same file have the same ID."""
    name: str
    mime_type: str
    size: int
    """In bytes."""
    uploaded_on: Instant

    def stored(self) -> Mapping[str, Stored]:
        """Return the value of the attribute in the object's state."""
        return {
            "fileId": self.file_id,
            "name": self.name,
            "mimeType": self.mime_type,
            "size": self.size,
            "uploadedOn": format_instant(self.uploaded_on),
        }

    def reference(self, pending_id: str) -> dict[str, Stored]:
        """Return the PendingFileReference of this file while it is pending, with the date as it is stored."""
        return {PENDING_ID: pending_id, **self.stored()}


def stored_file(value: Any) -> StoredFile | None:
    """Return the file of an attribute's stored value. None for null, and for values of another type."""
    if not isinstance(value, Mapping):
        return None
    uploaded_on = parse_instant(value["uploadedOn"])
    return StoredFile(value["fileId"], value["name"], value["mimeType"], value["size"], uploaded_on)


_PLAIN_TYPES = frozenset({str, int, bool, type(None), list})


def file_ids(state: State) -> Iterator[str]:
    """Yield the IDs of the files that an object's state stores, also those that the model does not show.

    Only File attributes have mappings as values.
    """
    stored = chain(state.values(), (each.stored for each in kept_values(state).values()))
    # Every write looks at all values, and nearly all are plain.
    found = dict.fromkeys(
        value.get("fileId")
        for value in stored
        if value.__class__ not in _PLAIN_TYPES and isinstance(value, Mapping)
    )
    return (file_id for file_id in found if isinstance(file_id, str))


PENDING_PREFIX = "pending/"
"""The prefix of the keys of uploads in the blob store."""


def pending_key(pending_id: str) -> str:
    """Return the key of an upload's bytes, by its pending ID."""
    return f"{PENDING_PREFIX}{pending_id}"


def file_key(file_id: str) -> str:
    """Return the key of the bytes of an object's file."""
    return f"files/{file_id}"
