"""`@domain(digits)` counts the decimal places of a number as it is stored."""

from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.model.constraints.decimal_digits import DecimalDigits
from stratabase.core.model.types import TYPES
from stratabase.values.formats.decimals import canonical_decimal
from stratabase.values.formats.preferences import DEFAULT_FORMATS


@given(st.integers(-(10**20), 10**20), st.integers(-60, 60), st.integers(0, 38))
def test_a_number_with_more_decimal_places_than_allowed_is_refused(
    digits: int, exponent: int, most: int
) -> None:
    stored = canonical_decimal(Decimal(digits).scaleb(exponent))
    is_refused = Fraction(stored) * 10**most % 1 != 0
    found = [*DecimalDigits(most).violations(stored, TYPES["Real"], DEFAULT_FORMATS)]
    assert bool(found) == is_refused
