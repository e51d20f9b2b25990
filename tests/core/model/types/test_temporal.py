"""Date, Time and Datetime: a member's own format, ISO 8601, time zones."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.model.types import TYPES
from stratabase.core.model.types.datetime import DatetimeType
from stratabase.core.model.types.temporal import TemporalType
from stratabase.values.formats.date_pattern import compile_date_pattern
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from tests.models import violations
from tests.rows import each_row

ROME = Formats(time_zone="Europe/Rome", language="it")
NEW_YORK = Formats("MM/dd/yyyy", "hh:mm:ss a", "America/New_York", "en-US")
ISO = Formats("iso", "iso", "Europe/Rome", "it")
LAST = "9999-12-31T23:59:59.999Z"
AT_VERSION = "dd-MM-yyyy HH:mm:ss.SSS"


def read(name: str, given: Any, formats: Formats = DEFAULT_FORMATS) -> Any:
    return TYPES[name].read(given, formats)


def written(name: str, stored: str, pattern: str = "default", formats: Formats = DEFAULT_FORMATS) -> Any:
    return TYPES[name].serializer(pattern, formats)(stored)


def test_a_write_only_format_is_written_and_iso_8601_is_read() -> None:
    """Members were let have one before, and go on working."""
    formats = Formats("dd MMM", "hh:mm")
    assert written("Date", "2020-12-31", formats=formats) == "31 Dec"
    assert read("Date", "2020-12-31", formats) == "2020-12-31"
    for name, text, example in (
        ("Date", "31 Dec", "2020-12-31"),
        ("Time", "06:30 PM", "18:30:00.000"),
        ("Datetime", "31 Dec 06:30", "2020-12-31T18:30:00.000Z"),
    ):
        with pytest.raises(InvalidValue) as refusal:
            read(name, text, formats)
        assert str(refusal.value) == (
            f'"{text}" is not a valid {name}. Use ISO 8601 (for example, {example}).'
        )


@each_row(
    ("name", "given", "formats", "expected"),
    [
        ("Date", "31/01/2020", DEFAULT_FORMATS, "2020-01-31"),
        ("Date", "2020-01-31", DEFAULT_FORMATS, "2020-01-31"),
        ("Date", "01/31/2020", NEW_YORK, "2020-01-31"),
        ("Date", "2020-02-29", ROME, "2020-02-29"),
        ("Date", "0001-01-01", ROME, "0001-01-01"),
        ("Date", "9999-12-31", NEW_YORK, "9999-12-31"),
        ("Date", "2020-03-04", Formats(date_format="yyyy-dd-MM"), "2020-04-03"),
        ("Date", "2020-01-31", Formats(date_format="dd/MM"), "2020-01-31"),
        ("Time", "10:30", DEFAULT_FORMATS, "10:30:00.000"),
        ("Time", "10:30:15", ROME, "10:30:15.000"),
        ("Time", "10:30:15.1", ROME, "10:30:15.100"),
        ("Time", "23:59:59.999999999", ROME, "23:59:59.999"),
        ("Time", "12:05:00 AM", NEW_YORK, "00:05:00.000"),
        ("Datetime", "31/01/2020 10:30", DEFAULT_FORMATS, "2020-01-31T10:30:00.000Z"),
        ("Datetime", "31/01/2020 10:30", ROME, "2020-01-31T09:30:00.000Z"),
        ("Datetime", "07/01/2020 10:30:15 PM", NEW_YORK, "2020-07-02T02:30:15.000Z"),
        ("Datetime", "2020-01-31T10:30:15.123", ROME, "2020-01-31T09:30:15.123Z"),
        ("Datetime", "2020-01-31 10:30", ROME, "2020-01-31T09:30:00.000Z"),
        ("Datetime", "2020-01-31T10:30:15.123999Z", ROME, "2020-01-31T10:30:15.123Z"),
        ("Datetime", "2020-01-31t10:30z", ROME, "2020-01-31T10:30:00.000Z"),
        ("Datetime", "2020-01-31T10:30:15+05:30", ROME, "2020-01-31T05:00:15.000Z"),
        ("Datetime", "2020-01-31T10:30:15-0930", ROME, "2020-01-31T20:00:15.000Z"),
        ("Datetime", "2020-01-31T10:30:15+02", ROME, "2020-01-31T08:30:15.000Z"),
        ("Datetime", "9999-12-31T23:59:59.999Z", NEW_YORK, "9999-12-31T23:59:59.999Z"),
        ("Datetime", "0001-01-01T00:00:00.000Z", NEW_YORK, "0001-01-01T00:00:00.000Z"),
    ],
)
def test_temporal_values_are_parsed(name: str, given: str, formats: Formats, expected: str) -> None:
    """The member's format is tried first, then ISO 8601. Digits below a millisecond are cut off."""
    assert read(name, given, formats) == expected


