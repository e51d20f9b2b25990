"""File: bytes that are kept elsewhere; an attribute holds what is known of them."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from stratabase.expressions import kinds
from stratabase.formats.invalid_value import InvalidValue, describe_value
from stratabase.formats.preferences import Formats
from stratabase.model.types.base import AttributeType, parse_integer, parse_text
from stratabase.model.types.datetime import DatetimeType
from stratabase.model.types.integer import MAX_INT
from stratabase.model.types.operators import EQUALITY_OPERATORS, Operator
from stratabase.model.types.storage import MAPPING_STORAGE, StorageClass, Stored


def _text(given: Any, formats: Formats) -> Stored:
    del formats
    return parse_text(given, "a String")


def _size(given: Any, formats: Formats) -> Stored:
    del formats
    size = parse_integer(given)
    if size is None or not 0 <= size <= MAX_INT:
        raise InvalidValue(
            f"{describe_value(given)} is not a size: give the number of bytes, from 0 to {MAX_INT}"
        )
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
    kind = kinds.FILE
    operators: ClassVar[frozenset[Operator]] = EQUALITY_OPERATORS
    storage: ClassVar[StorageClass] = MAPPING_STORAGE
    sortable = False

    def read(self, given: Any, formats: Formats) -> Stored:
        """Return the reference to a pending file, all of whose fields are there."""
        if not isinstance(given, Mapping) or given.keys() != REFERENCE.keys():
            raise InvalidValue(f"not a file: give all that the upload answered ({', '.join(REFERENCE)})")
        return {field: _read(field, given[field], formats) for field in REFERENCE}


def _read(field: str, given: Any, formats: Formats) -> Stored:
    try:
        return REFERENCE[field](given, formats)
    except InvalidValue as refusal:
        raise InvalidValue(f"{field}: {refusal}") from None
