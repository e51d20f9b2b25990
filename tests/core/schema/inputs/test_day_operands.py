"""A Datetime compared with a day, and a Date with an instant: filters and expressions agree with days."""

import operator
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.query.filter import MATCH_NONE, Comparison
from stratabase.core.domain.query.matching import matcher
from stratabase.core.model.model_expressions import ModelSymbols
from stratabase.core.model.types.operators import Operator
from stratabase.core.schema.inputs.filter_reader import FilterReader
from stratabase.core.store.query.filter_analysis import index_constraints
from stratabase.values.cel.environment import Environment, EvaluationContext
from stratabase.values.cel.expression import compile_expression
from stratabase.values.cel.scope import Scope
from stratabase.values.formats.preferences import Formats
from tests.models import THING, THINGS
from tests.rows import each_row

ZONES = ["UTC", "Europe/Rome", "America/New_York", "America/Sao_Paulo", "Asia/Kathmandu", "Pacific/Apia"]
DAYS = ["2018-11-03", "2018-11-04", "2020-03-28", "2020-03-29", "2020-10-25", "2011-12-30", "2011-12-31"]
OPERATORS: Mapping[str, Callable[[date, date], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "lte": operator.le,
    "gt": operator.gt,
    "gte": operator.ge,
}
SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
NAMES = ModelSymbols(THINGS)
READER = FilterReader(THINGS, THING)
MOMENT = THING.attributes["moment"]
moments = st.builds(
    lambda day, minute: f"{day}T{minute // 60:02}:{minute % 60:02}:59.999Z",
    st.sampled_from(DAYS),
    st.sampled_from([0, 2 * 60 + 59, 4 * 60, 10 * 60 - 1, 18 * 60 + 14, 22 * 60, 23 * 60 + 59]),
)


def matches(filter_: Mapping[str, Any], state: Mapping[str, Any], formats: Formats) -> bool:
    return matcher(READER.read(filter_, formats, ()), THING)(dict(state))


def holds(text: str, state: Mapping[str, Any], zone: str) -> bool:
    expression = compile_expression(text, Scope(NAMES, "Thing"))
    return expression.holds(Environment(state, EvaluationContext(zone=ZoneInfo(zone))))


def day_in(zone: str, moment: str) -> date:
    """Return the day that a calendar in the zone shows. The zones have no day that ends twice."""
    return datetime.fromisoformat(moment).astimezone(ZoneInfo(zone)).date()


@given(
    st.sampled_from(ZONES),
    st.sampled_from(list(OPERATORS)),
    st.sampled_from(DAYS),
    st.none() | moments,
)
def test_a_datetime_compares_with_a_day(zone: str, name: str, day: str, moment: str | None) -> None:
    formats, state = Formats(time_zone=zone), {"_id": "t", **({"moment": moment} if moment else {})}
    expected = (
        name == "ne" if moment is None else OPERATORS[name](day_in(zone, moment), date.fromisoformat(day))
    )
    written = date.fromisoformat(day).strftime("%d/%m/%Y")
    assert matches({f"moment___{name}": day}, state, formats) is expected
    assert matches({f"moment___{name}": written}, state, formats) is expected
    # In an expression, a comparison with null is null.
    known = moment is not None and expected
    assert holds(f"moment {SIGNS[name]} date('{day}')", state, zone) is known
    assert matches({"NOT": {f"moment___{name}": day}}, state, formats) is not expected


@given(
    st.sampled_from(ZONES),
    st.sampled_from(list(OPERATORS)),
    st.none() | st.sampled_from(DAYS),
    moments,
)
def test_a_date_compares_with_the_day_of_an_instant(
    zone: str, name: str, day: str | None, moment: str
) -> None:
    formats, state = Formats(time_zone=zone), {"_id": "t", **({"day": day} if day else {})}
    expected = name == "ne" if day is None else OPERATORS[name](date.fromisoformat(day), day_in(zone, moment))
    assert matches({f"day___{name}": moment}, state, formats) is expected
    known = day is not None and expected
    assert holds(f"day {SIGNS[name]} datetime('{moment}')", state, zone) is known
    assert holds(f"day {SIGNS[name]} moment", {**state, "moment": moment}, zone) is known


@given(
    st.sampled_from(ZONES),
    st.lists(st.none() | st.sampled_from(DAYS) | moments, max_size=5),
    st.none() | moments,
)
def test_lists_contain_days_instants_and_null(
    zone: str, operand: list[str | None], moment: str | None
) -> None:
    formats, state = Formats(time_zone=zone), {"_id": "t", **({"moment": moment} if moment else {})}
    expected = any(
        one == moment
        or (
            moment is not None
            and one is not None
            and len(one) == 10
            and one == day_in(zone, moment).isoformat()
        )
        for one in operand
    )
    assert matches({"moment___in": operand}, state, formats) is expected
    assert matches({"moment___not___in": operand}, state, formats) is not expected
    days = [one for one in operand if one and len(one) == 10]
    if days and moment:
        listed = ", ".join(f"date('{day}')" for day in days)
        assert holds(f"moment in [{listed}]", state, zone) is (day_in(zone, moment).isoformat() in days)


@given(st.sampled_from(ZONES), st.sampled_from(DAYS), st.lists(moments, min_size=1, max_size=3))
def test_a_date_is_in_a_list_of_instants(zone: str, day: str, instants: list[str]) -> None:
    formats, state = Formats(time_zone=zone), {"_id": "t", "day": day}
    expected = day in {day_in(zone, one).isoformat() for one in instants}
    assert matches({"day___in": instants}, state, formats) is expected
    listed = ", ".join(f"datetime('{one}')" for one in instants)
    assert holds(f"day in [{listed}]", state, zone) is expected
    assert holds(f"day in [moment, {listed}]", state, zone) is expected


def test_a_day_is_one_range_of_an_index() -> None:
    rome = Formats(time_zone="Europe/Rome")
    filter_ = READER.read({"moment___eq": "2020-10-25"}, rome, ())
    bounds = ("2020-10-24T22:00:00.000Z", "2020-10-25T22:59:59.999Z")
    assert filter_ == Comparison("moment", Operator.WITHIN, bounds)
    (range_,) = index_constraints(filter_, THING)["moment"].ranges
    ends = READER.read({"moment___gte": bounds[0], "moment___lte": bounds[1]}, rome, ())
    (expected,) = index_constraints(ends, THING)["moment"].ranges
    assert (range_.low, range_.high) == (expected.low, expected.high)


def test_days_and_instants_of_a_list_become_ascending_ranges_without_overlaps() -> None:
    operand = ["2020-02-01", "2020-01-01T12:00:00Z", "2020-01-01", "2020-02-01"]
    filter_ = READER.read({"moment___in": operand}, Formats(), ())
    assert isinstance(filter_, Comparison)
    assert filter_.operand == (
        "2020-01-01T00:00:00.000Z",
        "2020-01-01T23:59:59.999Z",
        "2020-02-01T00:00:00.000Z",
        "2020-02-01T23:59:59.999Z",
    )
    assert len(index_constraints(filter_, THING)["moment"].ranges) == 2


def test_a_day_that_a_time_zone_skips_has_no_instants() -> None:
    assert READER.read({"moment___eq": "2011-12-30"}, Formats(time_zone="Pacific/Apia"), ()) == MATCH_NONE


@each_row("value", ["soon", "2020-02-30", "10:30", 20200131, True])
@each_row("field", ["moment___eq", "moment___lt", "day___gte"])
def test_neither_a_day_nor_an_instant_is_refused_with_the_formats(field: str, value: Any) -> None:
    with pytest.raises(Refused) as refusal:
        READER.read({field: value}, Formats(), ("options", "filter"))
    (issue,) = refusal.value.issues
    assert issue.path == ("options", "filter", field)
    type_ = "Datetime" if field.startswith("moment") else "Date"
    assert f"is not a valid {type_}. Use the format dd/MM/yyyy" in issue.message
    assert "ISO 8601" in issue.message


def test_text_is_not_compared_with_a_datetime() -> None:
    """A filter reads texts; an expression has values of types."""
    assert not matches({"moment___eq": "2020-01-01"}, {"moment": "2020-01-02T00:00:00.000Z"}, Formats())
    with pytest.raises(Exception, match="Write a Datetime as"):
        compile_expression("moment == '2020-01-01'", Scope(NAMES, "Thing"))


@each_row("zone", ["America/Los_Angeles", "Etc/GMT+12", "Asia/Tokyo", "Pacific/Kiritimati"])
@each_row("name", OPERATORS)
@each_row("day", ["0001-01-01", "0001-01-02", "9999-12-30", "9999-12-31"])
@each_row("moment", ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])
def test_the_ends_of_the_calendar_are_shown_and_compared_alike(
    zone: str, name: str, day: str, moment: str
) -> None:
    """The time zone may have no day there, so it is the first or the last one."""
    formats, state = Formats(time_zone=zone), {"_id": "t", "moment": moment}
    shown = date.fromisoformat(MOMENT.type.serializer("yyyy-MM-dd", formats)(moment))
    expected = OPERATORS[name](shown, date.fromisoformat(day))
    assert matches({f"moment___{name}": day}, state, formats) == expected
    assert holds(f"moment {SIGNS[name]} date('{day}')", state, zone) == expected
    assert holds(f"date(moment) {SIGNS[name]} date('{day}')", state, zone) == expected
    assert holds(f"year(moment) == {shown.year}", state, zone)
    assert holds("datetime(date(moment)) <= moment", state, zone)
