"""Objects that a filter names by ID are read by key, in any order."""

from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Hint, ReadBudgetExceeded
from stratabase.core.domain.query.filter import And, Comparison, Filter, Not, Or, ids_implied_by
from stratabase.core.domain.query.order import Order, OrderTerm, Position
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.types.operators import Operator
from tests.contract.engine.lagging import LaggingEngine
from tests.core.store.stores import Store, fresh_class
from tests.core.store.watched_engine import WatchedEngine
from tests.rows import each_row
from tests.soak import seed

ALL = PageFields(items=True, total_count=True, has_next=True, has_prev=True)
BY_ID = Order.of([])
BY_COUNT_DOWN = Order.of([OrderTerm("count", descending=True)])


def is_(id_: str | None) -> Comparison:
    return Comparison("_id", Operator.EQ, id_)


def among(*ids: str | None) -> Comparison:
    return Comparison("_id", Operator.IN, ids)


GOOD = Comparison("good", Operator.EQ, True)


@each_row(
    ("filter_", "ids"),
    [
        (is_("a"), {"a"}),
        (is_(None), set()),
        (among("a", None, "b", "a"), {"a", "b"}),
        (among(), set()),
        (Comparison("_id", Operator.NULL, True), set()),
        (Comparison("_id", Operator.NOT_NULL, False), set()),
        (And((GOOD, is_("a"))), {"a"}),
        (And((among("a", "b", "c"), GOOD, among("b", "c", "d"))), {"b", "c"}),
        (And((is_("a"), And((is_("b"),)))), set()),
        (Or((is_("a"), And((GOOD, is_("b"))))), {"a", "b"}),
        (Or(()), set()),
        (And((Or((is_("a"), GOOD)), is_("b"))), {"b"}),
        (None, None),
        (GOOD, None),
        (And(()), None),
        (Or((is_("a"), GOOD)), None),
        (Not(is_("a")), None),
        (Comparison("_id", Operator.NE, "a"), None),
        (Comparison("_id", Operator.NOT_IN, ("a",)), None),
        (Comparison("_id", Operator.GTE, "a"), None),
        (Comparison("_id", Operator.NULL, False), None),
        (Comparison("name", Operator.EQ, "a"), None),
    ],
)
def test_ids_named_by_a_filter_are_found(filter_: Filter | None, ids: set[str] | None) -> None:
    """Ids of which every match has one, where the filter says so."""
    assert ids_implied_by(filter_) == ids


@pytest.fixture
def engine() -> WatchedEngine:
    return WatchedEngine()


@pytest.fixture
def store(engine: WatchedEngine) -> Store:
    """Six hundred objects, whose counts go the other way than their ids; every third is good."""
    store = Store(engine, fresh_class(indexes=[("good", "count")]))
    store.fill({"_id": f"{n:03}", "count": -n, "good": n % 3 == 0} for n in range(600))
    engine.items_read, engine.keys_got = 0, []
    return store


EVERY_SECOND = among(*(f"{n:03}" for n in range(0, 600, 2)))


@pytest.mark.parametrize(
    ("query", "shown", "got"),
    [
        (Query("", BY_ID, is_("007")), ["007"], 1),
        (Query("", BY_ID, is_("7")), [], 1),
        (Query("", BY_ID, is_(None)), [], 0),
        (Query("", BY_ID, among("007", "7", "005", None)), ["005", "007"], 3),
        (Query("", BY_COUNT_DOWN, among("009", "7", "005")), ["005", "009"], 3),
        (Query("", BY_COUNT_DOWN, And((GOOD, among("009", "005")))), ["009"], 2),
        (Query("", BY_ID, And((GOOD, is_("008"), EVERY_SECOND))), [], 1),
        (Query("", BY_ID, EVERY_SECOND, Window(3)), ["000", "002", "004"], 3),
        (Query("", BY_ID, EVERY_SECOND, Window(2, offset=1)), ["002", "004"], 3),
        (Query("", BY_ID, EVERY_SECOND, Window(2, start=Position(("101",)))), ["102", "104"], 2),
        (Query("", BY_ID, EVERY_SECOND, Window(2, True, start=Position(("102",)))), ["098", "100"], 2),
        (Query("", BY_ID, And((EVERY_SECOND, GOOD)), Window(2)), ["000", "006"], 100),
        (Query("", BY_ID, EVERY_SECOND, Window(0), PageFields(False, True)), [], 300),
    ],
)
def test_only_named_objects_are_read_and_only_by_key(
    store: Store, engine: WatchedEngine, query: Query, shown: list[str], got: int
) -> None:
    """They are read in the order of the ids, and no more than the page needs."""
    page = store.page(query)
    assert [entity.reference.id for entity in page.items] == shown
    assert (len(engine.keys_got), engine.items_read) == (got, 0)
    assert len(set(engine.keys_got)) == got


@pytest.mark.parametrize("order", [BY_ID, BY_COUNT_DOWN])
@pytest.mark.parametrize("backward", [False, True])
def test_paging_over_named_objects_finds_each_once(store: Store, order: Order, backward: bool) -> None:
    """Pages have seven objects. Some of the named objects do not exist."""
    filter_ = And((among("000", "none", *(f"{n:03}" for n in range(5, 600, 5))), Not(is_("010"))))
    walked: list[str] = []
    start: Position | None = None
    more: bool | None = True
    while more:
        page = store.page(Query("", order, filter_, Window(7, backward, start=start), ALL))
        ids = [entity.reference.id for entity in page.items]
        assert page.total_count == 119
        assert (page.has_next if backward else page.has_prev) is bool(walked)
        walked = ids + walked if backward else walked + ids
        more = page.has_prev if backward else page.has_next
        state = page.items[0 if backward else -1].state
        start = Position(tuple(state.get(term.attribute) for term in order.terms))
    assert walked == [f"{n:03}" for n in range(0, 600, 5) if n != 10]


def test_recent_writes_of_named_objects_are_visible_despite_lagging_indexes() -> None:
    store = Store(LaggingEngine(seed()), fresh_class())
    for number in range(20):
        store.create(f"{number}", count=number)
        store.commit(store.update(f"{number}", count=number + 1))
        (found,) = store.page(Query("", BY_COUNT_DOWN, is_(f"{number}"))).items
        there = store.get(f"{number}")
        assert there is not None
        assert found.state == there.state
    store.commit(store.deletion("3"))
    assert store.page(Query("", BY_ID, is_("3"), fields=ALL)).total_count == 0


@pytest.mark.parametrize("some", ["none", ""])
def test_many_named_objects_count_towards_the_read_budget(engine: WatchedEngine, some: str) -> None:
    """Missing objects count too. The refusal suggests no index, because none would be used."""
    store = Store(engine, fresh_class())
    store.fill({"_id": f"{n:03}", "notes": "n" * 1000} for n in range(200))
    filter_: Any = among(*(f"{some}{n:03}" for n in range(100_000)))
    engine.keys_got = []
    with pytest.raises(ReadBudgetExceeded, match="Narrow the filter, or request fewer") as refusal:
        store.page(Query("", BY_COUNT_DOWN, filter_), ReadBudget(200_000, 1, clock=lambda: 0.0))
    assert refusal.value.hint == Hint()
    assert len(engine.keys_got) <= 1200
