"""File: the reference to an upload."""

from typing import Any

import pytest

from stratabase.core.model.types import TYPES
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from tests.models import violations
from tests.rows import each_row

FILE = TYPES["File"]
REFERENCE: dict[str, Any] = {
    "pendingFileId": "p1",
    "fileId": "f1",
    "mimeType": "application/pdf",
    "name": "curriculum.PDF",
    "size": 12,
    "uploadedOn": "31/01/2020 10:00",
}


def test_file_references_are_parsed() -> None:
    """All fields are kept, and the date keeps its stored spelling."""
    stored = FILE.read(REFERENCE, Formats(time_zone="Europe/Rome"))
    assert stored == {**REFERENCE, "uploadedOn": "2020-01-31T09:00:00.000Z"}


@each_row(
    ("changed", "reason"),
    [
        ({"size": -1}, "size: -1 is not a file size"),
        ({"size": "x"}, 'size: "x" is not a file size'),
        ({"size": True}, "size: true is not a file size"),
        ({"name": None}, "name: null is not a valid String"),
        ({"name": "\ud800"}, "name: .*lone surrogate"),
        ({"uploadedOn": "yesterday"}, 'uploadedOn: "yesterday" is not a valid Datetime'),
        ({"link": "x"}, "all fields of the upload response"),
    ],
)
def test_invalid_file_references_are_refused(changed: dict[str, Any], reason: str) -> None:
    """A field that is wrong is named."""
    with pytest.raises(InvalidValue, match=reason):
        FILE.read({**REFERENCE, **changed}, DEFAULT_FORMATS)


@each_row("field", REFERENCE)
def test_a_file_reference_with_a_missing_field_is_refused(field: str) -> None:
    part = {name: value for name, value in REFERENCE.items() if name != field}
    with pytest.raises(InvalidValue, match=field):
        FILE.read(part, DEFAULT_FORMATS)


def test_files_outside_of_their_domain_are_refused() -> None:
    """Extensions whatever their case, and a size."""
    stored = FILE.read(REFERENCE, DEFAULT_FORMATS)
    assert violations("File", stored, extensions=("pdf",), maxSize=12) == []
    wrong = violations("File", stored, extensions=("doc", "odt"), maxSize=11)
    assert [mistake.issue for mistake in wrong] == ["ATTRIBUTE_FILE_TYPE", "ATTRIBUTE_FILE_SIZE"]
    assert wrong[0].message == (
        'The type of the file "curriculum.PDF" is not allowed. Use a file with the extension doc or odt.'
    )
    assert violations("File", {**REFERENCE, "name": "pdf"}, extensions=("pdf",))
