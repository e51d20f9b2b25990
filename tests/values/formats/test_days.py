"""Days in time zones: 23, 24 or 25 hours, none at all, and midnights that are skipped or repeated."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from stratabase.values.formats.iso import day_of, first_of_day, last_of_day
from tests.rows import each_row

MILLISECOND = timedelta(milliseconds=1)
ZONES = [
    "UTC",
    "Europe/Rome",
    "America/New_York",
    "America/Sao_Paulo",
    "America/Toronto",
    "America/Havana",
    "America/St_Johns",
    "Africa/Cairo",
    "Asia/Beirut",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Apia",
]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


@each_row(
    ("zone", "day", "first", "last"),
    [
        ("UTC", "2020-02-29", "2020-02-29T00:00:00Z", "2020-02-29T23:59:59.999Z"),
        ("Europe/Rome", "2020-03-29", "2020-03-28T23:00:00Z", "2020-03-29T21:59:59.999Z"),
        ("Europe/Rome", "2020-10-25", "2020-10-24T22:00:00Z", "2020-10-25T22:59:59.999Z"),
        ("Asia/Kathmandu", "2020-01-01", "2019-12-31T18:15:00Z", "2020-01-01T18:14:59.999Z"),
        # Midnight is skipped: the day begins at 01:00.
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", "2018-11-05T01:59:59.999Z"),
        # From 23:30 to 00:30.
        ("America/Toronto", "1919-03-31", "1919-03-31T04:30:00Z", "1919-04-01T03:59:59.999Z"),
        # Midnight occurs twice, both times on this day.
        ("America/Havana", "2020-11-01", "2020-11-01T04:00:00Z", "2020-11-02T04:59:59.999Z"),
        # From 00:01 back to 23:01: the day begins at the second midnight.
        ("America/St_Johns", "2009-11-01", "2009-11-01T03:30:00Z", "2009-11-02T03:29:59.999Z"),
        # A day that does not exist.
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", "2011-12-30T09:59:59.999Z"),
        # The ends of the calendar.
        ("Asia/Tokyo", "0001-01-01", "0001-01-01T00:00:00Z", "0001-01-01T14:41:00.999Z"),
        ("America/New_York", "0001-01-01", "0001-01-01T00:00:00Z", "0001-01-02T04:56:01.999Z"),
        ("Asia/Tokyo", "9999-12-31", "9999-12-30T15:00:00Z", "9999-12-31T23:59:59.999999Z"),
        ("America/New_York", "9999-12-31", "9999-12-31T05:00:00Z", "9999-12-31T23:59:59.999999Z"),
    ],
)
def test_a_day_begins_and_ends_in_its_time_zone(zone: str, day: str, first: str, last: str) -> None:
    zone_info, of_day = ZoneInfo(zone), date.fromisoformat(day)
    assert first_of_day(of_day, zone_info) == moment(first)
    assert last_of_day(of_day, zone_info) == moment(last)


def test_between_two_midnights_it_is_still_the_day_before() -> None:
    """At 00:01, clocks were put back to 23:01."""
    zone = ZoneInfo("America/St_Johns")
    days = {
        text: day_of(moment(f"2009-11-01T{text}Z").astimezone(zone)).day
        for text in ("02:29:59", "02:30:30", "02:31:00", "03:29:59", "03:30:00")
    }
    assert days == {"02:29:59": 31, "02:30:30": 31, "02:31:00": 31, "03:29:59": 31, "03:30:00": 1}


@given(
    st.sampled_from(ZONES).map(ZoneInfo),
    st.datetimes(datetime(1900, 1, 1), datetime(2037, 12, 31)),  # noqa: DTZ001 - the time zone follows
)
def test_each_moment_lies_in_its_day_only(zone: ZoneInfo, naive: datetime) -> None:
    instant = naive.replace(tzinfo=UTC, microsecond=naive.microsecond // 1000 * 1000)
    local = instant.astimezone(zone)
    day = day_of(local)
    assert day == local.date() or (local.minute == 0 and local.date() - day == timedelta(days=1))
    assert first_of_day(day, zone) <= instant <= last_of_day(day, zone)
    assert last_of_day(day - timedelta(days=1), zone) + MILLISECOND == first_of_day(day, zone)
