"""Patterns format like Java's.

`dates.tsv` and `numbers.tsv` hold random patterns and values with what OpenJDK 17 made of them; `Java.java`
beside them writes both anew.
"""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from stratabase.values.formats.date_pattern import compile_date_pattern
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.locales import load_time_zone
from stratabase.values.formats.number_pattern import compile_number_pattern
from tests.rows import each_row

REFUSED = "REFUSED"


def lines(name: str) -> list[list[str]]:
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    found = [line.split("\t") for line in text.splitlines()]
    assert len(found) == 500
    return found


def date_text(pattern: str, language: str, time_zone: str, instant: str) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=int(instant))
    try:
        return compile_date_pattern(pattern).formatter(language)(moment.astimezone(load_time_zone(time_zone)))
    except InvalidValue:
        return REFUSED


def number_text(pattern: str, language: str, number: str) -> str:
    try:
        return compile_number_pattern(pattern).formatter(language)(Decimal(number))
    except InvalidValue:
        return REFUSED


def test_dates_are_formatted_like_java() -> None:
    """500 random patterns and moments, in eight languages and four time zones."""
    for *value, expected in lines("dates.tsv"):
        assert date_text(*value) == expected, value


def test_numbers_are_formatted_like_java() -> None:
    """500 random patterns and numbers, in five languages."""
    for *value, expected in lines("numbers.tsv"):
        assert number_text(*value) == expected, value


@each_row("name", ["dates.tsv", "numbers.tsv"])
def test_the_samples_contain_valid_and_refused_patterns(name: str) -> None:
    """Neither list shrinks unseen to patterns that are refused."""
    refused = sum(line[-1] == REFUSED for line in lines(name))
    assert 100 < refused < 300
    assert len(lines(name)) == 500


@each_row(
    ("pattern", "number", "expected"),
    [
        ("0.00", "-0.001", "-0.00"),
        ("0.00", "0.125", "0.12"),
        ("0.00", "0.135", "0.14"),
        ("0", "0.5", "0"),
        ("0", "1.5", "2"),
        (
            "#,##0.00",
            "12345678901234567890123456789012345678",
            "12,345,678,901,234,567,890,123,456,789,012,345,678.00",
        ),
        ("0.0‰", "0.00012345", "0.1‰"),
        ("0.00;(0.00)", "-0.5", "(0.50)"),
        ("##0.##E0", "12345", "12.345E3"),
        ("00.00E00", "0.00012345", "12.34E-05"),
        ("0.###E0", "12345", "1.234E4"),
        (".##", "0", ".0"),
        ("#.##", "0", "0"),
        ("", "-1234567.895", "-1,234,567.895"),
        ("abc", "-0.5", "-abc0"),
        ("'it''s' 0", "7", "it's 7"),
        ("0.00 %", "-0.001", "-0.10 %"),
    ],
)
def test_special_numbers_are_formatted_like_java(pattern: str, number: str, expected: str) -> None:
    """Outputs of OpenJDK 17's DecimalFormat over BigDecimal."""
    assert number_text(pattern, "en", number) == expected


@each_row(
    "pattern",
    [
        "0#",
        "0.0#0",
        "0..0",
        "0,",
        "0,.0",
        "0.0,0",
        "0%%",
        "%0‰",
        "0E",
        "0E+0",
        ".E0",
        "0;0;0",
        ";0",
        "0'",
        "'0",
        "0a0",
        "0" * 101,
    ],
)
def test_invalid_number_patterns_are_refused(pattern: str) -> None:
    """Java refuses these too, but for digits behind a suffix and mere length; the text shows a right one."""
    with pytest.raises(InvalidValue, match=r"#,##0\.00|use ''|Enclose the others|limit is"):
        compile_number_pattern(pattern)


def test_the_largest_number_with_the_most_decimals_is_formatted() -> None:
    """A hundred decimals behind 126 digits are written in full, none of them rounded away."""
    number = "9" * 38 + "0" * 88
    assert number_text("0." + "0" * 98, "en", number) == number + "." + "0" * 98
