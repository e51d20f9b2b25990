"""Bounds and values of ordered types."""

import pytest

from stratabase.model.attribute import Domain
from stratabase.model.types import TYPES
from stratabase.model.types.base import Breach

INT = TYPES["Int"]


@pytest.mark.parametrize(
    ("value", "domain", "text"),
    [
        (1, Domain(minimum=2), "1 is too low: give 2 at least"),
        (3, Domain(maximum=2), "3 is too high: give 2 at most"),
        (9, Domain(minimum=-10, maximum=8), "9 is too high: give -10 to 8"),
        (2, Domain(values=(1, 3)), "2 is none of the values: give 1 or 3"),
        (-1, Domain(minimum=0), "-1 is too low: give 0 at least"),
    ],
)
def test_out_of_bounds(value: int, domain: Domain, text: str) -> None:
    """The text says what would be right; a bound of 0 is a bound."""
    (mistake,) = INT.domain_mistakes(value, domain)
    assert (mistake.breach, mistake.text) == (Breach.RANGE, text)


@pytest.mark.parametrize("value", [-10, 0, 8])
def test_within(value: int) -> None:
    """Bounds belong to what is admitted."""
    assert INT.domain_mistakes(value, Domain(minimum=-10, maximum=8)) == []


def test_every_mistake_is_told() -> None:
    """Each rule that is broken is named."""
    assert len(INT.domain_mistakes(9, Domain(maximum=8, values=(1,)))) == 2
