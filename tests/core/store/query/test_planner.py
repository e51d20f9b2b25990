"""The planner: every plan returns the same result, and the cheapest is chosen."""

import random
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import count as numbers
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratabase.core.domain.query.filter import And, Comparison, Filter
from stratabase.core.domain.query.order import Order, OrderTerm, Position, position_of
from stratabase.core.domain.query.page import Page, PageFields, Query, Window
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.query import pages
from stratabase.core.store.query.index_scan import MAX_SORTED_RUN
from stratabase.core.store.query.planner import build_plan, missing_index, plan_candidates
from stratabase.core.store.query.row_sources import PlanSource
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.engines import STORING, EngineImplementation
from tests.contract.engine.reference import ReferenceEngine
from tests.core.domain.query import naive
from tests.core.store.random_queries import scenario
from tests.core.store.stores import Store, built, fresh_class, schema_of, unlimited
from tests.core.store.watched_engine import WatchedEngine
from tests.models import THING
from tests.rows import each_row
from tests.soak import EXAMPLES, count

EXAMPLES_OF_AN_ENGINE = 40
"""Each example adds a class, and a store of many classes is slow."""


@pytest.fixture(scope="module", params=STORING, ids=lambda kind: kind.name)
def engines(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Iterator[Engine]]:
    """Engines of each kind that stores: one that only measures another answers as that does."""
    found = opened(request.param, tmp_path_factory.mktemp("store"))
    yield found
    found.close()


def opened(kind: EngineImplementation, folder: Path) -> Generator[Engine]:
    """Yield engines, each of them for several examples."""
    for number in numbers():
        own = folder / str(number)
        own.mkdir()
        with closing(kind.open(own)) as engine:
            for _ in range(EXAMPLES_OF_AN_ENGINE):
                yield engine


def answers(engine: Engine, store: Store, query: Query) -> Sequence[tuple[str, Page]]:
    """Return the result of a query by each plan."""
    source = PlanSource(engine, unlimited())
    found = plan_candidates(store.class_, query, schema_of(engine, store.class_))
    return [(one.description, pages.page_of(built(one, source, query), query)) for one in found]


def hold_against_the_naive_model(engine: Engine, number: int) -> None:
    indexes, states, filter_, order, window, wanted = scenario(random.Random(number))
    store = Store(engine, fresh_class(indexes=indexes))
    store.fill(states)
    ids, total, *sides = naive.page(states, filter_, order, window, THING)
    found = answers(engine, store, Query(store.class_.name, order, filter_, window, wanted))
    assert found
    for why, page in found:
        assert [entity.reference.id for entity in page.items] == ids, why
        assert page.total_count == (total if wanted.total_count else None), why
        assert [page.has_next, page.has_prev] == sides, why


@pytest.mark.long
@pytest.mark.parametrize("engines", STORING[:-1], ids=lambda kind: kind.name, indirect=True, scope="module")
@given(st.integers(0, 2**64))
def test_every_plan_agrees_with_the_naive_model(engines: Iterator[Engine], number: int) -> None:
    """Random indexes, objects, filters, orders and windows; some values are so long that they are cut."""
    hold_against_the_naive_model(next(engines), number)


