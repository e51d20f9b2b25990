"""File: a reference to bytes that are stored elsewhere, with their name, type and size."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from stratabase.core.model.types.base import (
    MAPPING_STORAGE,
    AttributeType,
    StorageClass,
    Stored,
    parse_integer,
    parse_text,
)
from stratabase.core.model.types.datetime import DatetimeType
from stratabase.core.model.types.integer import MAX_INT
from stratabase.core.model.types.operators import COUNT_AGGREGATES, EQUALITY_OPERATORS, Aggregate, Operator
from stratabase.values.cel import kinds
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import _, and_list


def _text(value: Any, formats: Formats) -> Stored:
    del formats
    return parse_text(value, "String")


def _size(value: Any, formats: Formats) -> Stored:
    del formats
    size = parse_integer(value)
    if size is None or not 0 <= size <= MAX_INT:
        message = _(
            "{value} is not a file size. Use the number of bytes, from 0 to {maximum}.",
            value=describe_value(value),
            maximum=str(MAX_INT),
        )
        raise InvalidValue(message)
    return size


PENDING_ID = "pendingFileId"
"""The field of a PendingFileReference with the ID of the pending file."""
REFERENCE: Mapping[str, Callable[[Any, Formats], Stored]] = {
    PENDING_ID: _text,
    "fileId": _text,
    "mimeType": _text,
    "name": _text,
    "size": _size,
    "uploadedOn": DatetimeType().read,
}
"""The fields of a PendingFileReference, each with the function that reads it."""


_STORED_FIELDS = REFERENCE.keys() - {PENDING_ID}
"""The fields of a stored file."""


class FileType(AttributeType):
    """Stored as a mapping. Clients send the reference that they got for an upload.

    Files are equal if they have the same bytes, whatever the rest of a reference says. They are ordered by
    name.
    """

    name = "File"
    foreign_names = ("Upload", "Blob", "Binary")
    model_description = (
        "A file: uploaded and downloaded over REST, described here by its name, size and media type."
    )
    kind = kinds.FILE
    operators: ClassVar[frozenset[Operator]] = EQUALITY_OPERATORS
    aggregates: ClassVar[frozenset[Aggregate]] = COUNT_AGGREGATES
    storage: ClassVar[StorageClass] = MAPPING_STORAGE
    holds_file = True
    reading = "File"
    equality_field = "fileId"
    order_field = "name"

    def read(self, value: Any, formats: Formats) -> Stored:
        """Return the reference to a pending file, with all its fields."""
        if not isinstance(value, Mapping) or value.keys() != REFERENCE.keys():
            message = _(
                "The value is not a file reference. Use all fields of the upload response: {fields}.",
                fields=and_list(REFERENCE),
            )
            raise InvalidValue(message)
        return {field: _read(field, value[field], formats) for field in REFERENCE}

    def read_stored(self, raw: Any) -> Stored:
        """Return a stored file. No other type stores mappings."""
        return raw if isinstance(raw, Mapping) and raw.keys() >= _STORED_FIELDS else None

    def value_of(self, text: str) -> Stored:
        """Return None: no file has a text."""
        del text
        return None


def _read(field: str, value: Any, formats: Formats) -> Stored:
    try:
        return REFERENCE[field](value, formats)
    except InvalidValue as refusal:
        message = _("{attribute}: {message}", attribute=field, message=refusal.message)
        raise InvalidValue(message) from None
