"""Weeks are counted by the rules of the language's territory."""

from datetime import UTC, datetime

from stratabase.values.formats.date_pattern import compile_date_pattern
from tests.rows import each_row

DAYS = ["2019-12-30", "2020-12-31", "2021-01-01", "2011-01-02"]


@each_row(
    ("language", "expected"),
    [
        ("en-US", ["2020 1 5", "2021 1 5", "2021 1 1", "2011 2 2"]),
        ("it-IT", ["2020 1 5", "2020 53 5", "2020 53 0", "2010 52 0"]),
        ("it", ["2020 1 5", "2021 1 5", "2021 1 1", "2011 2 2"]),
    ],
)
def test_weeks_are_numbered_like_java(language: str, expected: list[str]) -> None:
    """Outputs of OpenJDK 17's SimpleDateFormat for `YYYY w W`; a language alone counts like the US."""
    write = compile_date_pattern("YYYY w W").formatter(language)
    assert [write(datetime.fromisoformat(day).replace(tzinfo=UTC)) for day in DAYS] == expected


@each_row("language", ["en-US", "it-IT"])
def test_the_first_and_the_last_day_have_a_week_number(language: str) -> None:
    """The first and the last day have a week too, though the weeks' years have no dates."""
    write = compile_date_pattern("YYYY w").formatter(language)
    assert write(datetime(1, 1, 1, tzinfo=UTC)) == "0001 1"
    assert write(datetime(9999, 12, 31, tzinfo=UTC)) in {"10000 1", "9999 52"}