@pytest.mark.long
@pytest.mark.parametrize("engines", STORING[-1:], ids=lambda kind: kind.name, indirect=True, scope="module")
@settings(max_examples=count(EXAMPLES, EXAMPLES // 10))
@given(st.integers(0, 2**64))
def test_every_plan_agrees_with_the_naive_model_on_dynamodb(engines: Iterator[Engine], number: int) -> None:
    hold_against_the_naive_model(next(engines), number)


@pytest.mark.soak
@given(st.integers(0, 2**64))
def test_long_runs_of_equal_values_are_in_order(number: int) -> None:
    """Two objects already count as a long run, so that all runs are read in that way."""
    with patch("stratabase.core.store.query.index_scan.MAX_SORTED_RUN", 1):
        hold_against_the_naive_model(ReferenceEngine(), number)


@pytest.mark.soak
@given(st.integers(0, 2**64))
def test_the_first_of_many_rows_are_kept(number: int) -> None:
    """Few rows already count as many, so that all others are compared with the last one that is kept."""
    with patch("stratabase.core.store.query.plans._FirstRows._SPARE", 1):
        hold_against_the_naive_model(ReferenceEngine(), number)


def test_only_a_part_of_a_long_run_of_equal_values_is_read() -> None:
    """The order is by value descending and by id ascending within it. Cursors work too."""
    engine = WatchedEngine()
    store = Store(engine, fresh_class(indexes=[("good",)]))
    store.fill({"_id": f"{n:04}", "good": n % 2 == 0} for n in range(2000))
    order = Order.of([OrderTerm("good", descending=True)])
    walked: list[str] = []
    start = None
    for _ in range(3):
        engine.items_read = 0
        page = store.page(Query("", order, None, Window(10, start=start)))
        walked += [entity.reference.id for entity in page.items]
        start = position_of(page.items[-1].state, order)
        assert engine.items_read < 2 * MAX_SORTED_RUN
    assert walked == [f"{n:04}" for n in range(0, 60, 2)]


@each_row("operator", [Operator.EQ, Operator.NULL])
@each_row("terms", [("count", "picture"), ("picture",)])
def test_no_index_is_suggested_for_files(operator: Operator, terms: tuple[str, ...]) -> None:
    operand = True if operator is Operator.NULL else "f1"
    filter_ = And((Comparison("picture", operator, operand), EQUAL))
    assert missing_index(THING, Query("", by(*terms), filter_)) == ("count",)
    assert missing_index(THING, Query("", by("picture"))) == ()


def hundred(engine: Engine, *indexes: tuple[str, ...]) -> Store:
    """Return a store of a hundred objects with `count` up to 9, `name` from a to e, and unique `vintage`."""
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
    return Order.of(OrderTerm(name, down) for name in names)


COUNTED = PageFields(total_count=True)


@each_row(
    ("query", "plan"),
    [
        (
            Query("", by("_id"), ABOVE, Window(4), COUNTED),
            "read the class in the order of _id until the page is full, and count a range of @index vintage",
        ),
        (
            Query("", by("name", down=True), And((ABOVE,)), Window(4), COUNTED),
            "read @index name in order until the page is full, and count a range of @index vintage",
        ),
        (
            Query("", by("name"), ABOVE, Window(4, offset=2000), COUNTED),
            "read all of a range of @index vintage, and sort the matches",
        ),
        (
            Query("", by("name"), And((ABOVE, Comparison("vintage", Operator.NE, 1995))), Window(4), COUNTED),
            "read all of a range of @index vintage, and sort the matches",
        ),
        (
            Query("", by("vintage"), ABOVE, Window(4), COUNTED),
            "read a range of @index vintage in order until the page is full",
        ),
        (
            Query("", by("name"), ABOVE, Window(4)),
            "read @index name in order until the page is full",
        ),
    ],
)
def test_a_page_in_one_order_is_counted_by_the_index_of_its_filter(query: Query, plan: str) -> None:
    engine = ReferenceEngine()
    store = hundred(engine, ("vintage",), ("name",))
    assert plan_candidates(store.class_, query, schema_of(engine, store.class_))[0].description == plan


@pytest.mark.parametrize("order", [by("_id"), by("name"), by("vintage"), by("count")])
@pytest.mark.parametrize(
    ("filter_", "total"),
    [(None, 100), (ABOVE, 10), (And((ABOVE, Comparison("vintage", Operator.LT, 1995))), 5)],
)
def test_sqlite_counts_by_an_index_whatever_the_read_limit_is(
    tmp_path: Path, order: Order, filter_: Filter | None, total: int
) -> None:
    engine = SqliteEngine(tmp_path / "store.db")
    store = hundred(engine, ("vintage",), ("name",), ("count",))
    query = Query("", order, filter_, Window(0), COUNTED)
    assert store.page(query, ReadBudget(1, 1, clock=lambda: 0.0)).total_count == total
    engine.close()


@each_row(
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
        (("count",), Query("", by("name"), EQUAL, Window(0), PageFields(total_count=True)), 10),
        (("name", "count"), Query("", by("count"), Comparison("name", Operator.STARTS_WITH, "a")), 20),
        (("vintage",), Query("", by("vintage"), None, Window(4, start=Position((1950,)))), 5),
        (("vintage",), Query("", by("vintage"), None, Window(4, start=Position((1950, "50")))), 5),
        (("vintage",), Query("", by("vintage"), None, Window(4, start=Position((1950,)), backward=True)), 5),
    ],
)
def test_a_query_reads_only_the_part_of_an_index_it_needs(
    index: tuple[str, ...], query: Query, reads: int
) -> None:
    """The class has a hundred objects. A query may read one more than it shows, to find the end of a run."""
    engine = WatchedEngine()
    store = hundred(engine, index)
    engine.items_read = 0
    page = store.page(query)
    assert engine.items_read <= reads
    plain = Store(engine, replace(store.class_, indexes=()))
    query = replace(query, class_name=store.class_.name)
    plan = build_plan(plain.class_, query, None, PlanSource(engine, unlimited()))
    assert page == pages.page_of(plan, query)
