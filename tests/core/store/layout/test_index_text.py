"""Texts of index values are ordered like the values."""

from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.model.types import TYPES
from stratabase.core.model.types.base import integer_text, number_text
from stratabase.core.store.layout.access_path import (
    ABOVE_NOT_NULL,
    NOT_NULL,
    VALUE_END,
    first_values,
    is_truncated,
    not_null_text,
    prefix_end,
    read_values,
    truncate,
    value_text,
    values_text,
)
from stratabase.values.formats.preferences import DEFAULT_FORMATS
from tests.rows import each_row

texts = st.text(
    st.sampled_from("\0\x01\x02\x03\x04 ./aA~\x7f\x80\ud7ff\ue000\uffff\U00010000\U0010ffff")
    | st.characters(exclude_categories=["Cs"]),
    max_size=6,
)
numbers = st.decimals(allow_nan=False, allow_infinity=False, places=3) | st.builds(
    lambda digits, exponent, sign: Decimal((sign, tuple(map(int, str(digits))), exponent)),
    st.integers(0, 10**38 - 1),
    st.integers(-130, 88),
    st.integers(0, 1),
)
rows = st.lists(st.none() | texts, min_size=3, max_size=3)
long_texts = st.builds(
    lambda character, count, rest: character * count + rest,
    st.sampled_from("aé\u20ac\U0001f600\0"),
    st.integers(210, 910),
    st.text("aé\u20ac\U0001f600\0", max_size=5),
)


def sign(left: Any, right: Any) -> int:
    """Return -1, 0 or 1 as `left` is below, equal to or above `right`."""
    return int(left > right) - int(left < right)


def as_bytes(left: str, right: str) -> int:
    """Return the same for texts, as engines compare them."""
    return sign(left.encode(), right.encode())


def meaning(row: list[str | None]) -> list[Any]:
    """Return something that Python orders as the API does: null first, texts by code point."""
    return [(value is not None, value or "") for value in row]


@pytest.mark.soak
@given(numbers, numbers)
def test_texts_of_numbers_are_in_order(left: Decimal, right: Decimal) -> None:
    assert as_bytes(number_text(left), number_text(right)) == sign(left, right)


def test_a_whole_number_has_one_text() -> None:
    # Stores have these texts: an integer is found by the text that it has as a decimal.
    for number in (0, 1, 9, 10, 100, 105, 120, 2**31 - 1, 2**63 - 1):
        assert integer_text(number) == number_text(Decimal(number))
        assert integer_text(-number) == number_text(Decimal(-number))


@each_row(
    ("type_", "given"),
    [
        ("Int", [-(2**31), -100, -99, -10, -9, -1, 0, 1, 9, 10, 11, 99, 100, 2**31 - 1]),
        ("Serial", [-(2**63) + 1, -1, 0, 1, 2**53 + 1, 2**63 - 1]),
        ("Year", [0, 1, 999, 1000, 1999, 9999]),
        ("Real", ["-9E+125", "-1.5", "-1", "-1E-130", 0, "1E-130", "0.1", "0.11", 1, "1." + "0" * 36 + "1"]),
        ("Boolean", [False, True]),
        ("Date", ["0001-01-01", "1969-12-31", "1970-01-01", "9999-12-31"]),
        ("Time", ["00:00:00", "09:00:00.001", "10:00:00"]),
        ("Datetime", ["0001-01-01T00:00:00.000Z", "2020-01-01T00:00:00.001Z", "2020-01-01T00:00:00.010Z"]),
        ("Text", ["", "\0", "\0\0", "\x01", "\x02", " ", "A", "a", "a\0", "ab", "é", "\uffff", "\U0001f600"]),
    ],
)
def test_texts_of_every_type_are_in_order_after_null(type_: str, given: list[Any]) -> None:
    kind = TYPES[type_]
    stored = [kind.read(value, DEFAULT_FORMATS) for value in given]
    lying = [value_text(None), *(value_text(kind.storage.index_text(value)) for value in stored)]
    assert all(as_bytes(*pair) == -1 for pair in pairwise(lying))
    assert all(kind.storage.accepts(value) for value in stored)
    assert kind.storage.from_index_text is not None
    read = [kind.storage.from_index_text(kind.storage.index_text(value)) for value in stored]
    assert [(each, type(each)) for each in read] == [(each, type(each)) for each in stored]


@pytest.mark.soak
@given(rows, rows)
def test_texts_of_several_values_are_in_order(left: list[str | None], right: list[str | None]) -> None:
    assert as_bytes(values_text(left), values_text(right)) == sign(meaning(left), meaning(right))


@pytest.mark.soak
@given(rows)
def test_the_values_of_a_text_can_be_read(row: list[str | None]) -> None:
    assert read_values(values_text(row)) == row


@pytest.mark.soak
@given(texts, texts)
def test_a_prefix_is_a_range(prefix: str, text: str) -> None:
    """Exactly the texts with this prefix are in the range."""
    low = not_null_text(prefix)
    lies_within = low <= value_text(text) < prefix_end(low)
    assert lies_within is text.startswith(prefix)


@pytest.mark.soak
@given(rows, rows, st.integers(1, 3))
def test_rows_with_equal_first_values_are_a_range(
    left: list[str | None], right: list[str | None], count: int
) -> None:
    low = values_text(left[:count])
    assert (low <= values_text(right) < prefix_end(low)) is (left[:count] == right[:count])


@given(st.none() | texts)
def test_all_non_null_values_are_a_range(text: str | None) -> None:
    assert (NOT_NULL <= value_text(text) < ABOVE_NOT_NULL) is (text is not None)


@pytest.mark.soak
@given(long_texts, long_texts)
def test_truncated_texts_are_in_order_and_prefix_free(left: str, right: str) -> None:
    """Those that were cut may be equal; with ids behind them, the order stays theirs."""
    one, other = values_text([left, "x"]), values_text([right, "y"])
    order = as_bytes(truncate(one), truncate(other))
    assert order in {0, as_bytes(one, other)}
    assert order == as_bytes(f"{truncate(one)}zz", f"{truncate(other)}aa") or order == 0
    assert len(truncate(one).encode()) <= 900
    assert one.startswith(truncate(one))
    assert is_truncated(one) or truncate(one) == one


@each_row(("values", "shown"), [(0, ""), (1, ".a\x01"), (2, ".a\x01\x01"), (3, ".a\x01\x01.b")])
def test_the_first_values_of_a_text_are_extracted(values: int, shown: str) -> None:
    """Values before a truncated one are complete."""
    assert first_values(f".a{VALUE_END}{VALUE_END}.b", values) == shown
