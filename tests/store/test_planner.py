"""The planner: every way to answer a query gives the same answer, and the cheap one is taken."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.domain.filter import And, Comparison, Filter, Not, Or
from stratabase.domain.order import Order, Position, Term, position_of
from stratabase.domain.page import Page, Query, Wanted, Window
from stratabase.model.operator import EXISTENCE, MEMBERSHIP, TEXT, Operator
from stratabase.store import pages
from stratabase.store.budget import Budget
from stratabase.store.engine import Engine
from stratabase.store.plans import Source, candidates
from stratabase.store.plans.walk import LONG_RUN
from stratabase.store.slots import Slots
from tests.contract.engine.reference import ReferenceEngine
from tests.domain import naive
from tests.domain.queries import IDS, VALUES, numbered, operators_of
from tests.models import THING, model
from tests.store.stores import Store, fresh_class
from tests.store.watched_engine import WatchedEngine

ALL = Wanted(items=True, total_count=True, has_next=True, has_prev=True)
LONG = [character * 448 + rest for character in "aé" for rest in ("", "\0", "a", "b", "\U0001f600")]
NAMES = ("name", "count", "price", "good", "notes")
"""Few attributes, so that indexes, filters and orders meet."""
LIKELY = [Operator.EQ, Operator.IN, Operator.GT, Operator.LTE, Operator.STARTS_WITH, Operator.NOT_NULL]
"""Operators that an index serves."""
KNOWN: dict[str, list[Any]] = {
    **{name: VALUES[name][:5] for name in NAMES},
    "notes": ["", "a", *(text * 2 for text in LONG), *(text + "z" * 450 for text in LONG)],
}


class Scenario(NamedTuple):
    """Objects, indexes and a query."""

    indexes: list[tuple[str, ...]]
    states: list[dict[str, Any]]
    filter: Filter | None
    order: Order
    window: Window


def scenario(chance: random.Random) -> Scenario:
    """Return one in which index, filter and order have to do with each other, mostly."""
    columns = tuple(chance.sample(NAMES, chance.choice([1, 2, 2, 3, 3])))
    others = [tuple(chance.sample(NAMES, 2)) for _ in range(chance.choice([0, 0, 1]))]
    states = numbered([a_state(chance) for _ in range(chance.randint(0, 25))])
    order = an_order(chance, columns)
    return Scenario(
        [columns, *(set(others) - {columns})],
        states,
        a_filter(chance, columns),
        order,
        a_window(chance, order, states),
    )


def a_state(chance: random.Random) -> dict[str, Any]:
    return {name: chance.choice(values) for name, values in KNOWN.items() if chance.random() < 0.9}


def an_order(chance: random.Random, columns: Sequence[str]) -> Order:
    """Return an order: by some of the columns, by others, with the id anywhere."""
    names = [*columns[chance.choice([0, 0, 1, 2]) :]][: chance.randint(0, 3)]
    names += chance.sample((*NAMES, "_id"), chance.choice([0, 0, 0, 1, 2]))
    down = chance.random() < 0.5
    terms = [Term(name, down ^ (chance.random() < 0.1)) for name in names]
    return Order.of([*terms, Term("_id", down ^ (chance.random() < 0.5))])


def a_filter(chance: random.Random, columns: Sequence[str]) -> Filter | None:
    """Return comparisons with the first columns, and perhaps others, here and there inside of others."""
    names = [*columns[: chance.randint(0, 3)], *chance.sample(NAMES, chance.choice([0, 0, 1]))]
    parts: list[Filter] = [a_comparison(chance, name) for name in names]
    if chance.random() < 0.1:
        parts.append(Or((a_comparison(chance, columns[0]), Not(a_comparison(chance, columns[-1])))))
    return And(tuple(parts)) if parts or chance.random() < 0.2 else None


def a_comparison(chance: random.Random, name: str) -> Comparison:
    able = operators_of(name)
    likely = [operator for operator in LIKELY if operator in able]
    operator = chance.choice(likely if chance.random() < 0.85 else able)
    return Comparison(name, operator, an_operand(chance, name, operator))


def an_operand(chance: random.Random, name: str, operator: Operator) -> Any:
    values = KNOWN[name]
    if operator in EXISTENCE:
        return chance.random() < 0.5
    if operator in MEMBERSHIP:
        return tuple(chance.choices([*values, None], k=chance.randint(0, 4)))
    if operator in TEXT:
        return chance.choice(values)[: chance.choice([0, 1, 3, 899, 2000])]
    return None if operator in {Operator.EQ, Operator.NE} and chance.random() < 0.1 else chance.choice(values)


def a_window(chance: random.Random, order: Order, states: Sequence[dict[str, Any]]) -> Window:
    values = [KNOWN.get(term.attribute, IDS) for term in order.terms]
    somewhere = tuple(chance.choice([*each, None]) for each in values)
    if states and chance.random() < 0.5:
        somewhere = position_of(chance.choice(states), order).values
    position = Position(somewhere[: chance.choice([1, 2, 3, 9])])
    return Window(
        size=chance.randint(0, 6),
        backward=chance.random() < 0.5,
        offset=chance.choice([0, 0, 1, 4]),
        start=position if chance.random() < 0.6 else None,
        inclusive=chance.random() < 0.5,
    )


def answers(engine: Engine, store: Store, query: Query) -> Sequence[tuple[str, Page]]:
    """Return what each plan makes of a query."""
    paths = Slots(engine, model(store.class_)).paths(store.class_.name)
    found = candidates(store.class_, query, paths)
    return [(one.why, pages.shown(one.plan(Source(engine, Budget())), query)) for one in found]


@pytest.mark.soak
@given(st.integers(0, 2**64))
def test_every_plan_shows_what_the_naive_model_shows(engine: Engine, number: int) -> None:
    """Random indexes, objects, filters, orders and windows; some values are so long that they are cut."""
    indexes, states, filter_, order, window = scenario(random.Random(number))
    store = Store(engine, fresh_class(indexes=indexes))
    store.fill(states)
    expected = naive.page(states, filter_, order, window, THING)
    for why, page in answers(engine, store, Query(store.class_.name, order, filter_, window, ALL)):
        ids = [entity.reference.id for entity in page.items]
        assert (ids, page.total_count, page.has_next, page.has_prev) == expected, why


@pytest.mark.soak
@given(st.integers(0, 2**64))
def test_long_runs_of_equal_values_are_in_order_too(number: int) -> None:
    """What is long is one object and more here, so that all runs are read the way that long ones are."""
    with patch("stratabase.store.plans.walk.LONG_RUN", 1):
        indexes, states, filter_, order, window = scenario(random.Random(number))
        engine = ReferenceEngine()
        store = Store(engine, fresh_class(indexes=indexes))
        store.fill(states)
        expected = naive.page(states, filter_, order, window, THING)
        for why, page in answers(engine, store, Query(store.class_.name, order, filter_, window, ALL)):
            ids = [entity.reference.id for entity in page.items]
            assert (ids, page.total_count, page.has_next, page.has_prev) == expected, why


def test_of_a_long_run_of_equal_values_only_a_part_is_read() -> None:
    """The newest of one state, say: down by values, and up by the id within them; also by the cursor."""
    engine = WatchedEngine()
    store = Store(engine, fresh_class(indexes=[("good",)]))
    store.fill({"_id": f"{n:04}", "good": n % 2 == 0} for n in range(2000))
    order = Order.of([Term("good", descending=True)])
    walked: list[str] = []
    start = None
    for _ in range(3):
        engine.items_read = 0
        page = store.page(Query("", order, None, Window(10, start=start)))
        walked += [entity.reference.id for entity in page.items]
        start = position_of(page.items[-1].state, order)
        assert engine.items_read < LONG_RUN + 30
    assert walked == [f"{n:04}" for n in range(0, 60, 2)]


def hundred(engine: Engine, *indexes: tuple[str, ...]) -> Store:
    """Return a store of a hundred objects: `count` up to 9, `name` from a to e, `vintage` all different."""
    store = Store(engine, fresh_class(indexes=indexes))
    store.fill(
        {"_id": f"{n:02}", "count": n % 10, "name": "abcde"[n % 5], "vintage": 1900 + n} for n in range(100)
    )
    return store


EQUAL = Comparison("count", Operator.EQ, 3)
AMONG = Comparison("count", Operator.IN, (3, 5, 7))
ABOVE = Comparison("vintage", Operator.GTE, 1990)


def by(*names: str, down: bool = False) -> Order:
    """Return an order."""
    return Order.of(Term(name, down) for name in names)


@pytest.mark.parametrize(
    ("index", "query", "reads"),
    [
        (("count",), Query("", by("_id"), EQUAL, Window(4)), 5),
        (("count",), Query("", by("_id", down=True), EQUAL, Window(4)), 5),
        (("count",), Query("", by("count"), None, Window(4)), 5),
        (("vintage",), Query("", by("vintage"), ABOVE, Window(4)), 5),
        (("vintage",), Query("", by("vintage", down=True), ABOVE, Window(4)), 5),
        (("count", "vintage"), Query("", by("vintage"), EQUAL, Window(4)), 5),
        (("count", "vintage"), Query("", by("vintage", down=True), EQUAL, Window(4)), 5),
        (("count", "vintage"), Query("", by("vintage"), AMONG, Window(4)), 15),
        (("count", "vintage"), Query("", by("count", "vintage"), AMONG, Window(4)), 5),
        (("count", "vintage"), Query("", by("name"), And((EQUAL, ABOVE)), Window(4)), 1),
        (("count",), Query("", by("name"), EQUAL, Window(4)), 10),
        (("count",), Query("", by("name"), EQUAL, Window(0), Wanted(total_count=True)), 10),
        (("name", "count"), Query("", by("count"), Comparison("name", Operator.STARTS_WITH, "a")), 20),
        (("vintage",), Query("", by("vintage"), None, Window(4, start=Position((1950,)))), 5),
        (("vintage",), Query("", by("vintage"), None, Window(4, start=Position((1950, "50")))), 5),
        (("vintage",), Query("", by("vintage"), None, Window(4, start=Position((1950,)), backward=True)), 5),
    ],
)
def test_what_an_index_serves_is_read_and_no_more(index: tuple[str, ...], query: Query, reads: int) -> None:
    """Of a hundred objects; one more than is shown may be read, to see where a run ends."""
    engine = WatchedEngine()
    store = hundred(engine, index)
    engine.items_read = 0
    page = store.page(query)
    assert engine.items_read <= reads
    plain = Store(engine, replace(store.class_, indexes=()))
    assert page == pages.page(engine, plain.class_, replace(query, class_name=store.class_.name))
