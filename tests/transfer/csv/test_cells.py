"""Cells spell values so that spreadsheets take no text for a formula, and each value comes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.formats.invalid_value import InvalidValue
from stratabase.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.model.types import TYPES
from stratabase.transfer.csv.cells import CellFormats, InvalidCell, with_quote, without_quote

FORMULAS = ["=1+1", "+39 02 1234", "-5", "@SUM(A1)", "\tx", "\rx"]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_is_a_formula_gets_an_apostrophe(text: str) -> None:
    assert with_quote(text) == f"'{text}"
    assert without_quote(f"'{text}") == text


@pytest.mark.parametrize("text", ["plain", "it's", "'quoted'", "a=b", "O'Neill", "'s-Hertogenbosch"])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert with_quote(text) == text == without_quote(text)


def test_an_empty_text_is_no_empty_cell() -> None:
    assert with_quote("") == "'"
    assert without_quote("'") == ""


@given(st.text(alphabet=st.one_of(st.sampled_from("'=+-@\t\r\n\"a"), st.characters(codec="utf-8"))))
def test_each_text_is_read_as_it_was_written(text: str) -> None:
    written = with_quote(text)
    assert without_quote(written) == text
    assert written
    assert written[0] not in "=+-@\t\r"


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("Real", "1.234,50", "1234.5"),
        ("Real", "-0,5", "-0.5"),
        ("Real", "1234567,5", "1234567.5"),
        ("Int", " 1.000 ", 1000),
        ("Int", "12", 12),
    ],
)
def test_numbers_have_the_separators_of_the_file(type_: str, text: str, value: object) -> None:
    read = CellFormats(decimal=",", group=".").reader(TYPES[type_])
    assert TYPES[type_].read(read(text), DEFAULT_FORMATS) == value


@pytest.mark.parametrize("text", ["1.5", "12.34,5", "1,234.5", "1.2345", "x", ",", "1..000"])
def test_a_number_with_other_separators_is_refused(text: str) -> None:
    read = CellFormats(decimal=",", group=".").reader(TYPES["Real"])
    with pytest.raises(InvalidCell, match=r"Write it like 1\.234,5"):
        read(text)


@pytest.mark.parametrize(
    ("type_", "stored", "text"),
    [
        ("Real", "2.5E+40", "25" + "0" * 39),
        ("Real", "-1.5", "-1.5"),
        ("Int", 7, "7"),
        ("Boolean", True, "true"),
        ("Date", "2020-01-31", "2020-01-31"),
        ("Year", 2020, "2020"),
        ("String", "=x", "'=x"),
    ],
)
def test_values_are_written_so_that_they_can_be_read(type_: str, stored: object, text: str) -> None:
    cells, known = CellFormats(), TYPES[type_]
    assert cells.writer(known)(stored) == text
    assert known.read(cells.reader(known)(text), cells.formats) == stored
    assert cells.writer(known)(None) == ""


def test_dates_are_written_in_the_format_of_the_file() -> None:
    cells = CellFormats(Formats(date_format="dd.MM.yyyy"), ",", "", frozenset({"Date"}))
    assert cells.writer(TYPES["Date"])("2020-01-31") == "31.01.2020"
    assert cells.writer(TYPES["Real"])("1.5") == "1,5"


def test_a_date_is_never_guessed() -> None:
    cells = CellFormats()
    with pytest.raises(InvalidValue, match="yyyy-MM-dd"):
        TYPES["Date"].read("03/04/2020", cells.formats)
