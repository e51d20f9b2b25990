"""Date patterns: validation, formatting and parsing."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.model.types.temporal import DATE_SLICES
from stratabase.values.formats.date_fields import DatePart
from stratabase.values.formats.date_pattern import DateParser, compile_date_pattern
from stratabase.values.formats.invalid_value import InvalidValue
from tests.rows import each_row

ALL = frozenset({DatePart.DATE, DatePart.TIME})
DATE = frozenset({DatePart.DATE})
TIME = frozenset({DatePart.TIME})
ROME = ZoneInfo("Europe/Rome")
MOMENT = datetime(2020, 1, 31, 10, 0, 7, 5000, UTC)


def written(pattern: str, moment: datetime = MOMENT, language: str = "en") -> str:
    return compile_date_pattern(pattern).formatter(language)(moment)


def read(
    pattern: str, text: str, language: str = "en", needed: frozenset[DatePart] = ALL, zone: ZoneInfo = ROME
) -> datetime | None:
    reader = compile_date_pattern(pattern).parser(language, zone, needed)
    assert reader is not None
    return reader(text)


@each_row(
    ("pattern", "expected"), [("100% dd", "100% 31"), ("[dd]{}#", "[31]{}#"), ("ñ dd", "ñ 31"), ("", "")]
)
def test_what_is_no_letter_stays_as_it_is(pattern: str, expected: str) -> None:
    """As in Java. Of letters and quotes there are many samples in `test_as_java`."""
    assert written(pattern) == expected


@each_row(
    ("zone", "language", "expected"),
    [
        ("Europe/Rome", "en", "CEST Central European Summer Time +0200 +02 +0200 +02:00"),
        ("America/New_York", "it", "EDT Ora legale orientale USA -0400 -04 -0400 -04:00"),
        ("UTC", "en", "UTC Coordinated Universal Time +0000 Z Z Z"),
    ],
)
def test_time_zones_are_formatted_by_their_pattern(zone: str, language: str, expected: str) -> None:
    """A zone is written by its names and by its offset, in summer as in summer."""
    moment = datetime(2020, 7, 1, 12, tzinfo=UTC).astimezone(ZoneInfo(zone))
    assert written("z zzzz Z X XX XXX", moment, language) == expected


@each_row(
    ("pattern", "reason"),
    [
        ("dd q", 'The pattern "dd q" contains the unsupported letter "q"'),
        ("XXXX", "The limit is 3"),
        ("dd 'of", "For a literal single quote, use ''"),
        ("d" * 101, "The limit is 100"),
        ("T", "enclose other text in single quotes"),
    ],
)
def test_invalid_date_patterns_are_refused(pattern: str, reason: str) -> None:
    """These are the patterns that Java refuses. The message says what is valid."""
    with pytest.raises(InvalidValue, match=reason):
        compile_date_pattern(pattern)


@each_row(("pattern", "allowed", "letter"), [("dd HH", DATE, "H"), ("HH dd", TIME, "d"), ("HH z", TIME, "z")])
def test_pattern_letters_of_other_types_are_refused(
    pattern: str, allowed: frozenset[DatePart], letter: str
) -> None:
    """A date has no hour: a letter that tells of something else is refused by its name."""
    with pytest.raises(InvalidValue, match=f'The letter "{letter}" represents '):
        compile_date_pattern(pattern).check_parts(allowed)


@each_row(
    ("pattern", "text"),
    [
        ("dd/MM/yyyy HH:mm", "31/1/2020 10:00"),
        ("dd/MM/yyyy HH:mm", "30/02/2020 10:00"),
        ("dd/MM/yyyy HH:mm", "31/01/2020 24:00"),
        ("dd/MM/yyyy HH:mm", "31/01/2020 10:60"),
        ("dd/MM/yyyy HH:mm", " 31/01/2020 10:00"),
        ("dd/MM/yyyy HH:mm", "31/01/2020 10:00\n"),
        ("dd/MM/yyyy HH:mm", "\u0663\u0661/01/2020 10:00"),
        ("dd/MM/yyyy HH:mm", "31/01/0000 10:00"),
        ("dd/MM/yyyy kk", "31/01/2020 25"),
        ("dd/MM/yyyy hh a", "31/01/2020 13 AM"),
        ("dd/MM/yyyy KK a", "31/01/2020 12 AM"),
        ("EEE dd/MM/yyyy HH", "Thu 31/01/2020 10"),
        ("dd MMM yyyy HH", "31 Ene 2020 10"),
        ("D yyyy HH", "366 2019 10"),
        ("dd/MM/yyyy HH Z", "31/01/2020 10 +0160"),
        ("dd/MM/yyyy HH Z", "31/01/2020 10 +9900"),
        ("y" * 90 + "MMddHH", "9" * 90 + "013110"),
        ("dd/MM/yyyy HH z", "31/01/2020 10 CEST"),
    ],
)
def test_texts_that_do_not_match_the_pattern_are_refused(pattern: str, text: str) -> None:
    """Reading is strict: a text that does not say a moment, or says two, is none."""
    assert read(pattern, text) is None


@each_row(
    ("pattern", "text", "expected"),
    [
        ("ddMMyyyyHHmm", "310120201000", "2020-01-31T10:00:00+01:00"),
        ("d/M/y H:m", "1/2/2020 3:04", "2020-02-01T03:04:00+01:00"),
        ("dd/MM/yy HH", "01/01/68 00", "2068-01-01T00:00:00+01:00"),
        ("dd/MM/yy HH", "01/01/69 00", "1969-01-01T00:00:00+01:00"),
        ("D yyyy HH", "366 2020 10", "2020-12-31T10:00:00+01:00"),
        ("dd/MM/yyyy kk", "31/01/2020 24", "2020-01-31T00:00:00+01:00"),
        ("dd/MM/yyyy hh a", "31/01/2020 12 am", "2020-01-31T00:00:00+01:00"),
        ("dd/MM/yyyy hh a", "31/01/2020 12 PM", "2020-01-31T12:00:00+01:00"),
        ("dd/MM/yyyy KK a", "31/01/2020 00 PM", "2020-01-31T12:00:00+01:00"),
        ("EEEE d mmm MMMM yyyy HH", "FRIDAY 31 030 january 2020 10", "2020-01-31T10:30:00+01:00"),
        ("dd/MM/yyyy HH XXX", "31/01/2020 10 Z", "2020-01-31T10:00:00+00:00"),
        ("dd/MM/yyyy HH Z", "31/01/2020 10 -0930", "2020-01-31T10:00:00-09:30"),
        ("dd/MM/yyyy HH z", "25/10/2020 02 CEST", "2020-10-25T02:00:00+02:00"),
        ("dd/MM/yyyy HH z", "25/10/2020 02 CET", "2020-10-25T02:00:00+01:00"),
        ("G w W F u Y dd/MM/yyyy HH", "AD 5 5 5 5 2020 31/01/2020 10", "2020-01-31T10:00:00+01:00"),
    ],
)
def test_texts_are_parsed_by_their_pattern(pattern: str, text: str, expected: str) -> None:
    """A text is read as an instant in the zone, or at the offset in the text."""
    moment = read(pattern, text)
    assert moment is not None
    assert moment.isoformat() == expected


@each_row("pattern", ["dd/MM", "dd/MM/yyyy", "dd/MM/yyyy hh:mm", "dd/MM/YYYY HH", "dd dd/MM/yyyy HH"])
def test_incomplete_patterns_have_no_parser(pattern: str) -> None:
    """A pattern that leaves something out, or says it in two runs of one letter, is for writing alone."""
    assert compile_date_pattern(pattern).parser("en", UTC, ALL) is None


@each_row("pattern", ["DYySMLdwHkKhmsFuW", "dMLwDyHmsS", "YyMLdD HKhkmsS", "zzzzyMdHH"])
def test_a_pattern_with_too_many_ambiguities_has_no_parser(pattern: str) -> None:
    """Otherwise each value of a filter could take milliseconds."""
    assert compile_date_pattern(pattern).parser("en", UTC, DATE) is None


COMPLETE = [
    "dd/MM/yyyy HH:mm:ss.SSS",
    "yyyyMMddHHmmssSSS",
    "EEEE d MMMM y G, h:m:s.S a",
    "D/yyyy K:mm:ss.SSS a",
    "EEE dd MMM yyyy 'alle' kk:mm:ss SSS XXX",
    "u F w W Y M/d/y H:m:s.S Z",
]


@given(
    moment=st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29)),  # noqa: DTZ001 - the zone is added below
    minutes=st.integers(-14 * 60, 14 * 60),
    pattern=st.sampled_from(COMPLETE),
    language=st.sampled_from(["en", "it", "de", "ru", "pt-BR"]),
)
def test_formatted_dates_are_parsed_back(moment: datetime, minutes: int, pattern: str, language: str) -> None:
    """A pattern that tells everything gives back the very moment, in every language and at every offset."""
    zone = timezone(timedelta(minutes=minutes))
    exact = moment.replace(microsecond=moment.microsecond // 1000 * 1000, tzinfo=zone)
    compiled = compile_date_pattern(pattern)
    reader = compiled.parser(language, zone, ALL)
    assert reader is not None
    assert reader(compiled.formatter(language)(exact)) == exact


@pytest.mark.parametrize("pattern", ["dd/MM/yyyy", "yyyy-MM-dd", "M/d/y", "d.M.yyyy"])
@given(
    text=st.dates().map(lambda day: f"{day:%d/%m/%Y}")
    | st.dates().map(str)
    | st.from_regex(r"[0-9]{1,4}[-/]?[0-9]{1,2}[-/]?[0-9]{1,4}", fullmatch=True)
)
def test_days_of_three_numbers_are_read_as_other_dates_are(pattern: str, text: str) -> None:
    parser = compile_date_pattern(pattern).parser("en", ROME, DATE)
    assert isinstance(parser, DateParser)
    assert parser.day_groups is not None
    assert parser(text) == replace(parser, day_groups=None)(text)


@each_row("pattern", ["dd/MM/yy", "dd/MMM/yyyy", "EEE dd/MM/yyyy", "DDD yyyy"])
def test_other_days_are_not_read_as_three_numbers(pattern: str) -> None:
    parser = compile_date_pattern(pattern).parser("en", UTC, DATE)
    assert isinstance(parser, DateParser)
    assert parser.day_groups is None


@each_row(
    ("pattern", "shown"),
    [
        ("dd/MM/yyyy", "31/01/2020"),
        ("yyyy-MM-dd", "2020-01-31"),
        ("yyyy", "2020"),
        ("dd.MM, yy", "31.01, 20"),
        ("MM'{v}'dd", "01{v}31"),
        ("dd'%s\"'MM", '31%s"01'),
    ],
)
def test_a_format_of_slices_is_the_same_in_compiled_code(pattern: str, shown: str) -> None:
    """Only punctuation becomes a part of the code."""
    written = compile_date_pattern(pattern).slicer(DATE_SLICES)
    assert written is not None
    assert written("2020-01-31") == shown
    if "'" in pattern:
        assert written.expression is None
    else:
        assert eval(str(written.expression), {"v": "2020-01-31"}) == shown
