"""Validation of a member's formats."""

from datetime import UTC
from typing import NamedTuple

from stratabase.values.formats.date_fields import DatePart
from stratabase.values.formats.date_pattern import compile_date_pattern
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.locales import is_time_zone
from stratabase.values.formats.preferences import DEFAULT_FORMATS, FORMAT_CHECKS, Formats
from tests.rows import each_row


class FormatError(NamedTuple):
    """A field of Formats that does not hold, and why."""

    field: str
    message: str


def check_formats(formats: Formats) -> list[FormatError]:
    """Return what is wrong with a member's formats, by the check of each field."""
    found = []
    for field, check in FORMAT_CHECKS.items():
        try:
            check(getattr(formats, field))
        except InvalidValue as refusal:
            found.append(FormatError(field, refusal.message))
    return found


def test_valid_formats_are_accepted() -> None:
    """The default and a member's own are taken."""
    assert check_formats(DEFAULT_FORMATS) == []
    assert check_formats(Formats("EEEE d MMMM yyyy", "hh:mm a", "America/Argentina/Ushuaia", "pt-BR")) == []


@each_row("formats", [Formats("dMyyyy", "Hmmss"), Formats("yMMdd", "HmsS")])
def test_formats_with_few_ambiguities_are_accepted(formats: Formats) -> None:
    """A Datetime in both formats can be read in only a few ways."""
    assert not [one for one in check_formats(formats) if "run together" in one.message]
    pattern = compile_date_pattern(f"{formats.date_format} {formats.time_format}")
    assert pattern.parser("en", UTC, frozenset({DatePart.DATE, DatePart.TIME})) is not None


@each_row(
    ("formats", "field", "reason"),
    [
        (Formats(date_format="dd HH"), "date_format", 'The letter "H" represents part of a time.'),
        (Formats(date_format="dd q"), "date_format", '"q"'),
        (Formats(date_format="d" * 50), "date_format", "The limit is 49."),
        (Formats(date_format="DYyMLdwFuW"), "date_format", "The numbers run together. Separate them"),
        (Formats(time_format="HKhkmsS"), "time_format", "The numbers run together. Separate them"),
        (Formats(time_format="HH:mm z"), "time_format", 'The letter "z" represents a time zone.'),
        (Formats(time_zone="Mars/Olympus"), "time_zone", '"Mars/Olympus" is not a known time zone'),
        (Formats(language="xx"), "language", '"xx" is not a known language'),
    ],
)
def test_invalid_formats_are_refused(formats: Formats, field: str, reason: str) -> None:
    """Each invalid field is named, with what is valid."""
    (mistake,) = check_formats(formats)
    assert mistake.field == field
    assert reason in mistake.message


@each_row(
    ("pattern", "reason"),
    [
        ("dd MMM", 'The year is missing. Add "yyyy".'),
        ("E", "The year"),
        ("'today'", "The year"),
        ("yyyy", 'The month is missing. Add "MM".'),
        ("MM/yyyy", 'The day is missing. Add "dd".'),
        ("MMMM yyyy EEEE", "The day"),
        ("yyyy-'W'ww-u", "The month"),
        ("dd/MM/yy", 'A two-digit year does not specify the century. Use "yyyy".'),
        ("YYYY-MM-dd", 'The letter "Y" represents the week-based year. Use "yyyy-MM-dd".'),
        ("YYYY-MM-DD", 'Use "yyyy-MM-dd".'),
        ("yyyy-MM-dd (YYYY)", 'Remove it, or add the week ("ww").'),
        ("YYYY-'W'ww-u", 'The year is missing. Add "yyyy".'),
        ("DDD 'of o''clock' YYYY", "Use \"DDD 'of o''clock' yyyy\"."),
        ("dd/MM/yyyy (dd)", 'The letter "d" appears in more than one place.'),
        ("dMyyyy", '"1102020" is ambiguous.'),
        ("yM-d", "is ambiguous"),
        ("d'1'M yyyy", "is ambiguous"),
    ],
)
def test_incomplete_date_formats_are_refused(pattern: str, reason: str) -> None:
    """A date format whose dates cannot be read back is refused with the reason."""
    (mistake,) = check_formats(Formats(date_format=pattern))
    assert mistake.field == "date_format"
    assert reason in mistake.message


@each_row(
    ("pattern", "reason"),
    [
        ("mm:ss", 'The hour is missing. Add "HH".'),
        ("a", "The hour"),
        ("hh:mm", 'does not specify AM or PM. Add "a", or use "HH".'),
        ("K:mm", "does not specify AM or PM"),
        ("HH:mm:mm", 'The letter "m" appears in more than one place.'),
        ("Hm", "is ambiguous"),
        ("HH:ms", "is ambiguous"),
    ],
)
def test_incomplete_time_formats_are_refused(pattern: str, reason: str) -> None:
    """A time format whose times cannot be read back is refused with the reason."""
    (mistake,) = check_formats(Formats(time_format=pattern))
    assert mistake.field == "time_format"
    assert reason in mistake.message


@each_row(
    "pattern",
    [
        "d/M/y",
        "ddMMyyyy",
        "yyyyMMdd",
        "yyyy-DDD",
        "dMMM yyyy",
        "MMMM d, yyyy G",
        "L.d.yyyy",
        "yyyy-MM-dd (YYYY 'W'ww)",
    ],
)
def test_complete_date_formats_are_accepted(pattern: str) -> None:
    """A date format that tells year, month and day, or year and day of the year, is taken."""
    assert check_formats(Formats(date_format=pattern)) == []


@each_row("pattern", ["HH", "H:mm", "HHmm", "kk.mm", "K:mm a", "a hh:mm:ss.SSS", "HH:mm:ss"])
def test_complete_time_formats_are_accepted(pattern: str) -> None:
    """A time format must show the hour. Finer units are lost, as with the default format."""
    assert check_formats(Formats(time_format=pattern)) == []


def test_all_format_errors_are_reported_together() -> None:
    mistakes = check_formats(Formats("q", "q", "", ""))
    assert [mistake.field for mistake in mistakes] == ["date_format", "time_format", "time_zone", "language"]


@each_row("name", ["", "europe/rome", "Europe", "../../etc/passwd", "GMT+25", "\0", "localtime"])
def test_unknown_time_zones_are_refused(name: str) -> None:
    """Only names of the IANA data, spelled as there, on whatever machine."""
    assert not is_time_zone(name)


@each_row("code", ["it", "en", "pt-BR", "pt_BR", "zh-Hans-CN", "de-CH"])
def test_known_languages_are_accepted(code: str) -> None:
    """A language, alone or with script and territory, with a hyphen or an underscore."""
    assert check_formats(Formats(language=code)) == []


@each_row("code", ["", "xx", "english", "it-ITALY-ROME-XX-YY", "../it", "it\n", "\0", "C"])
def test_unknown_languages_are_refused(code: str) -> None:
    """Anything else is none."""
    assert [mistake.field for mistake in check_formats(Formats(language=code))] == ["language"]
