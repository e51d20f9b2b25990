"""A member's formats must exist."""

import pytest

from stratabase.model.formats import DEFAULT_FORMATS, Formats
from stratabase.model.patterns.check import check_formats
from stratabase.model.patterns.zone import known_time_zone


def test_good_formats() -> None:
    """The default and a member's own are taken."""
    assert check_formats(DEFAULT_FORMATS) == []
    assert check_formats(Formats("EEEE d MMMM yyyy", "hh:mm a", "America/Argentina/Ushuaia", "pt-BR")) == []


@pytest.mark.parametrize(
    ("formats", "field", "reason"),
    [
        (Formats(date_format="dd HH"), "date_format", "'H' tells of times"),
        (Formats(date_format="dd q"), "date_format", "'q'"),
        (Formats(date_format="d" * 50), "date_format", "at most 49"),
        (Formats(time_format="HH:mm z"), "time_format", "'z' tells of time zones"),
        (Formats(time_zone="Mars/Olympus"), "time_zone", "'Mars/Olympus' is no known time zone"),
        (Formats(language="xx"), "language", "'xx' is no known language"),
    ],
)
def test_bad_formats(formats: Formats, field: str, reason: str) -> None:
    """Each field that does not hold is named, with what would be right."""
    (mistake,) = check_formats(formats)
    assert mistake.field == field
    assert reason in mistake.text


def test_all_mistakes_together() -> None:
    """All fields are told at once."""
    mistakes = check_formats(Formats("q", "q", "", ""))
    assert [mistake.field for mistake in mistakes] == ["date_format", "time_format", "time_zone", "language"]


@pytest.mark.parametrize(
    "name", ["", "europe/rome", "Europe", "../../etc/passwd", "GMT+25", "\0", "localtime"]
)
def test_no_time_zone(name: str) -> None:
    """Only names of the IANA data, spelled as there, on whatever machine."""
    assert not known_time_zone(name)


@pytest.mark.parametrize("code", ["it", "en", "pt-BR", "pt_BR", "zh-Hans-CN", "de-CH"])
def test_languages(code: str) -> None:
    """A language, alone or with script and territory, with a hyphen or an underscore."""
    assert check_formats(Formats(language=code)) == []


@pytest.mark.parametrize("code", ["", "xx", "english", "it-ITALY-ROME-XX-YY", "../it", "it\n", "\0", "C"])
def test_no_language(code: str) -> None:
    """Anything else is none."""
    assert [mistake.field for mistake in check_formats(Formats(language=code))] == ["language"]
