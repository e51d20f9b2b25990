"""File: bytes that are kept elsewhere; an attribute holds what is known of them."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from stratabase.model.attribute import Domain, Stored
from stratabase.model.formats import Formats
from stratabase.model.malformed import Malformed, shown
from stratabase.model.operator import EQUALITY, Operator
from stratabase.model.types.base import AttributeType, DomainMistake
from stratabase.model.types.datetime import DatetimeType
from stratabase.model.types.integer import LARGEST
from stratabase.model.types.rules.files import files_mistakes
from stratabase.model.types.storage import MAPPING, Storage
from stratabase.model.types.text import text
from stratabase.model.types.whole import whole


def _text(given: Any, formats: Formats) -> Stored:
    del formats
    return text(given, "a String")


def _size(given: Any, formats: Formats) -> Stored:
    del formats
    size = whole(given)
    if size is None or not 0 <= size <= LARGEST:
        raise Malformed(f"{shown(given)} is not a size: give the number of bytes, from 0 to {LARGEST}")
    return size


REFERENCE: Mapping[str, Callable[[Any, Formats], Stored]] = {
    "pendingFileId": _text,
    "fileId": _text,
    "mimeType": _text,
    "name": _text,
    "size": _size,
    "uploadedOn": DatetimeType().read,
}
"""The fields of a PendingFileReference, and how each is read."""


class FileType(AttributeType):
    """Stored as a mapping; a client gives the reference that it got for an upload."""

    name = "File"
    operators: ClassVar[frozenset[Operator]] = EQUALITY
    storage: ClassVar[Storage] = MAPPING
    sortable = False

    def read(self, given: Any, formats: Formats) -> Stored:
        """Return the reference to a pending file, all of whose fields are there."""
        if not isinstance(given, Mapping) or given.keys() != REFERENCE.keys():
            raise Malformed(f"not a file: give all that the upload answered ({', '.join(REFERENCE)})")
        return {field: _read(field, given[field], formats) for field in REFERENCE}

    def domain_mistakes(
        self, stored: Any, domain: Domain, formats: Formats | None = None
    ) -> list[DomainMistake]:
        """Return whether the file's name or size is one that `@file` does not admit."""
        del formats
        return list(files_mistakes(stored, domain))


def _read(field: str, given: Any, formats: Formats) -> Stored:
    try:
        return REFERENCE[field](given, formats)
    except Malformed as refusal:
        raise Malformed(f"{field}: {refusal}") from None