@each_row(
    ("name", "given"),
    [
        ("Date", "30/02/2020"),
        ("Date", "2020-02-30"),
        ("Date", "2019-02-29"),
        ("Date", "0000-01-01"),
        ("Date", "20200131"),
        ("Date", "2020-W05-5"),
        ("Date", "2020-01-31T00:00"),
        ("Date", "2020-01-31\n"),
        ("Date", 20200131),
        ("Time", "24:00"),
        ("Time", "10:60"),
        ("Time", "10:30:60"),
        ("Time", "10"),
        ("Time", "10:30Z"),
        ("Time", "10:30:00,5"),
        ("Time", 1030),
        ("Datetime", "2020-01-31"),
        ("Datetime", "31/01/2020"),
        ("Datetime", "2020-01-31T24:00"),
        ("Datetime", "2020-01-31T10:30+25:00"),
        ("Datetime", "2020-01-31T10:30+0"),
        ("Datetime", "2020-01-31T10:30:00.1234567891Z"),
        ("Datetime", 1580464807005),
        ("Datetime", "31/01/2020 10:30" + " " * 300),
    ],
)
def test_invalid_temporal_values_are_refused(name: str, given: Any) -> None:
    """The message shows both ways to write a value."""
    with pytest.raises(
        InvalidValue, match=rf"is not a valid {name}\. Use the format .* \(for example, .*\) or ISO 8601 \("
    ):
        read(name, given)


def test_a_refusal_shows_an_example_in_the_format_of_the_member() -> None:
    """The example is in the member's own format, time zone and language."""
    formats = Formats("d MMMM yyyy", "HH:mm", "Europe/Rome", "it")
    with pytest.raises(InvalidValue) as refusal:
        read("Datetime", "domani", formats)
    assert str(refusal.value) == (
        '"domani" is not a valid Datetime. Use the format d MMMM yyyy HH:mm (for example, '
        "31 dicembre 2020 19:30) or ISO 8601 (for example, 2020-12-31T18:30:00.000Z)."
    )


@each_row(
    ("name", "formats", "example"),
    [
        ("Date", Formats("yyyy-MM-dd"), "2020-12-31"),
        ("Time", Formats(time_format="HH:mm:ss.SSS"), "18:30:00.000"),
        ("Date", ISO, "2020-12-31"),
        ("Time", ISO, "18:30:00.000"),
        ("Datetime", ISO, "2020-12-31T18:30:00.000Z"),
    ],
)
def test_a_refusal_shows_iso_8601_once_if_it_is_the_format_of_the_member(
    name: str, formats: Formats, example: str
) -> None:
    with pytest.raises(InvalidValue) as refusal:
        read(name, "tomorrow", formats)
    assert str(refusal.value) == (f'"tomorrow" is not a valid {name}. Use ISO 8601 (for example, {example}).')


