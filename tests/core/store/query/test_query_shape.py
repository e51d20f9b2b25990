"""The choice of a plan that is kept for the shape of a query serves other queries of this shape."""

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.query.filter import And, Comparison, Filter, Not, Or
from stratabase.core.domain.query.order import Order, Position
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.query.planner import record_plans
from stratabase.core.store.query.query_shape import query_shape
from tests.contract.engine.reference import ReferenceEngine
from tests.core.domain.query import naive
from tests.core.store.random_queries import KNOWN, an_operand, scenario
from tests.core.store.stores import Store, fresh_class
from tests.models import THING
from tests.rows import each_row


def with_other_values(chance: random.Random, filter_: Filter) -> Filter:
    """Return a filter that compares the same attributes by the same operators, mostly with other values."""
    if isinstance(filter_, And | Or):
        return type(filter_)(tuple(with_other_values(chance, part) for part in filter_.parts))
    if isinstance(filter_, Not):
        return Not(with_other_values(chance, filter_.part))
    assert isinstance(filter_, Comparison)
    name, operator = filter_.attribute, filter_.operator
    if operator is Operator.WITHIN or name not in KNOWN:
        return filter_
    return replace(filter_, operand=an_operand(chance, name, operator))


def plans_of(store: Store, query: Query) -> list[str]:
    """Return the descriptions of the plans by which a store answers a query."""
    found: list[str] = []
    with record_plans(lambda plan: found.append(plan.description)):
        store.page(query)
    return found


@pytest.mark.long
@given(st.integers(0, 2**64))
def test_a_kept_choice_is_that_of_a_planner_that_has_kept_none(number: int) -> None:
    """Random indexes, objects and queries, each with several filters of the same structure."""
    chance = random.Random(number)
    indexes, states, filter_, order, window, wanted = scenario(chance)
    engine = ReferenceEngine()
    store = Store(engine, fresh_class(indexes=indexes))
    store.fill(states)
    for _ in range(4):
        query = Query(store.class_.name, order, filter_, window, wanted)
        page = store.page(query)
        ids, total, *sides = naive.page(states, filter_, order, window, THING)
        assert [entity.reference.id for entity in page.items] == ids
        assert page.total_count == (total if wanted.total_count else None)
        assert [page.has_next, page.has_prev] == sides
        if query_shape(store.class_, query) is not None:
            assert plans_of(store, query) == plans_of(Store(engine, store.class_), query)
        filter_ = None if filter_ is None else with_other_values(chance, filter_)


EQ, GTE, LT, IN = Operator.EQ, Operator.GTE, Operator.LT, Operator.IN


def shape_of(*comparisons: tuple[str, Operator, Any], offset: int = 0) -> object:
    parts = tuple(Comparison(name, operator, operand) for name, operator, operand in comparisons)
    return query_shape(THING, Query("Thing", Order(), And(parts), Window(10, offset=offset)))


def test_queries_that_differ_in_values_have_one_shape() -> None:
    assert shape_of(("name", EQ, "a"), ("count", GTE, 1)) == shape_of(("name", EQ, "b"), ("count", GTE, 7))
    assert shape_of(("name", IN, ("a", "b"))) == shape_of(("name", IN, ("c", "d")))
    assert shape_of(("name", IN, ("a", "b"))) == shape_of(("name", IN, ("a", "b", "a")))
    assert shape_of(offset=200) == shape_of(offset=190)


@each_row(
    ("one", "other"),
    [
        ([("name", EQ, "a")], [("name", EQ, None)]),
        ([("name", EQ, "a")], [("notes", EQ, "a")]),
        ([("count", GTE, 1)], [("count", LT, 1)]),
        ([("name", IN, ("a", "b"))], [("name", IN, ("a", "b", "c"))]),
        ([("name", IN, ("a",))], [("name", IN, (None,))]),
        ([("name", Operator.STARTS_WITH, "a")], [("name", Operator.STARTS_WITH, "")]),
        ([("name", Operator.NULL, True)], [("name", Operator.NULL, False)]),
        ([("count", GTE, 1), ("count", LT, 3)], [("count", GTE, 3), ("count", LT, 1)]),
    ],
)
def test_queries_whose_plans_may_differ_have_different_shapes(one: Any, other: Any) -> None:
    assert shape_of(*one) != shape_of(*other)


def test_a_query_that_names_ids_or_has_alternatives_has_no_shape() -> None:
    assert shape_of(("_id", EQ, "a")) is None
    either = Or((Comparison("name", EQ, "a"), Comparison("count", EQ, 1)))
    assert query_shape(THING, Query("Thing", Order(), either)) is None


def test_a_query_with_many_values_or_a_long_cursor_has_no_shape() -> None:
    """A kept choice keeps its query in memory."""
    assert shape_of(("name", IN, ("a",) * 100)) is not None
    assert shape_of(("name", IN, ("a",) * 101)) is None
    windows = [Window(10, start=Position((text, "1"))) for text in ("a", "a" * 200)]
    shapes = [query_shape(THING, Query("Thing", Order(), None, window)) for window in windows]
    assert [shape is None for shape in shapes] == [False, True]
