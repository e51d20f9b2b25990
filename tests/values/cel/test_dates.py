"""Dates and instants in the caller's time zone."""

from datetime import UTC
from zoneinfo import ZoneInfo

from stratabase.values.cel.environment import Environment, EvaluationContext
from tests.rows import each_row
from tests.values.cel.evaluation import OBJECT, expression, value

ROME = ZoneInfo("Europe/Rome")
NEW_YORK = ZoneInfo("America/New_York")
ANYWHERE = {
    "year(day)": 2020,
    "month(day)": 2,
    "day(day)": 29,
    "date('2020-01-31')": "2020-01-31",
    "date(name)": None,
    "time('18:30')": "18:30:00.000",
    "time('18:30:01.25')": "18:30:01.250",
    "datetime('2020-01-31T10:00:00Z')": "2020-01-31T10:00:00.000Z",
    "datetime('2020-01-31T10:00:00.1239+02:00')": "2020-01-31T08:00:00.123Z",
    "dateDiff(date('2020-03-01'), day)": 1,
    "dateDiff(day, date('2021-02-28'))": -365,
    "dateDiff(date('9999-12-31'), date('0001-01-01'))": 3652058,
    "now()": "2020-03-01T00:00:00.000Z",
    "now() > moment": True,
    "string(datetime('2020-01-31T10:00:00Z'))": "2020-01-31T10:00:00.000Z",
}
BY_ZONE = {
    "today()": ("2020-03-01", "2020-03-01", "2020-02-29"),
    "year(moment)": (2020, 2020, 2020),
    "month(moment)": (1, 2, 1),
    "day(moment)": (31, 1, 31),
    "date(moment)": ("2020-01-31", "2020-02-01", "2020-01-31"),
    "time(moment)": ("23:30:00.000", "00:30:00.000", "18:30:00.000"),
    "datetime(day)": ("2020-02-29T00:00:00.000Z", "2020-02-28T23:00:00.000Z", "2020-02-29T05:00:00.000Z"),
    "datetime('2020-07-01T12:00')": (
        "2020-07-01T12:00:00.000Z",
        "2020-07-01T10:00:00.000Z",
        "2020-07-01T16:00:00.000Z",
    ),
    "dateDiff(today(), moment)": (30, 29, 29),
    "dateDiff(now(), moment)": (30, 29, 29),
    "dateDiff(moment, today())": (-30, -29, -29),
    "today() == day": (False, False, True),
}


@each_row(("text", "wanted"), ANYWHERE.items())
def test_dates_have_the_same_value_in_every_zone(text: str, wanted: object) -> None:
    assert [value(text, zone) for zone in (UTC, ROME, NEW_YORK)] == [wanted] * 3


@each_row(("text", "wanted"), BY_ZONE.items())
def test_parts_of_an_instant_depend_on_the_time_zone(text: str, wanted: tuple[object, ...]) -> None:
    assert tuple(value(text, zone) for zone in (UTC, ROME, NEW_YORK)) == wanted


@each_row(
    ("stored", "text"),
    [
        ("0001-01-01T00:00:00.000Z", "year(moment)"),
        ("9999-12-31T23:59:59.999Z", "year(moment)"),
        ("0001-01-01T00:00:00.000Z", "date(moment)"),
    ],
)
def test_instants_at_the_year_limits_ignore_the_time_zone(stored: str, text: str) -> None:
    evaluation = EvaluationContext(zone=NEW_YORK if stored.startswith("0") else ZoneInfo("Asia/Tokyo"))
    found = expression(text).evaluate(Environment({"moment": stored}, evaluation))
    assert str(found)[:4] in (stored[:4], stored[:4].lstrip("0"))


def test_an_instant_before_year_1_is_null() -> None:
    evaluation = EvaluationContext(zone=ZoneInfo("Asia/Tokyo"))
    assert expression("datetime('0001-01-01T00:00')").evaluate(Environment(OBJECT, evaluation)) is None


@each_row(
    ("zone", "day", "first"),
    [
        ("Asia/Tokyo", "0001-01-01", "0001-01-01T00:00:00.000Z"),
        ("America/New_York", "0001-01-01", "0001-01-01T00:00:00.000Z"),
        ("Asia/Tokyo", "9999-12-31", "9999-12-30T15:00:00.000Z"),
        ("America/New_York", "9999-12-31", "9999-12-31T05:00:00.000Z"),
        ("America/St_Johns", "2009-11-01", "2009-11-01T03:30:00.000Z"),
        ("Asia/Tokyo", "no day", None),
    ],
)
def test_the_instant_of_a_day_is_its_first_one(zone: str, day: str, first: str | None) -> None:
    evaluation = EvaluationContext(zone=ZoneInfo(zone))
    assert expression("datetime(day)").evaluate(Environment({"day": day}, evaluation)) == first


def test_now_has_milliseconds() -> None:
    found = expression("now()").evaluate(Environment(OBJECT, EvaluationContext(now=1_700_000_000_987)))
    assert found == "2023-11-14T22:13:20.987Z"
