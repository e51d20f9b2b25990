"""Numbers of things in messages."""

from typing import Any

import pytest

from stratabase.domain.issues.refusals import TooMuchRead
from stratabase.domain.objects.commit_refusals import TooLarge
from stratabase.wording import at_most, pluralize
from tests.models import violations


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 objects"), (1, "1 object"), (2, "2 objects"), (1000, "1,000 objects")]
)
def test_one_and_several(number: int, text: str) -> None:
    assert pluralize(number, "object") == text


def test_how_many_are_possible() -> None:
    assert [at_most(1), at_most(1000)] == ["at most 1 is possible", "at most 1,000 are possible"]
    assert str(TooLarge("actions", 2, 1)) == "2 actions: at most 1 is possible"


@pytest.mark.parametrize(
    ("type_", "value", "domain", "text"),
    [
        ("String", "x", {"minLength": 2}, "1 character is too few: give at least 2"),
        ("String", "", {"minLength": 2}, "0 characters are too few: give at least 2"),
        ("String", "x", {"maxLength": 0}, "1 character is too many: give at most 0"),
        ("Real", "1.5", {"digits": 0}, "1.5 has 1 decimal: give at most 0"),
        ("File", {"name": "a.pdf", "size": 1}, {"maxSize": 0}, "1 byte is too many: give at most 0"),
    ],
)
def test_one_is_not_told_as_several(type_: str, value: object, domain: dict[str, Any], text: str) -> None:
    (mistake,) = violations(type_, value, **domain)
    assert mistake.text == text


def test_one_object_was_read() -> None:
    assert "1 object was read, and that is not all" in str(TooMuchRead("Person", 1))
    assert "2 objects were read, and that is not all" in str(TooMuchRead("Person", 2))
