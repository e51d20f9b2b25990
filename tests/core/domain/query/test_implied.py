"""What a condition accepts, the filter that it implies matches."""

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import example, given, reject
from hypothesis import strategies as st

from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.domain.query.filter import (
    MATCH_NONE,
    And,
    Comparison,
    ExpressionFilter,
    Filter,
    Or,
    RoleFilter,
)
from stratabase.core.domain.query.implied import implied_by_condition, implied_by_query
from stratabase.core.domain.query.matching import matcher
from stratabase.core.model.model import Class
from stratabase.core.model.model_expressions import evaluation_context, expressions_of
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.values.cel.environment import Environment, EvaluationContext
from stratabase.values.cel.syntax import InvalidExpression
from tests.rows import each_row

MODEL = read_model(
    """
    extend schema @application(name: "Implied")
    enum Colour { RED GREEN BLUE }
    type Thing @class(platform: [CREATED_ON, OWNED_BY]) {
      name: String count: Int price: Real good: Boolean day: Date hour: Time moment: Datetime vintage: Year
      colour: Colour
      other: Thing @association
      other_name: String @derived(path: "other.name")
      far_count: Int @derived(path: "other.other.count")
      near: String @derived(path: "other.other_name")
      long: String @derived(expression: "name + '!'")
      its_colour: Colour @derived(path: "other.colour")
    }
    """,
    "implied",
)
THING = MODEL.classes["Thing"]
NOON = 1_700_000_000_000
"""A moment in November 2023, in milliseconds."""
ZONES = ["UTC", "Europe/Rome", "Pacific/Apia", "America/Havana", "Asia/Kathmandu"]

VALUES: Mapping[str, list[Any]] = {
    "name": ["", "a", "ab", "é", "e\u0301", "RED", "\U0001f600", "10"],
    "count": [-1, 0, 1, 2, 3, 2**31 - 1],
    "price": ["-0.5", "0", "1", "2", "2.5", "1E+100"],
    "good": [True, False],
    "day": ["2023-11-14", "2023-11-15", "2011-12-30", "0001-01-01", "9999-12-31"],
    "hour": ["00:00:00", "09:30:00"],
    "moment": [
        "2023-11-14T00:00:00.000Z",
        "2023-11-14T22:13:20.000Z",
        "2023-11-14T23:00:00.000Z",
        "2023-11-15T04:59:59.999Z",
        "2011-12-30T12:00:00.000Z",
        "0001-01-01T00:00:00.000Z",
        "9999-12-31T23:59:59.999Z",
    ],
    "vintage": [1, 2023],
    "colour": ["RED", "GREEN"],
}
OPERANDS: Mapping[str, list[str]] = {
    "name": ["'a'", "caller.notes", "caller.username", "lower(caller.email)", "'é'", "concat('a', 'b')"],
    "count": ["1", "2.5", "-1 + 3", "2.0", "9223372036854775807", "size(caller.notes)", "1.0 / 3.0"],
    "price": ["1", "2.5", "0.5 + 2.0", "1.0 / 3.0", "-0.50", "9223372036854775807"],
    "good": ["true", "(caller.notes == 'a')"],
    "day": ["date('2023-11-14')", "today()", "now()", "datetime('2023-11-14T23:30:00Z')", "date(now())"],
    "hour": ["time('09:30')", "time(now())"],
    "moment": [
        "now()",
        "today()",
        "date('2011-12-30')",
        "datetime('2023-11-14T22:13:20Z')",
        "date('0001-01-01')",
    ],
    "vintage": ["2023", "2022.5", "year(today())"],
    "colour": ["'RED'", "caller.notes"],
}
ORDERED = ["<", "<=", ">", ">="]
PATHS = ["", "other.", "other.other."]

states = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) for name, values in VALUES.items()}
)


@st.composite
def comparisons(draw: st.DrawFn) -> str:
    """Draw a comparison of a path with something that is known, or one that implies nothing."""
    name = draw(st.sampled_from(list(VALUES)))
    path = draw(st.sampled_from(PATHS)) + name
    operands = st.sampled_from(OPERANDS[name])
    operators = ["=="] if name in {"good", "colour"} else ["==", *ORDERED]
    kinds = ["plain", "plain", "mirrored", "in", "prefix", "flag", "other"]
    kind = draw(st.sampled_from(kinds))
    if kind == "in":
        items = ", ".join(draw(st.lists(operands, min_size=1, max_size=3)))
        is_mixed = (
            name in {"day", "moment"} and len({"T" in one or "now()" in one for one in items.split(", ")}) > 1
        )
        return f"{path} == {draw(operands)}" if is_mixed or "date(now())" in items else f"{path} in [{items}]"
    if kind == "prefix" and name in {"name", "colour"}:
        return f"{path}.startsWith({draw(operands)})"
    if kind == "flag":
        return draw(st.sampled_from(["", "!"])) + path.removesuffix(name) + "good"
    if kind == "other":
        return draw(st.sampled_from([f"{path} != {draw(operands)}", f"isNull({path})", "name == other.name"]))
    operator = draw(st.sampled_from(operators))
    sides = [path, draw(operands)]
    return f" {operator} ".join(sides[::-1] if kind == "mirrored" else sides)


conditions = st.recursive(
    comparisons(),
    lambda parts: st.tuples(parts, st.sampled_from([" && ", " || "]), parts).map(
        lambda each: f"({''.join(each)})"
    ),
    max_leaves=4,
)


def context(zone: str, notes: str | None = "a") -> EvaluationContext:
    caller = {"id": "1", "username": "ada", "email": "A@b", "notes": notes}
    return evaluation_context(
        {name: value for name, value in caller.items() if value is not None}, NOON, ZoneInfo(zone)
    )