@each_row("zone", ["America/Los_Angeles", "Etc/GMT+12", "Europe/Rome", "Pacific/Kiritimati"])
@each_row(
    "stored",
    ["0001-01-01T00:00:00.000Z", "0001-01-02T00:00:00.000Z", "9999-12-31T00:00:00.000Z", LAST],
)
def test_a_shown_instant_is_read_back_also_at_the_ends_of_the_calendar(stored: str, zone: str) -> None:
    formats = Formats("dd/MM/yyyy", "HH:mm:ss.SSS", zone)
    assert read("Datetime", written("Datetime", stored, formats=formats), formats) == stored


@each_row(
    ("given", "formats"),
    [
        ("0001-01-01T00:00", ROME),
        ("9999-12-31T23:59", NEW_YORK),
        ("01/01/0001 00:00", ROME),
        ("9999-12-31T23:59-01:00", DEFAULT_FORMATS),
    ],
)
def test_instants_outside_the_years_1_to_9999_are_refused(given: str, formats: Formats) -> None:
    """A moment whose year UTC does not have is refused."""
    with pytest.raises(InvalidValue, match="Use a year from 1 to 9999"):
        read("Datetime", given, formats)


@each_row(
    ("given", "expected"),
    [
        ("29/03/2020 01:59", "2020-03-29T00:59:00.000Z"),
        ("29/03/2020 02:00", "2020-03-29T01:00:00.000Z"),
        ("29/03/2020 02:30", "2020-03-29T01:30:00.000Z"),
        ("29/03/2020 03:00", "2020-03-29T01:00:00.000Z"),
        ("25/10/2020 02:30", "2020-10-25T00:30:00.000Z"),
        ("25/10/2020 03:00", "2020-10-25T02:00:00.000Z"),
        ("2020-10-25T02:30:00", "2020-10-25T00:30:00.000Z"),
        ("2020-10-25T02:30:00+01:00", "2020-10-25T01:30:00.000Z"),
    ],
)
def test_times_at_clock_changes_are_parsed_like_java(given: str, expected: str) -> None:
    """A time that occurs twice is the first one; one that is left out is as much later, as in Java."""
    assert read("Datetime", given, ROME) == expected


