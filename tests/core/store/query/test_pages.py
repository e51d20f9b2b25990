"""Pages of every plan agree with the naive model."""

from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stratabase.core.domain.query.filter import Comparison, Filter
from stratabase.core.domain.query.order import Order, OrderTerm, Position
from stratabase.core.domain.query.page import Page, PageFields, Query, Window
from stratabase.core.domain.query.read_budget import Consumption
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.engine.wrappers import MeteredEngine, record_consumption
from stratabase.core.store.query.planner import build_plan
from stratabase.core.store.query.plans import IdOrderPlan, SortPlan
from stratabase.core.store.query.row_sources import PlanSource
from tests.contract.engine.engines import SEQUENTIAL, engine_fixture, scope_of_shared_engine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.domain.query import naive
from tests.core.domain.query.queries import filters, many_states, orders, windows
from tests.core.store.stores import Store, fresh_class, unlimited
from tests.core.store.watched_engine import WatchedEngine
from tests.models import THING
from tests.rows import each_row

engine = engine_fixture(SEQUENTIAL, scope_of_shared_engine)

ALL = PageFields(items=True, total_count=True, has_next=True, has_prev=True)
BY_ID = Order.of([])
BY_ID_DOWN = Order.of([OrderTerm("_id", descending=True)])
BY_COUNT = Order.of([OrderTerm("count")])
AMONG_ODD = Comparison("count", Operator.IN, (1, 3, 5, 7, 9))


_FRESH = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)
"""Each example uses a class of its own, so the examples of a test may share its engine."""


def seen(page: Page) -> tuple[list[Any], int | None, bool | None, bool | None]:
    """Return the content of a page, with ids for objects."""
    return [entity.reference.id for entity in page.items], page.total_count, page.has_next, page.has_prev


@pytest.mark.soak
@settings(suppress_health_check=_FRESH)
@given(st.data(), many_states, orders | st.sampled_from([BY_ID, BY_ID_DOWN]), st.none() | filters)
def test_any_page_agrees_with_the_naive_model(
    engine: Engine,
    data: st.DataObject,
    states: list[dict[str, Any]],
    order: Order,
    filter_: Filter | None,
) -> None:
    """Random objects, filters, orders and windows; what was not asked for is not told."""
    store = Store(engine, fresh_class())
    store.fill(states)
    window = data.draw(windows(order))
    wanted = data.draw(st.builds(PageFields, st.booleans(), st.booleans(), st.booleans(), st.booleans()))
    ids, total, has_next, has_prev = naive.page(states, filter_, order, window, THING)
    assert seen(store.page(Query("", order, filter_, window, wanted))) == (
        ids if wanted.items else [],
        total if wanted.total_count else None,
        has_next if wanted.has_next else None,
        has_prev if wanted.has_prev else None,
    )


def ten(engine: Engine) -> Store:
    """Return a store of ten objects, `0` to `9`, whose counts go the other way."""
    store = Store(engine, fresh_class())
    store.fill([{"_id": str(number), "count": 9 - number} for number in range(10)])
    return store


def test_positions_of_deleted_objects_are_still_valid(engine: Engine) -> None:
    store = ten(engine)
    store.commit(store.deletion("4"), store.deletion("5"))
    window = Window(2, start=Position(("4",)))
    assert seen(store.page(Query("", BY_ID, None, window)))[0] == ["6", "7"]


def test_an_unfiltered_page_by_id_reads_no_more_than_it_shows() -> None:
    engine = WatchedEngine()
    store = ten(engine)
    store.page(Query("", BY_ID, None, Window(4)))
    assert engine.items_read == 4


def test_a_filtered_page_by_id_stops_when_it_is_full() -> None:
    engine = WatchedEngine()
    store = Store(engine, fresh_class())
    store.fill({"_id": f"{n:04}", "count": n % 10} for n in range(1000))
    engine.items_read = 0
    store.page(Query("", BY_ID, Comparison("count", Operator.GTE, 5), Window(3)))
    assert engine.items_read == 64


