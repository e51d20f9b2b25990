"""Instants and their stored form, which is that of a Datetime."""

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.objects.instant import format_instant, parse_instant
from stratabase.core.model.types import TYPES
from stratabase.values.formats.preferences import DEFAULT_FORMATS
from tests.rows import each_row

FIRST, LAST = parse_instant("0001-01-01T00:00:00.000Z"), parse_instant("9999-12-31T23:59:59.999Z")


@given(st.integers(FIRST, LAST))
def test_an_instant_has_one_canonical_spelling(instant: int) -> None:
    text = format_instant(instant)

    assert parse_instant(text) == instant
    assert TYPES["Datetime"].read(text, DEFAULT_FORMATS) == text


@each_row(
    ("instant", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (1_580_464_800_007, "2020-01-31T10:00:00.007Z"),
        (FIRST, "0001-01-01T00:00:00.000Z"),
        (LAST, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_an_instant_has_whole_milliseconds_and_a_year_of_four_digits(instant: int, text: str) -> None:
    assert format_instant(instant) == text
