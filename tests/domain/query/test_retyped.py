"""Values that no longer fit the type of their attribute count as null."""

from dataclasses import replace
from typing import Any

import pytest

from stratabase.domain.query import cursor
from stratabase.domain.query.filter import Comparison
from stratabase.domain.query.matching import matcher
from stratabase.domain.query.order import Order, OrderTerm, Position, comparator, position_of, sort_objects
from stratabase.model.types import TYPES
from stratabase.model.types.operators import EXISTENCE_OPERATORS, MEMBERSHIP_OPERATORS, Operator
from tests.models import THING

LEFT: list[tuple[str, Any]] = [
    ("name", 5),
    ("name", True),
    ("name", {"fileId": "f"}),
    ("count", "5"),
    ("count", True),
    ("price", "abc"),
    ("price", "1.50"),
    ("price", "-0"),
    ("price", "1E+2"),
    ("price", "9" * 39),
    ("price", 5),
    ("good", 1),
    ("good", "true"),
    ("vintage", "1999"),
    ("day", 5),
    ("picture", "f"),
]
GOOD: dict[str, Any] = {
    "name": "5",
    "count": 1,
    "price": "1.5",
    "good": True,
    "vintage": 1999,
    "day": "2020-01-01",
    "picture": {"fileId": "f", "name": "a"},
}


@pytest.mark.parametrize(("name", "left"), LEFT)
def test_every_operator_treats_a_value_of_a_former_type_as_null(name: str, left: Any) -> None:
    for operator in THING.attributes[name].type.operators:
        for operand in _operands(operator, "f" if name == "picture" else GOOD[name]):
            test = matcher(Comparison(name, operator, operand), THING)
            assert test({name: left}) is test({}), operator


def _operands(operator: Operator, good: Any) -> list[Any]:
    if operator in EXISTENCE_OPERATORS:
        return [True, False]
    if operator in MEMBERSHIP_OPERATORS:
        return [(), (good,), (good, None)]
    return [good, None] if operator in {Operator.EQ, Operator.NE} else [good]


@pytest.mark.parametrize(("name", "left"), LEFT)
def test_a_value_of_a_former_type_is_ordered_as_null(name: str, left: Any) -> None:
    order = Order.of([OrderTerm(name)])
    states: list[dict[str, Any]] = [{"_id": "3", name: GOOD[name]}, {"_id": "2", name: left}, {"_id": "1"}]
    assert [state["_id"] for state in sort_objects(states, lambda state: state, order, THING)] == [
        "1",
        "2",
        "3",
    ]
    text = cursor.encode_cursor(position_of(states[1], order), order, THING)
    assert cursor.decode_cursor(text, order, THING) == Position((None, "2"))
    side = comparator(Position((None, "2")), order, THING)
    assert [side(state) for state in states] == [1, 0, -1]


@pytest.mark.parametrize("name", GOOD)
def test_a_value_that_the_new_type_can_hold_is_not_null(name: str) -> None:
    assert matcher(Comparison(name, Operator.NULL, operand=False), THING)({name: GOOD[name]})


@pytest.mark.parametrize(
    "text", ["0", "10", "-0.001", "1.5", "2.5E+40", "1E-130", "9" * 38, "0." + "0" * 37 + "1"]
)
def test_canonical_numbers_stay_numbers(text: str) -> None:
    assert TYPES["Real"].storage.accepts(text)


def test_a_text_that_becomes_another_kind_of_text_stays() -> None:
    attributes = {**THING.attributes, "name": replace(THING.attributes["name"], type=TYPES["Text"])}
    assert matcher(Comparison("name", Operator.EQ, "a"), replace(THING, attributes=attributes))({"name": "a"})
