"""Real: exact, with one canonical form per value."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.model.types import TYPES
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from tests.models import violations
from tests.rows import each_row

REAL = TYPES["Real"]


def read(given: Any) -> Any:
    return REAL.read(given, DEFAULT_FORMATS)


@each_row(
    ("given", "expected"),
    [
        (0, "0"),
        (-0.0, "0"),
        ("-0.000", "0"),
        ("0e999999999", "0"),
        (12, "12"),
        (1200, "1200"),
        (0.1, "0.1"),
        (1e22, "10000000000000000000000"),
        (1e-7, "0.0000001"),
        ("1.50", "1.5"),
        ("+1.5E+1", "15"),
        (".5", "0.5"),
        ("5.", "5"),
        ("007", "7"),
        ("1e37", "1" + "0" * 37),
        ("1e38", "1E+38"),
        ("25e39", "2.5E+40"),
        ("1e-38", "0." + "0" * 37 + "1"),
        ("-1e-39", "-1E-39"),
        ("9" * 38, "9" * 38),
        ("0." + "9" * 38, "0." + "9" * 38),
        ("1e-130", "1E-130"),
        ("9.99e125", "9.99E+125"),
        (10**125, "1E+125"),
        ("1" + "0" * 125, "1E+125"),
    ],
)
def test_real_numbers_are_stored_in_canonical_form(given: Any, expected: str) -> None:
    """A number has one spelling: plain, unless it is very large or very small."""
    assert read(given) == expected


@each_row(
    "given",
    [
        "1" * 39,
        "1." + "1" * 38,
        "1e126",
        "9.99e-131",
        "1e999999999",
        "1e-999999999",
        10**126,
        float("nan"),
        float("inf"),
        "NaN",
        "Infinity",
        "",
        ".",
        "1,5",
        "1_0",
        "\u0661",
        "1e",
        " 1",
        "1\n",
        "0" * 401,
        True,
        None,
    ],
)
def test_invalid_real_numbers_are_refused(given: Any) -> None:
    """A number that cannot be stored exactly is refused, never rounded. The message says what is valid."""
    with pytest.raises(InvalidValue, match=r"is not a Real. Use a decimal number, such as"):
        read(given)


reals = st.builds(
    lambda digits, exponent: Decimal(digits).scaleb(exponent),
    st.integers(-(10**15), 10**15),
    st.integers(-60, 60),
)


def otherwise(number: Decimal, zeros: int, exponent: int) -> str:
    """Return a number in another spelling: with an exponent, and zeros at the end."""
    mantissa = f"{number.scaleb(-exponent):f}"
    return f"{mantissa}{'' if '.' in mantissa else '.'}{'0' * zeros}e{exponent}"


@given(one=reals, zeros=st.integers(0, 10), exponent=st.integers(-10, 10))
def test_equal_numbers_have_one_canonical_form(one: Decimal, zeros: int, exponent: int) -> None:
    """However a number is written, it is stored as the same text, which means that number."""
    stored = read(str(one))
    assert read(otherwise(one, zeros, exponent)) == stored
    assert Decimal(stored) == one
    assert read(stored) == stored


@given(one=reals, other=reals)
def test_real_numbers_are_ordered_by_value(one: Decimal, other: Decimal) -> None:
    """Ranks compare as the numbers do."""
    ranks = REAL.sort_key(read(str(one))), REAL.sort_key(read(str(other)))
    assert (ranks[0] < ranks[1], ranks[0] == ranks[1]) == (one < other, one == other)


@given(
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e100, max_value=1e100).filter(
        lambda x: abs(x) > 1e-100
    )
)
def test_a_float_is_read_as_its_shortest_decimal(number: float) -> None:
    """A JSON number means the shortest decimal that reads as it."""
    assert float(read(number)) == number


@each_row(
    ("pattern", "language", "stored", "expected"),
    [
        ("default", "it", "1234567.5", "1234567.5"),
        ("default", "en", "2.5E+40", "2.5E+40"),
        ("#,##0.00", "en", "1234567.5", "1,234,567.50"),
        ("#,##0.00", "it", "1234567.5", "1.234.567,50"),
        ("0", "en", "2.5E+40", "25" + "0" * 39),
        ("0.0%", "en", "0.125", "12.5%"),
    ],
)
def test_real_numbers_are_formatted(pattern: str, language: str, stored: str, expected: str) -> None:
    """A number is formatted as it is stored, or by a Java pattern in the member's language."""
    assert REAL.serializer(pattern, Formats(language=language))(stored) == expected


def test_an_invalid_number_pattern_is_refused() -> None:
    """A pattern that Java would refuse is refused."""
    with pytest.raises(InvalidValue, match="is not a valid number pattern"):
        REAL.serializer("0..0", DEFAULT_FORMATS)


def test_real_numbers_outside_of_their_domain_are_refused() -> None:
    """Bounds compare as numbers, and decimals are counted without zeros at the end."""
    domain: dict[str, Any] = {"min": "-2", "max": "10", "digits": 2}
    assert violations("Real", "9.25", **domain) == []
    (high,) = violations("Real", "11", **domain)
    assert (high.issue, high.message) == ("ATTRIBUTE_RANGE", "11 is too high. Use a value from -2 to 10.")
    low, digits = violations("Real", "-2.001", **domain)
    assert low.issue == "ATTRIBUTE_RANGE"
    assert (digits.issue, digits.message) == (
        "ATTRIBUTE_REAL_DECIMAL_DIGITS",
        "-2.001 has 3 decimal places. The maximum is 2.",
    )
    assert violations("Real", "1E+40", digits=0) == []