@pytest.mark.parametrize(("least", "reads"), [(1, 64), (3, 85), (5, 120), (9, 576)])
def test_the_second_read_is_as_large_as_the_first_shows(least: int, reads: int) -> None:
    """A page of 50 of the objects with a count from `least` to 9."""
    engine = WatchedEngine()
    store = Store(engine, fresh_class())
    store.fill({"_id": f"{n:04}", "count": n % 10} for n in range(2000))
    engine.items_read = 0
    page = store.page(Query("", BY_ID, Comparison("count", Operator.GTE, least), Window(50)))
    assert len(page.items) == 50
    assert engine.items_read <= reads


@pytest.mark.parametrize(("embedded", "reads"), [(True, 64 + 46), (False, 64 + 56)])
def test_an_embedded_engine_reads_fewer_items_too_many(embedded: bool, reads: int) -> None:
    """Half of the objects match, so a page of 50 needs 100 items."""
    engine = WatchedEngine()
    engine.prefers_few_calls = not embedded
    store = Store(engine, fresh_class())
    store.fill({"_id": f"{n:04}", "count": n % 10} for n in range(200))
    engine.items_read = 0
    store.page(Query("", BY_ID, Comparison("count", Operator.GTE, 5), Window(50)))
    assert engine.items_read == reads


def reads_of_a_filtered_page(engine: Engine) -> list[int]:
    """Return how many items each request returns for a page of 50 of every second object."""
    store = Store(MeteredEngine(engine), fresh_class())
    store.fill({"_id": f"{n:04}", "count": n % 10} for n in range(200))
    reads: list[Consumption] = []
    with record_consumption(reads.append):
        store.page(Query("", BY_ID, Comparison("count", Operator.GTE, 5), Window(50)))
    return [each.items for each in reads if each.kind == "range"]


def test_each_engine_is_asked_for_the_same_items_of_a_filtered_page(engine: Engine) -> None:
    reads = reads_of_a_filtered_page(engine)
    assert len(reads) == 2
    assert reads == reads_of_a_filtered_page(ReferenceEngine())


def test_counting_without_a_filter_decodes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    store = ten(WatchedEngine())
    monkeypatch.setattr(orjson, "loads", None)
    wanted = PageFields(items=False, total_count=True)
    assert seen(store.page(Query("", BY_ID, None, Window(3), wanted))) == ([], 10, None, None)


def test_no_object_is_decoded_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[object] = []
    loads = orjson.loads

    def noting(text: str) -> object:
        states = loads(text)
        decoded.extend(states)
        return states

    store = ten(WatchedEngine())
    monkeypatch.setattr(orjson, "loads", noting)
    store.page(Query("", BY_COUNT, AMONG_ODD, Window(3), ALL))
    assert len(decoded) == 10


@each_row(
    ("query", "plan"),
    [
        (Query("", BY_ID), IdOrderPlan),
        (Query("", BY_ID_DOWN, AMONG_ODD), IdOrderPlan),
        (Query("", BY_ID, None, fields=ALL), IdOrderPlan),
        (Query("", BY_ID, AMONG_ODD, fields=ALL), SortPlan),
        (Query("", BY_COUNT), SortPlan),
        (Query("", BY_ID, window=Window(start=Position((None,)))), SortPlan),
    ],
)
def test_only_queries_that_need_a_scan_are_scanned(query: Query, plan: type[IdOrderPlan | SortPlan]) -> None:
    source = PlanSource(WatchedEngine(), unlimited())
    assert type(build_plan(THING, query, None, source)) is plan


def test_a_large_sorted_page_of_many_objects_is_correct(engine: Engine) -> None:
    """More objects than a scan keeps at a time."""
    store = Store(engine, fresh_class())
    store.fill([{"_id": f"{number:04}", "count": number * 7919 % 3001} for number in range(3000)])
    page = store.page(Query("", BY_COUNT, None, Window(5, offset=20), ALL))
    counts = sorted(number * 7919 % 3001 for number in range(3000))
    assert [entity.state["count"] for entity in page.items] == counts[20:25]
    assert page.total_count == 3000


def test_a_page_returns_the_same_entities_as_a_read(engine: Engine) -> None:
    store = Store(engine, fresh_class())
    store.create("x", name="Ada", picture={"fileId": "f"})
    by_key = store.get("x")
    for order in (BY_ID, BY_COUNT):
        (found,) = store.page(Query("", order)).items
        # An index may lack the commit ids, which only writes need.
        assert found.commit_ids in ((), by_key.commit_ids)
        assert replace(found, commit_ids=by_key.commit_ids) == by_key