def holds(filter_: Filter, chain: list[dict[str, Any]], class_: Class = THING) -> bool:
    """Return whether the first state of a chain, in which `other` leads from each to the next, matches."""
    match filter_:
        case And(parts):
            return all(holds(part, chain) for part in parts)
        case Or(parts):
            return any(holds(part, chain) for part in parts)
        case RoleFilter(role, part):
            assert role == RoleName("Thing", "other")
            return len(chain) > 1 and holds(part, chain[1:])
    return bool(matcher(filter_, class_)(chain[0]))


@given(
    conditions,
    st.lists(states, min_size=1, max_size=3),
    st.sampled_from(ZONES),
    st.sampled_from([None, "a", "RED"]),
)
@example("moment == date('2011-12-30')", [{"moment": "2011-12-30T12:00:00.000Z"}], "Pacific/Apia", None)
@example("count < 2.5 && count > 1.5", [{"count": 2}], "UTC", None)
def test_an_implied_filter_matches_what_the_condition_accepts(
    text: str, chain: list[dict[str, Any]], zone: str, notes: str | None
) -> None:
    evaluation = context(zone, notes)
    try:
        condition = expressions_of(MODEL).condition("Thing", text)
    except InvalidExpression:  # some operands are of another type
        reject()
    implied = implied_by_condition(condition, THING, MODEL, evaluation)
    related = {("other",) * number: state for number, state in enumerate(chain) if number}
    accepted = condition.holds(Environment(chain[0], evaluation, related))
    assert implied is None or not accepted or holds(implied, chain), implied


def is_(name: str, value: Any, operator: Operator = Operator.EQ) -> Comparison:
    return Comparison(name, operator, value)


def along(filter_: Filter, roles: int = 1) -> Filter:
    return RoleFilter(RoleName("Thing", "other"), along(filter_, roles - 1)) if roles else filter_


@each_row(
    ("text", "implied"),
    [
        ("name == 'a'", is_("name", "a")),
        ("'a' == name", is_("name", "a")),
        ("3 > count", is_("count", 3, Operator.LT)),
        ("name == caller.notes && year(day) == 2000", is_("name", "a")),
        ("name == 'a' && count >= 2.5", And((is_("name", "a"), is_("count", 3, Operator.GTE)))),
        ("count == 2.5", MATCH_NONE),
        ("price == 2.50", is_("price", "2.5")),
        ("name == 'a' || name == 'b'", is_("name", ("a", "b"), Operator.IN)),
        ("name == 'a' || count == 1", Or((is_("name", "a"), is_("count", 1)))),
        ("name == 'a' || size(name) == 1", None),
        ("name in ['a', 'b']", is_("name", ("a", "b"), Operator.IN)),
        ("name.startsWith('a')", is_("name", "a", Operator.STARTS_WITH)),
        ("good", is_("good", True)),
        ("!other.good", along(is_("good", False))),
        ("other.name == caller.email", along(is_("name", "A@b"))),
        ("other.other.count == 1", along(is_("count", 1), 2)),
        ("other_name == 'a'", along(is_("name", "a"))),
        ("far_count == 1", along(is_("count", 1), 2)),
        ("other.near == 'a'", along(is_("name", "a"), 3)),
        ("long == 'a!'", None),
        ("name + 'b' == 'ab'", None),
        ("count + 1 > 3", None),
        ("-count == 3", None),
        ("its_colour == 'RED'", along(is_("colour", "RED"))),
        ("moment >= date('2023-11-14')", is_("moment", "2023-11-13T23:00:00.000Z", Operator.GTE)),
        ("_createdon > now()", is_("_createdon", "2023-11-14T22:13:20.000Z", Operator.GT)),
        ("name == caller.language", MATCH_NONE),
        ("name == lower(other.name)", None),
        ("name != 'a'", None),
        ("!(name == 'a')", None),
        ("isNull(name)", None),
        ("['a'].exists(x, x == name)", None),
        ("_id == caller.id", is_("_id", "1")),
    ],
)
def test_only_comparisons_with_something_known_are_implied(text: str, implied: Filter | None) -> None:
    condition = expressions_of(MODEL).condition("Thing", text)
    assert implied_by_condition(condition, THING, MODEL, context("Europe/Rome")) == implied


@each_row(
    ("filter_", "implied"),
    [
        (is_("name", "a"), None),
        (is_("other_name", "a"), along(is_("name", "a"))),
        (is_("other_name", None), None),
        (is_("other_name", ("a", None), Operator.IN), None),
        (is_("other_name", "a", Operator.NE), None),
        (is_("long", "a!"), None),
        (And((is_("name", "a"), is_("near", "b"))), along(is_("name", "b"), 2)),
        (Or((is_("name", "a"), is_("near", "b"))), Or((is_("name", "a"), along(is_("name", "b"), 2)))),
        (Or((is_("name", "a"), is_("long", "b"))), None),
        (along(is_("name", "a")), None),
        (along(is_("other_name", "a")), along(And((is_("other_name", "a"), along(is_("name", "a")))))),
    ],
)
def test_filters_on_derived_attributes_imply_filters_on_roles(
    filter_: Filter, implied: Filter | None
) -> None:
    assert implied_by_query(filter_, THING, MODEL) == implied


def test_expressions_of_clients_imply_filters() -> None:
    condition = expressions_of(MODEL).filter("Thing", "name == 'a' && other_name == 'b'")
    implied = implied_by_query(ExpressionFilter(condition, context("UTC")), THING, MODEL)
    assert implied == And((is_("name", "a"), along(is_("name", "b"))))
