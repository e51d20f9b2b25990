"""The media type that the name of a file suggests."""

from stratabase.core.domain.files import media_type as module
from stratabase.core.domain.files.media_type import UNKNOWN_TYPE, media_type_of_name, stored_media_type
from tests.rows import each_row


@each_row(
    ("name", "type_"),
    [
        ("ada.png", "image/png"),
        ("ADA.JPG", "image/jpeg"),
        ("report.final.pdf", "application/pdf"),
        (".png", "image/png"),
        ("png", ""),
        ("ada.", ""),
        ("", ""),
        ("ada.png ", ""),
        ("ada.exe", ""),
    ],
)
def test_the_extension_says_the_type(name: str, type_: str) -> None:
    assert media_type_of_name(name) == type_


def test_every_type_is_valid_and_checked_against_the_bytes() -> None:
    for type_ in module._TYPES_OF_NAMES.values():
        assert stored_media_type(type_, b"") == type_
    assert stored_media_type(media_type_of_name("page.png"), b"<!doctype html>") == UNKNOWN_TYPE
