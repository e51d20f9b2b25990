"""Decimal numbers have one canonical spelling, however clients send them."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.values.formats.decimals import canonical_decimal, parse_decimal, read_decimal
from stratabase.values.formats.invalid_value import InvalidValue
from tests.rows import each_row


@given(
    st.from_regex(r"[+-]?[0-9]{0,20}\.?[0-9]{0,20}(e[+-]?[0-9]{1,2})?", fullmatch=True)
    | st.integers()
    | st.floats()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.booleans()
)
def test_a_number_is_read_in_its_canonical_spelling(value: Any) -> None:
    try:
        expected = canonical_decimal(parse_decimal(value))
    except InvalidValue:
        with pytest.raises(InvalidValue):
            read_decimal(value)
    else:
        assert read_decimal(value) == expected
        assert Decimal(expected) == Decimal(repr(value) if isinstance(value, float) else value)


@each_row("value", [None, [], {}, b"1", "", "1,5", "\u0661", "1\n"])
def test_anything_else_is_no_number(value: Any) -> None:
    with pytest.raises(InvalidValue):
        read_decimal(value)
