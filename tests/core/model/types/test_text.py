"""String, Text and enums."""

from typing import Any

import pytest

from stratabase.core.model.types import TYPES
from stratabase.core.model.types.enumeration import EnumType
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import DEFAULT_FORMATS
from tests.models import violations
from tests.rows import each_row

COLOUR = EnumType("Colour", ["RED", "GREEN"])


@each_row("name", ["String", "Text"])
@each_row("value", ["", " a ", "\0\x1b\r\n", "e\u0301 é 😀", "\ufeff\u202e"])
def test_texts_are_stored_unchanged(name: str, value: str) -> None:
    """Every character is kept, and nothing is trimmed or normalised."""
    assert TYPES[name].read(value, DEFAULT_FORMATS) == value
    assert TYPES[name].serializer("default", DEFAULT_FORMATS)(value) == value


@each_row(("value", "at"), [("\ud800", 0), ("ab\udc00c", 2), ("😀\udfff", 1)])
def test_surrogates_are_refused(value: str, at: int) -> None:
    """A lone surrogate is refused with its place: no other program could read it."""
    with pytest.raises(InvalidValue, match=f"The character at position {at} is a lone surrogate"):
        TYPES["Text"].read(value, DEFAULT_FORMATS)


@each_row("value", [1, 1.5, True, [], {}])
def test_values_that_are_not_text_are_refused(value: Any) -> None:
    """Nothing else is made into text."""
    with pytest.raises(InvalidValue, match=r"is not a valid String. Use text in double quotes"):
        TYPES["String"].read(value, DEFAULT_FORMATS)


@each_row(
    ("name", "length", "domain", "mistakes"),
    [
        ("String", 255, {}, 0),
        ("String", 256, {}, 1),
        ("String", 256, {"maxLength": 300}, 0),
        ("String", 11, {"maxLength": 10}, 1),
        ("String", 2, {"minLength": 3}, 1),
        ("Text", 100_000, {}, 0),
        ("Text", 11, {"maxLength": 10}, 1),
    ],
)
def test_texts_of_wrong_length_are_refused(
    name: str, length: int, domain: dict[str, Any], mistakes: int
) -> None:
    """Characters count, not bytes; a String has at most 255 unless its domain says otherwise."""
    found = violations(name, "😀" * length, **domain)
    assert [mistake.issue for mistake in found] == ["ATTRIBUTE_STRING_LENGTH"] * mistakes


def test_enum_values_are_accepted_as_listed() -> None:
    """A value of an enum is one of those listed, in their spelling."""
    assert COLOUR.read("GREEN", DEFAULT_FORMATS) == "GREEN"
    for value in ("green", "", 1, None, ["RED"]):
        with pytest.raises(InvalidValue, match=r"is not a value of Colour. Use RED or GREEN."):
            COLOUR.read(value, DEFAULT_FORMATS)
