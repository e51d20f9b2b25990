"""Bounds and values of ordered types."""

from typing import Any

from stratabase.core.model.types import TYPES
from tests.models import violations
from tests.rows import each_row

INT = TYPES["Int"]


@each_row(
    ("value", "domain", "text"),
    [
        (1, {"min": "2"}, "1 is too low. The minimum is 2."),
        (3, {"max": "2"}, "3 is too high. The maximum is 2."),
        (9, {"min": "-10", "max": "8"}, "9 is too high. Use a value from -10 to 8."),
        (2, {"values": ("1", "3")}, "2 is not allowed. Use 1 or 3."),
        (-1, {"min": "0"}, "-1 is too low. The minimum is 0."),
    ],
)
def test_values_out_of_range_are_refused(value: int, domain: dict[str, Any], text: str) -> None:
    """The text says what would be right; a bound of 0 is a bound."""
    (mistake,) = violations("Int", value, **domain)
    assert (mistake.issue, mistake.message) == ("ATTRIBUTE_RANGE", text)


@each_row("value", [-10, 0, 8])
def test_values_within_the_range_are_accepted(value: int) -> None:
    """The bounds themselves are in the range."""
    assert violations("Int", value, min="-10", max="8") == []


def test_every_violation_is_reported() -> None:
    assert len(violations("Int", 9, max="8", values=("1",))) == 2
