"""Filters: every operator on every type, with any nesting."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from stratabase.core.domain.objects.entity import State
from stratabase.core.domain.query.filter import And, Comparison, ExpressionFilter, Filter, Not, Or, or_
from stratabase.core.domain.query.matching import COMPARISONS, SEARCHES, matcher
from stratabase.core.model.model_expressions import ModelSymbols
from stratabase.core.model.types.operators import Operator
from stratabase.values.cel.environment import EvaluationContext
from stratabase.values.cel.expression import compile_expression
from stratabase.values.cel.scope import Scope
from tests.core.domain.query import naive
from tests.core.domain.query.queries import VALUES, filters, many_states
from tests.models import THING, model
from tests.rows import each_row

PRECOMPOSED, DECOMPOSED = "\u00e9", "e\u0301"
BEYOND_PLANE_0 = "\U0001f600"

ATTRIBUTES_IN_ORDER: dict[str, tuple[Any, ...]] = {
    "name": ("A", "a", "b"),
    "notes": (DECOMPOSED, PRECOMPOSED, BEYOND_PLANE_0),
    "count": (-1, 9, 10),
    "price": ("-9", "9", "10"),
    "day": tuple(VALUES["day"]),
    "hour": tuple(VALUES["hour"]),
    "moment": tuple(VALUES["moment"]),
    "vintage": (1, 1999, 2024),
}
"""Three stored values of each type that has an order, the smallest first."""


def holds(attribute: str, operator: Operator, operand: Any, value: Any) -> bool:
    """Return whether a comparison holds for a value. Null is stored as a missing value."""
    state = {"_id": "x"} if value is None else {"_id": "x", attribute: value}
    return matcher(Comparison(attribute, operator, operand), THING)(state)


@each_row("attribute", ATTRIBUTES_IN_ORDER)
@each_row(
    ("operator", "answers"),
    [
        (Operator.EQ, [False, False, True, False]),
        (Operator.NE, [True, True, False, True]),
        (Operator.LT, [False, True, False, False]),
        (Operator.LTE, [False, True, True, False]),
        (Operator.GT, [False, False, False, True]),
        (Operator.GTE, [False, False, True, True]),
    ],
)
def test_comparisons_match_by_value(attribute: str, operator: Operator, answers: list[bool]) -> None:
    """Null and three values, compared with the middle one: only `ne` matches null."""
    values = ATTRIBUTES_IN_ORDER[attribute]
    assert [holds(attribute, operator, values[1], value) for value in (None, *values)] == answers


@each_row("attribute", VALUES)
@each_row(
    ("operator", "operand", "null", "value"),
    [
        (Operator.EQ, None, True, False),
        (Operator.NE, None, False, True),
        (Operator.NULL, True, True, False),
        (Operator.NULL, False, False, True),
        (Operator.NOT_NULL, True, False, True),
        (Operator.NOT_NULL, False, True, False),
    ],
)
def test_a_missing_value_is_null(
    attribute: str, operator: Operator, operand: bool | None, null: bool, value: bool
) -> None:
    """A missing value is null for every type. 0, false and the empty text are not null."""
    assert holds(attribute, operator, operand, None) is null
    assert {holds(attribute, operator, operand, one) for one in VALUES[attribute]} == {value}


@each_row(
    ("operator", "operand", "same", "other", "null"),
    [
        (Operator.EQ, "f1", True, False, False),
        (Operator.NE, "f1", False, True, True),
        (Operator.EQ, None, False, False, True),
        (Operator.NE, None, True, True, False),
    ],
)
def test_files_are_equal_if_their_file_ids_are(
    operator: Operator, operand: Any, same: bool, other: bool, null: bool
) -> None:
    file = {"fileId": "f1", "name": "a.png", "mimeType": "image/png", "size": 1}
    assert holds("picture", operator, operand, {**file, "name": "b.png", "size": 2}) is same
    assert holds("picture", operator, operand, {**file, "fileId": "f2"}) is other
    assert holds("picture", operator, operand, None) is null


def test_alternatives_of_one_file_attribute_are_merged() -> None:
    one, other = (Comparison("picture", Operator.EQ, id_) for id_ in ("f1", "f2"))
    either = or_([one, other, Comparison("picture", Operator.EQ, None)])
    found = [matcher(either, THING)({"picture": {"fileId": id_}}) for id_ in ("f1", "f2", "f3")]
    assert either == Comparison("picture", Operator.IN, ("f1", "f2", None))
    assert [*found, matcher(either, THING)({})] == [True, True, False, True]


@each_row("operator", [Operator.NULL, Operator.NOT_NULL])
def test_a_file_matches_null_operators(operator: Operator) -> None:
    assert holds("picture", operator, True, {"fileId": "f"}) is (operator is Operator.NOT_NULL)
    assert holds("picture", operator, True, None) is (operator is Operator.NULL)


@each_row(
    ("text", "expected"),
    [
        ("count > 1", [True, False, False]),
        ("name == caller.username", [True, False, False]),
        ("good", [False] * 3),
    ],
)
def test_a_condition_holds_if_it_is_true_and_not_if_it_is_null(text: str, expected: list[bool]) -> None:
    """Negated, it is the other way round."""
    expression = compile_expression(text, Scope(ModelSymbols(model(THING)), "Thing"))
    condition = ExpressionFilter(expression, EvaluationContext({"username": "a"}))
    states: list[State] = [{"_id": "x", "count": 2, "name": "a"}, {"_id": "y", "count": 1}, {"_id": "z"}]
    test, negation = matcher(condition, THING), matcher(Not(condition), THING)
    assert [test(state) for state in states] == expected
    assert [negation(state) for state in states] == [not one for one in expected]


def test_every_operator_has_a_factory() -> None:
    assert {*COMPARISONS, *SEARCHES} == set(Operator)


def _and(part: Filter) -> Filter:
    return And((And(()), part))


def _or(part: Filter) -> Filter:
    return Or((Or(()), part))


@each_row("wraps", [(Not,), (_and,), (_or,), (_and, Not, _or, Not)])
def test_filters_may_be_nested_200_deep(wraps: tuple[Callable[[Filter], Filter], ...]) -> None:
    """An even number of negations does not change the innermost filter."""
    nested: Filter = Comparison("name", Operator.EQ, "a")
    for level in range(200):
        nested = wraps[level % len(wraps)](nested)
    test = matcher(nested, THING)
    assert test({"_id": "x", "name": "a"})
    assert not test({"_id": "x", "name": "b"})


@pytest.mark.soak
@given(filters, many_states)
def test_every_filter_agrees_with_the_naive_model(filter_: Filter, states: list[dict[str, Any]]) -> None:
    test = matcher(filter_, THING)
    assert [test(state) for state in states] == [naive.matches(filter_, state, THING) for state in states]


@each_row(
    "filter_",
    [
        Comparison("notes", Operator.CONTAINS, "b"),
        Comparison("notes", Operator.NOT_CONTAINS, "b"),
        Not(Or((Comparison("notes", Operator.CONTAINS, "b"),))),
        And((Comparison("notes", Operator.NOT_CONTAINS, "b"), Comparison("_id", Operator.EQ, "x"))),
    ],
)
def test_the_search_of_a_long_text_is_announced(filter_: Filter) -> None:
    searched: list[int] = []
    matches = matcher(filter_, THING, searched.append)

    for length in (10, 2000):
        matches({"_id": "x", "notes": "a" * length})

    assert searched == [2000]


def test_what_is_announced_can_end_a_test() -> None:
    """A single object may have hundreds of comparisons with its long text."""

    def stop(_: int) -> None:
        raise TimeoutError

    matches = matcher(Comparison("notes", Operator.CONTAINS, "b"), THING, stop)
    with pytest.raises(TimeoutError):
        matches({"_id": "x", "notes": "a" * 2000})
