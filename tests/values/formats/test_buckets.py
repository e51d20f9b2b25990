"""Buckets of dates and instants are those of the local calendar."""

from datetime import UTC, datetime, tzinfo
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from stratabase.values.formats.buckets import Bucket, bucket_reader
from stratabase.values.formats.iso import datetime_reader
from tests.rows import each_row
from tests.soak import count, seed


def naive_bucket(bucket: Bucket, value: Any, zone: tzinfo) -> str:
    moment = datetime.fromisoformat(value)
    local = moment.astimezone(zone) if moment.tzinfo else moment
    year, week, _ = local.isocalendar()
    return {
        Bucket.YEAR: f"{local.year:04}",
        Bucket.QUARTER: f"{local.year:04}-Q{1 + (local.month - 1) // 3}",
        Bucket.MONTH: f"{local.year:04}-{local.month:02}",
        Bucket.WEEK: f"{year:04}-W{week:02}",
        Bucket.DAY: f"{local.year:04}-{local.month:02}-{local.day:02}",
        Bucket.HOUR: f"{local.year:04}-{local.month:02}-{local.day:02}T{local.hour:02}",
    }[bucket]


@each_row(
    "zone",
    ["UTC", "Europe/Rome", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Monrovia", "America/Sao_Paulo"],
)
def test_buckets_are_those_of_the_local_time(zone: str) -> None:
    chance, here = Random(seed()), ZoneInfo(zone)
    first, last = datetime(1890, 1, 1, tzinfo=UTC).timestamp(), datetime(2040, 1, 1, tzinfo=UTC).timestamp()
    instants = [datetime.fromtimestamp(chance.uniform(first, last), UTC) for _ in range(count(100, 5_000))]
    stored = [f"{each:%Y-%m-%dT%H:%M:%S}.{each.microsecond // 1000:03}Z" for each in instants]
    # Two instants of an hour, one after the other, share what is known of the hour.
    stored += [f"{each[:14]}{minute}:00.000Z" for each in stored for minute in ("00", "29", "30", "59")]
    for bucket in Bucket:
        local = datetime_reader(UTC if zone == "UTC" else here)
        read = bucket_reader(bucket, local, is_zoned=zone != "UTC")
        expected = [naive_bucket(bucket, each, here) for each in stored]
        assert read([*stored, None]) == [*expected, None], bucket


def test_weeks_belong_to_the_year_of_their_thursday() -> None:
    read = bucket_reader(Bucket.WEEK, datetime.fromisoformat, is_zoned=False)
    days = ["2020-12-31", "2021-01-03", "2021-01-04", "0001-01-01", "9999-12-31"]
    assert read(days) == ["2020-W53", "2020-W53", "2021-W01", "0001-W01", "9999-W52"]
