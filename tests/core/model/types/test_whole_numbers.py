"""Int, Year, Serial and Boolean."""

from typing import Any

import pytest

from stratabase.core.model.types import ID_TYPE, TYPES
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import DEFAULT_FORMATS
from tests.rows import each_row


def read(name: str, value: Any) -> Any:
    return TYPES[name].read(value, DEFAULT_FORMATS)


@each_row(
    ("name", "value", "expected"),
    [
        ("Int", 2147483647, 2147483647),
        ("Int", -2147483648, -2147483648),
        ("Int", 3.0, 3),
        ("Int", "-0", 0),
        ("Int", "+12", 12),
        ("Year", 0, 0),
        ("Year", "9999", 9999),
        ("Serial", "9223372036854775807", 9223372036854775807),
        ("Serial", 0, 0),
    ],
)
def test_whole_numbers_are_parsed(name: str, value: Any, expected: int) -> None:
    """Whole numbers of the type's range, as numbers and as text, become ints."""
    number = read(name, value)
    assert number == expected
    assert type(number) is int


@each_row(
    ("name", "value", "right"),
    [
        ("Int", 2147483648, "from -2147483648 to 2147483647"),
        ("Int", -2147483649, "from -2147483648 to 2147483647"),
        ("Int", 3.5, "3.5 is not an Int"),
        ("Int", True, "true is not an Int"),
        ("Int", "", '"" is not an Int'),
        ("Int", "1.0", "whole number"),
        ("Year", -1, "from 0 to 9999"),
        ("Year", 10000, "from 0 to 9999"),
        ("Year", False, "false is not a Year"),
        ("Serial", 2**63, "up to 9223372036854775807"),
        ("Serial", True, "true is not a Serial"),
        ("Boolean", 1, "1 is not a Boolean. Use true or false."),
        ("Boolean", "true", "Use true or false"),
    ],
)
def test_invalid_whole_numbers_are_refused(name: str, value: Any, right: str) -> None:
    """Booleans are not numbers, and numbers are not booleans; the text says what would be right."""
    with pytest.raises(InvalidValue, match=right):
        read(name, value)


@each_row(
    ("name", "stored", "expected"),
    [("Int", 3, 3), ("Year", 2020, 2020), ("Serial", 3, "3"), ("Boolean", True, True)],
)
def test_whole_numbers_are_formatted(name: str, stored: Any, expected: Any) -> None:
    """They are JSON numbers, but a Serial is a text."""
    written = TYPES[name].serializer("default", DEFAULT_FORMATS)(stored)
    assert written == expected
    assert type(written) is type(expected)


def test_ids_are_texts_or_whole_numbers() -> None:
    """An id is a text; a whole number is taken for one, as GraphQL does."""
    assert ID_TYPE.read("a-1", DEFAULT_FORMATS) == "a-1"
    assert ID_TYPE.read(17, DEFAULT_FORMATS) == "17"
    with pytest.raises(InvalidValue, match="true is not a valid ID"):
        ID_TYPE.read(True, DEFAULT_FORMATS)
