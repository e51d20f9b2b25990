"""Orders: the meaning of terms and positions, and sorting."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.query.order import (
    Order,
    OrderTerm,
    Position,
    comparator,
    compare_positions,
    position_of,
    sort_objects,
)
from tests.core.domain.query import naive
from tests.core.domain.query.queries import many_states, orders, positions
from tests.models import THING
from tests.rows import each_row

ID, ID_DOWN = OrderTerm("_id"), OrderTerm("_id", descending=True)
NAME, NAME_DOWN, COUNT = OrderTerm("name"), OrderTerm("name", descending=True), OrderTerm("count")


@each_row(
    ("terms", "meant"),
    [
        ((), (ID,)),
        ((NAME,), (NAME, ID)),
        ((NAME, COUNT), (NAME, COUNT, ID)),
        ((NAME, ID_DOWN), (NAME, ID_DOWN)),
        ((NAME, NAME_DOWN, COUNT), (NAME, COUNT, ID)),
        ((NAME, ID, COUNT), (NAME, ID)),
        ((ID_DOWN, ID, NAME), (ID_DOWN,)),
    ],
)
def test_an_order_names_each_attribute_once_and_ends_with_the_id(
    terms: tuple[OrderTerm, ...], meant: tuple[OrderTerm, ...]
) -> None:
    assert Order.of(terms).terms == meant


def test_reversing_an_order_reverses_each_term() -> None:
    assert Order.of([NAME]).reversed() == Order((NAME_DOWN, ID_DOWN))


def test_a_position_holds_a_value_for_each_term() -> None:
    assert position_of({"_id": "x", "name": "n"}, Order.of([COUNT, NAME])) == Position((None, "n", "x"))


NULL, LOW, HIGH = ({"_id": "1"}, {"_id": "2", "price": "-9"}, {"_id": "3", "price": "10"})


def test_null_is_first_ascending_and_last_descending_and_decimals_are_numbers() -> None:
    price, down = Order.of([OrderTerm("price")]), Order.of([OrderTerm("price", descending=True)])
    assert sort_objects([HIGH, NULL, LOW], _itself, price, THING) == [NULL, LOW, HIGH]
    assert sort_objects([NULL, LOW, HIGH], _itself, down, THING) == [HIGH, LOW, NULL]


@each_row("down", [False, True])
def test_files_are_ordered_by_name_by_code_point_and_then_by_id(*, down: bool) -> None:
    names = [None, "", "A.png", "Z.png", "a.png", "a.png", "é.png", "\uffff", "\U0001f600"]
    states = [
        {"_id": f"{place}"} | ({} if name is None else {"picture": {"fileId": f"f{-place}", "name": name}})
        for place, name in enumerate(names)
    ]
    order = Order.of([OrderTerm("picture", down), OrderTerm("_id", down)])
    expected = states[::-1] if down else states
    assert sort_objects(states[::2] + states[1::2], _itself, order, THING) == expected


def _itself(state: Any) -> Any:
    return state


def test_a_short_position_covers_all_states_with_its_values() -> None:
    side = comparator(Position(("b",)), Order.of([NAME, COUNT]), THING)
    names: list[dict[str, Any]] = [{"name": "a"}, {"name": "b"}, {"name": "b", "count": 1}, {"name": "c"}, {}]
    assert [side(state) for state in names] == [-1, 0, 0, 1, -1]


@pytest.mark.soak
@given(many_states, orders, st.randoms(use_true_random=False))
def test_sorting_agrees_with_the_naive_model(
    states: list[dict[str, Any]], order: Order, chance: random.Random
) -> None:
    chance.shuffle(states)
    assert list(sort_objects(states, _itself, order, THING)) == naive.in_order(states, order, THING)


@pytest.mark.soak
@given(st.data(), many_states, orders)
def test_the_place_of_a_state_agrees_with_the_naive_model(
    data: st.DataObject, states: list[dict[str, Any]], order: Order
) -> None:
    position = data.draw(positions(order))
    side = comparator(position, order, THING)
    assert [side(state) for state in states] == [
        naive.direction(order, THING, naive.values(order, state), position.values) for state in states
    ]


@pytest.mark.soak
@given(st.data(), orders)
def test_comparison_of_positions_agrees_with_the_naive_model(data: st.DataObject, order: Order) -> None:
    left, right = data.draw(positions(order)), data.draw(positions(order))
    expected = naive.direction(order, THING, left.values, right.values)
    assert compare_positions(left, right, order, THING) == expected
    assert compare_positions(right, left, order, THING) == -expected
