"""Cells spell values so that spreadsheets take no text for a formula, and each value comes back."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.model.types import TYPES
from stratabase.transfer.csv.cells import CellFormats, InvalidCell, with_quote, without_quote
from stratabase.values.formats.date_fields import DatePart
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from tests.rows import each_row

FORMULAS = [
    "=1+1",
    "=1",
    "+cmd|' /C calc'!A0",
    "-A1",
    "+1+A1",
    "@SUM(A1)",
    "@1",
    "\tx",
    "\t1",
    "\rx",
    "- milk",
]
NUMBERS = ["+39 02 1234", "+1-555-0100", "+1 (555) 01.00", "-5", "-0,5", "+", "-"]


@each_row("text", FORMULAS)
def test_a_text_that_is_a_formula_gets_an_apostrophe(text: str) -> None:
    assert with_quote(text) == f"'{text}"
    assert without_quote(f"'{text}") == text


@each_row("text", NUMBERS)
def test_a_phone_number_keeps_its_plus(text: str) -> None:
    assert with_quote(text) == text == without_quote(text)
    assert without_quote(f"'{text}") == text  # as earlier versions wrote it
    assert without_quote(with_quote(f"'{text}")) == f"'{text}"


@each_row("text", ["plain", "it's", "'quoted'", "a=b", "O'Neill", "'s-Hertogenbosch"])
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
    assert written[0] not in "=+-@\t\r" or not set(written) - set("+-0123456789 ()./,")


@given(st.text(alphabet=st.one_of(st.sampled_from("'=+-@\t\r\n\"a"), st.characters(codec="utf-8"))))
def test_formulas_can_be_kept_as_they_are(text: str) -> None:
    cells, type_ = CellFormats(keeps_formulas=True), TYPES["Text"]
    written = cells.writer(type_)(text)
    assert cells.reader(type_)(written) == text
    assert written == text or not set(text) - {"'"}
    assert written


@each_row(
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


@each_row("text", ["1.5", "12.34,5", "1,234.5", "1.2345", "x", ",", "1..000"])
def test_a_number_with_other_separators_is_refused(text: str) -> None:
    read = CellFormats(decimal=",", group=".").reader(TYPES["Real"])
    with pytest.raises(InvalidCell, match=r"Write it like 1\.234,5"):
        read(text)


@each_row(
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


@each_row(
    ("group", "text"),
    [
        (" ", "1 234 567,5"),
        (" ", "1\u00a0234\u00a0567,5"),
        ("\u00a0", "1 234\u202f567,5"),
        ("\u202f", "1\u2009234\u2009567,5"),
        ("'", "1\u2019234\u2019567,5"),
        ("\u2019", "1'234'567,5"),
    ],
)
def test_separators_that_look_alike_are_the_same(group: str, text: str) -> None:
    read = CellFormats(decimal=",", group=group).reader(TYPES["Real"])
    assert read(text) == "1234567.5"
    with pytest.raises(InvalidCell):
        read("12 34,5")


_FIRST = datetime.min.replace(tzinfo=UTC)
_MILLISECONDS = (datetime.max.replace(tzinfo=UTC) - _FIRST) // timedelta(milliseconds=1)
_AUTUMN = tuple(
    (datetime(2026, month, day, tzinfo=UTC) - _FIRST) // timedelta(milliseconds=1)
    for month, day in ((10, 25), (11, 2))
)
"""The milliseconds between which clocks are put back in Europe and in North America."""
LOSSY = [
    Formats(date_format="dd/MM/yyyy", time_format="HH:mm:ss"),
    Formats(date_format="dd/MM/yyyy", time_format="HH:mm", time_zone="Europe/Rome"),
    Formats(date_format="dd/MM/yyyy", time_format="HH:mm:ss.SSS", time_zone="Europe/Rome"),
    Formats(date_format="d MMMM yyyy", time_format="h:mm a", time_zone="America/New_York", language="it"),
    Formats(date_format="yyyy-dd-MM", time_format="HH", time_zone="Australia/Lord_Howe"),
]


@pytest.mark.parametrize("formats", LOSSY, ids=lambda formats: f"{formats.time_format} {formats.time_zone}")
@given(
    st.integers(0, _MILLISECONDS) | st.integers(*_AUTUMN),
    st.sampled_from([1, 1_000, 60_000, 3_600_000]),
)
def test_each_moment_comes_back_whatever_the_format_leaves_out(
    formats: Formats, millisecond: int, unit: int
) -> None:
    moment = _FIRST + timedelta(milliseconds=millisecond - millisecond % unit)
    stored = moment.replace(tzinfo=None).isoformat(timespec="milliseconds")
    cells = CellFormats(formats, writes_patterns=frozenset(DatePart))
    for name, value in (("Datetime", f"{stored}Z"), ("Date", stored[:10]), ("Time", stored[11:])):
        type_ = TYPES[name]
        assert type_.read(cells.reader(type_)(cells.writer(type_)(value)), formats) == value


def test_a_value_that_its_format_gives_back_has_this_format() -> None:
    formats = Formats(date_format="dd/MM/yyyy", time_format="HH:mm", time_zone="Europe/Rome")
    write = CellFormats(formats, writes_patterns=frozenset(DatePart)).writer(TYPES["Datetime"])
    assert [write(f"2026-10-25T{time}Z") for time in ("00:30:00.000", "01:30:00.000", "00:30:00.007")] == [
        "25/10/2026 02:30",
        "2026-10-25T02:30:00.000+01:00",
        "2026-10-25T02:30:00.007+02:00",
    ]


def test_dates_are_written_in_the_format_of_the_file() -> None:
    cells = CellFormats(Formats(date_format="dd.MM.yyyy"), ",", "", frozenset({DatePart.DATE}))
    assert cells.writer(TYPES["Date"])("2020-01-31") == "31.01.2020"
    assert cells.writer(TYPES["Real"])("1.5") == "1,5"


def test_a_date_is_never_guessed() -> None:
    cells = CellFormats()
    with pytest.raises(InvalidValue, match="Use ISO 8601"):
        TYPES["Date"].read("03/04/2020", cells.formats)