@each_row(
    ("name", "stored", "pattern", "formats", "expected"),
    [
        ("Date", "2020-01-31", "default", DEFAULT_FORMATS, "31/01/2020"),
        ("Date", "2020-01-31", "EEEE d MMMM yyyy", ROME, "venerdì 31 gennaio 2020"),
        ("Date", "0001-01-01", "default", NEW_YORK, "01/01/0001"),
        ("Time", "22:30:00.000", "default", NEW_YORK, "10:30:00 PM"),
        ("Time", "22:30:00.007", "HH.mm.ss,SSS", ROME, "22.30.00,007"),
        ("Datetime", "2020-07-31T22:30:00.007Z", "default", ROME, "01/08/2020 00:30"),
        ("Datetime", "2020-07-31T22:30:00.007Z", AT_VERSION, ROME, "01-08-2020 00:30:00.007"),
        ("Datetime", "2020-07-31T22:30:00.007Z", "yyyy", NEW_YORK, "2020"),
        ("Datetime", "2020-10-25T00:30:00.000Z", "HH:mm z", ROME, "02:30 CEST"),
        ("Datetime", "2020-10-25T01:30:00.000Z", "HH:mm z", ROME, "02:30 CET"),
        ("Datetime", "0001-01-01T00:00:00.000Z", "default", NEW_YORK, "0001-01-01T00:00:00.000Z"),
        ("Datetime", "0001-01-01T00:00:00.000Z", "yyyy-MM-dd HH:mm Z", NEW_YORK, "0001-01-01 00:00 +0000"),
        ("Datetime", "9999-12-31T23:59:59.999Z", "default", ROME, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_temporal_values_are_formatted(
    name: str, stored: str, pattern: str, formats: Formats, expected: str
) -> None:
    """The format is the member's or the given one, in the member's time zone and language."""
    assert written(name, stored, pattern, formats) == expected


@each_row(("name", "pattern"), [("Date", "HH:mm"), ("Time", "dd"), ("Date", "q"), ("Datetime", "'")])
def test_invalid_patterns_for_a_type_are_refused(name: str, pattern: str) -> None:
    """A pattern that does not exist, or tells of what the type does not have, is refused."""
    with pytest.raises(InvalidValue, match="pattern"):
        written(name, TYPES[name].example, pattern)  # type: ignore[attr-defined]


moments = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30))  # noqa: DTZ001 - read as UTC below


def spelled(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds") + "Z"


@given(moment=moments, zone=st.sampled_from(["UTC", "Etc/GMT-14", "Etc/GMT+12"]))
def test_a_formatted_version_instant_is_parsed_back(moment: datetime, zone: str) -> None:
    """A text in the pattern of `atVersion` is parsed as the same instant, in the member's time zone."""
    formats, type_ = Formats(time_zone=zone), DatetimeType()
    stored = read("Datetime", spelled(moment))
    assert type_.read_as(AT_VERSION, type_.serializer(AT_VERSION, formats)(stored), formats) == stored


@given(moment=moments)
def test_the_stored_spelling_is_parsed(moment: datetime) -> None:
    """Every stored value is a value that a client may give, in every format."""
    for name, stored in (
        ("Datetime", spelled(moment)),
        ("Date", moment.date().isoformat()),
        ("Time", moment.time().isoformat("milliseconds")),
    ):
        assert read(name, stored) == read(name, stored, NEW_YORK) == stored


@given(one=moments, other=moments)
def test_stored_instants_sort_as_text(one: datetime, other: datetime) -> None:
    """One width, so that the store may compare texts."""
    stored = [read("Datetime", spelled(moment)) for moment in (one, other)]
    exact = [datetime.fromisoformat(each) for each in stored]
    assert (stored[0] < stored[1]) == (exact[0] < exact[1])
    assert exact[0].tzinfo == UTC


def test_read_as_accepts_only_its_pattern() -> None:
    """`read_as` takes no ISO 8601 and no member's format, and shows the pattern."""
    for given_text in ("2020-01-31T10:00:00.000Z", "31/01/2020 10:00"):
        with pytest.raises(
            InvalidValue,
            match=r"format dd-MM-yyyy HH:mm:ss\.SSS \(for example, 31-12-2020 18:30:00\.000\) "
            r"or ISO 8601 with an offset \(for example, 2020-12-31T18:30:00\.000Z\)\.$",
        ):
            DatetimeType().read_as(AT_VERSION, given_text, DEFAULT_FORMATS)


def test_serializers_are_cached() -> None:
    """A writer is made once for a pattern, a time zone and a language."""
    type_ = TYPES["Datetime"]
    assert type_.serializer("default", ROME) is type_.serializer("default", ROME)
    assert type_.serializer("default", ROME) is not type_.serializer("default", DEFAULT_FORMATS)


def test_temporal_values_outside_of_their_domain_are_refused() -> None:
    """The bounds themselves are valid."""
    domain: dict[str, Any] = {"min": "2020-01-01", "max": "2020-12-31"}
    type_ = TYPES["Date"]
    assert [violations(type_.name, day, **domain) for day in ("2020-01-01", "2020-12-31")] == [[], []]
    (mistake,) = violations(type_.name, "2021-01-01", **domain)
    assert mistake.message == "2021-01-01 is too high. Use a value from 2020-01-01 to 2020-12-31."


@each_row(
    ("name", "stored", "formats", "text"),
    [
        ("Date", "2020-02-01", DEFAULT_FORMATS, "01/02/2020"),
        ("Date", "2020-02-01", Formats("d MMMM yyyy", language="it"), "1 febbraio 2020"),
        ("Date", "2020-02-01", Formats("dd MMM"), "01 Feb (2020-02-01)"),
        ("Time", "08:00:00.000", DEFAULT_FORMATS, "08:00"),
        ("Time", "08:00:30.000", DEFAULT_FORMATS, "08:00 (08:00:30.000)"),
        ("Time", "08:00:30.000", Formats(time_format="HH:mm:ss"), "08:00:30"),
        ("Datetime", "2020-02-01T10:00:00.000Z", DEFAULT_FORMATS, "01/02/2020 10:00"),
        ("Datetime", "2020-02-01T10:00:00.000Z", ROME, "01/02/2020 11:00"),
        ("Datetime", "2020-02-01T10:00:00.001Z", ROME, "01/02/2020 11:00 (2020-02-01T10:00:00.001Z)"),
        ("Datetime", "2020-10-25T00:30:00.000Z", ROME, "25/10/2020 02:30"),
        ("Datetime", "2020-10-25T01:30:00.000Z", ROME, "25/10/2020 02:30 (2020-10-25T01:30:00.000Z)"),
        ("Datetime", "9999-12-31T23:59:00.000Z", ROME, "9999-12-31T23:59:00.000Z"),
    ],
)
def test_a_message_shows_an_instant_in_the_format_of_its_reader(
    name: str, stored: str, formats: Formats, text: str
) -> None:
    """It adds ISO 8601 if the format is less precise, or if the clocks are set back."""
    assert TYPES[name].display(stored, formats) == text


def test_bounds_are_reported_in_the_formats_of_the_member() -> None:
    domain: dict[str, Any] = {"min": "2020-01-01", "values": ("2020-01-01", "2020-02-01")}
    low, other = violations("Date", "2019-12-31", Formats("d.M.yyyy"), **domain)
    assert low.message == "31.12.2019 is too low. The minimum is 1.1.2020."
    assert other.message == "31.12.2019 is not allowed. Use 1.1.2020 or 1.2.2020."


@each_row(
    ("name", "stored", "formats", "text"),
    [
        ("Date", "2020-01-31", NEW_YORK, "2020-01-31"),
        ("Time", "10:30:00.000", NEW_YORK, "10:30:00.000"),
        ("Datetime", "2020-01-31T10:00:00.000Z", DEFAULT_FORMATS, "2020-01-31T10:00:00.000Z"),
        ("Datetime", "2020-01-31T10:00:00.001Z", ROME, "2020-01-31T11:00:00.001+01:00"),
        ("Datetime", "2020-10-25T00:30:00.000Z", ROME, "2020-10-25T02:30:00.000+02:00"),
        ("Datetime", "2020-10-25T01:30:00.000Z", ROME, "2020-10-25T02:30:00.000+01:00"),
        ("Datetime", "2020-01-31T02:00:00.000Z", NEW_YORK, "2020-01-30T21:00:00.000-05:00"),
        (
            "Datetime",
            "2020-01-31T10:00:00.000Z",
            Formats(time_zone="Europe/London"),
            "2020-01-31T10:00:00.000Z",
        ),
        # The offset of Rome was 49:56. The calendar of New York begins in the year 0.
        ("Datetime", "1800-01-01T00:00:00.000Z", ROME, "1800-01-01T00:00:00.000Z"),
        ("Datetime", "0001-01-01T00:00:00.000Z", NEW_YORK, "0001-01-01T00:00:00.000Z"),
        ("Real", "2.5E+40", ROME, "25" + 39 * "0"),
        ("Real", "-1.5E-40", ROME, "-0." + 39 * "0" + "15"),
        ("Real", "-12.5", ROME, "-12.5"),
    ],
)
def test_iso_is_the_same_in_all_formats_and_can_be_read_back(
    name: str, stored: str, formats: Formats, text: str
) -> None:
    assert written(name, stored, "iso", formats) == text
    assert read(name, text, formats) == stored


@given(
    st.datetimes(timezones=st.just(UTC)),
    st.sampled_from(["UTC", "Europe/Rome", "America/St_Johns", "Asia/Kathmandu", "Africa/Monrovia"]),
)
def test_an_instant_in_iso_8601_always_means_the_same_millisecond(moment: datetime, zone: str) -> None:
    formats, type_ = Formats(time_zone=zone), DatetimeType()
    stored = type_.to_stored(moment)
    assert type_.read_offset(type_.serializer("iso", formats)(stored), formats) == stored


@each_row(
    ("pattern", "likely"),
    [
        ("YYYY-MM-DD", "yyyy-MM-dd"),
        ("dd/MM/YYYY", "dd/MM/yyyy"),
        ("YYYY-DDD", "yyyy-DDD"),
        ("D MMM YY 'o''clock'", "dd MMM yy 'o''clock'"),
        ("yyyy-MM-dd (YYYY)", "yyyy-MM-dd (yyyy)"),
        ("YYYY-'W'ww", None),
        ("yyyy-MM-dd", None),
        ("'YYYY'", None),
        ("default", None),
        ("iso", None),
    ],
)
def test_a_week_based_year_without_a_week_is_probably_a_mistake(pattern: str, likely: str | None) -> None:
    assert TYPES["Date"].likely_pattern(pattern) == likely
    assert TYPES["Real"].likely_pattern(pattern) is None


LETTERS = [*"yMdHSaZ", "yyyy", "yy", "MM", "MMM", "dd", "HH", "mm", "ss", "SSS", "EEE"]
PATTERNS = st.lists(
    st.sampled_from([*LETTERS, *"/-%.,:", "'%s'", "''", "'", "'"]), min_size=1, max_size=8
).map("".join)


@given(PATTERNS, st.sampled_from(["UTC", "Etc/UTC", "Europe/Rome"]), st.datetimes(datetime(3, 1, 1)))  # noqa: DTZ001
def test_values_are_written_as_their_moments_are(pattern: str, zone: str, moment: datetime) -> None:
    """Some patterns copy parts of the stored text. The result is the same as from its datetime."""
    formats = Formats(time_zone=zone)
    for name in ("Date", "Time", "Datetime"):
        type_ = TYPES[name]
        assert isinstance(type_, TemporalType)
        stored = type_.to_stored(moment.replace(tzinfo=UTC))
        try:
            text = type_.serializer(pattern, formats)(stored)
        except InvalidValue:  # a Date has no hours
            continue
        own = type_.from_stored(type_.zone(formats))(stored)
        assert text == compile_date_pattern(pattern).formatter(formats.language)(own)


@each_row(
    ("formats", "name", "stored", "text"),
    [
        (ISO, "Date", "2020-12-31", "2020-12-31"),
        (ISO, "Time", "18:30:07.125", "18:30:07.125"),
        (ISO, "Datetime", "2020-12-31T18:30:07.125Z", "2020-12-31T19:30:07.125+01:00"),
        (Formats("iso", "HH:mm"), "Date", "2020-12-31", "2020-12-31"),
        (Formats("iso", "HH:mm"), "Datetime", "2020-12-31T18:30:00.000Z", "2020-12-31 18:30"),
        (Formats("dd/MM/yyyy", "iso"), "Time", "18:30:07.125", "18:30:07.125"),
        (Formats("dd/MM/yyyy", "iso"), "Datetime", "2020-12-31T18:30:07.125Z", "31/12/2020 18:30:07.125"),
    ],
)
def test_each_of_both_formats_can_be_iso_8601(formats: Formats, name: str, stored: str, text: str) -> None:
    assert written(name, stored, formats=formats) == text
    assert read(name, text, formats) == stored
    assert TYPES[name].display(stored, formats) == text


def test_with_iso_8601_no_other_format_is_read() -> None:
    for name, text in (("Date", "31/12/2020"), ("Time", "6:30 PM"), ("Datetime", "31/12/2020 18:30")):
        with pytest.raises(InvalidValue, match=r"Use ISO 8601 \(for example"):
            read(name, text, ISO)
        with pytest.raises(InvalidValue):
            read(name, 5, ISO)


@given(st.datetimes(timezones=st.just(UTC)))
def test_with_iso_8601_each_moment_comes_back(moment: datetime) -> None:
    stored = f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
    assert read("Datetime", written("Datetime", stored, formats=ISO), ISO) == stored
