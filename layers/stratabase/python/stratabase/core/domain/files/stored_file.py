"""The value of a File attribute, and the keys under which the blob store has the bytes."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from stratabase.core.domain.objects.entity import State
from stratabase.core.domain.objects.instant import Instant, format_instant, parse_instant
from stratabase.core.model.attribute import KEPT, kept_values
from stratabase.core.model.types.base import Stored
from stratabase.core.model.types.file import PENDING_ID


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


_BOUND_ON = "boundOn"
_SECOND = 1000


class StoredFile(NamedTuple):
    """A file of an object: its metadata, as the state of the object has it."""

    file_id: str
    """The ID of the bytes. Versions of an object that have the same file have the same ID."""
    name: str
    mime_type: str
    size: int
    """In bytes."""
    uploaded_on: Instant
    bound_on: Instant | None = None
    """When the object took the file. None while it is pending, and for files of an earlier layout.

    No other file of the same attribute has an instant within the same second, because HTTP identifies files
    by the second.
    """

    def stored(self) -> Mapping[str, Stored]:
        """Return the value of the attribute in the object's state."""
        value: dict[str, Stored] = {
            "fileId": self.file_id,
            "name": self.name,
            "mimeType": self.mime_type,
            "size": self.size,
            "uploadedOn": format_instant(self.uploaded_on),
        }
        return value if self.bound_on is None else {**value, _BOUND_ON: format_instant(self.bound_on)}

    def bound(self, now: Instant, replaced: "StoredFile | None") -> "StoredFile":
        """Return this file as an object takes it now, possibly in place of another one."""
        if replaced is None:
            return self._replace(bound_on=now)
        last = max(replaced.uploaded_on, replaced.bound_on or 0)
        return self._replace(bound_on=max(now, (last // _SECOND + 1) * _SECOND))

    def reference(self, pending_id: str) -> dict[str, Stored]:
        """Return the PendingFileReference of this file while it is pending, with the date as it is stored."""
        return {PENDING_ID: pending_id, **self.stored()}


def stored_file(value: Any) -> StoredFile | None:
    """Return the file of an attribute's stored value. None for null, and for values of another type."""
    if not isinstance(value, Mapping):
        return None
    uploaded_on = parse_instant(value["uploadedOn"])
    bound_on = parse_instant(value[_BOUND_ON]) if _BOUND_ON in value else None
    return StoredFile(value["fileId"], value["name"], value["mimeType"], value["size"], uploaded_on, bound_on)


def shown_file(value: Mapping[str, Stored]) -> Mapping[str, Stored]:
    """Return what answers show of an attribute's stored value."""
    return {name: each for name, each in value.items() if name != _BOUND_ON}


_PLAIN_TYPES = frozenset({str, int, bool, type(None), list})


def file_ids(state: State) -> list[str]:
    """Return the IDs of the files that an object's state stores, also those that the model does not show.

    Only File attributes have mappings as values.
    """
    # Every write looks at all values, and nearly all are plain.
    others = [value for value in state.values() if value.__class__ not in _PLAIN_TYPES]
    if KEPT in state:
        others += [each.stored for each in kept_values(state).values()]
    found = dict.fromkeys([value.get("fileId") for value in others if isinstance(value, Mapping)])
    return [file_id for file_id in found if isinstance(file_id, str)]


PENDING_PREFIX = "pending/"
"""The prefix of the keys of uploads in the blob store."""


def pending_key(pending_id: str) -> str:
    """Return the key of an upload's bytes, by its pending ID."""
    return f"{PENDING_PREFIX}{pending_id}"


def file_key(file_id: str) -> str:
    """Return the key of the bytes of an object's file."""
    return f"files/{file_id}"
