"""Pages of objects with given unique values are found by the guards of these values."""

from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.query.filter import And, Comparison, Filter, Not, Or
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.model.model import Unique
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.query.filter_analysis import MAX_UNIQUE_VALUES, unique_values
from tests.contract.engine.lagging import LaggingEngine
from tests.core.store.stores import Store, fresh_class, schema_of
from tests.core.store.watched_engine import WatchedEngine
from tests.rows import each_row
from tests.soak import seed

ALL = PageFields(items=True, total_count=True, has_next=True, has_prev=True)
BY_ID = Order.of([])
BY_COUNT_DOWN = Order.of([OrderTerm("count", descending=True)])
COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


def eq(name: str, value: Any) -> Comparison:
    return Comparison(name, Operator.EQ, value)


def among(name: str, *values: Any) -> Comparison:
    return Comparison(name, Operator.IN, values)


@each_row(
    ("filter_", "values"),
    [
        (eq("name", "a"), None),
        (And((eq("name", "a"), eq("count", 1))), [{"name": "a", "count": 1}]),
        (
            And((among("name", "a", "b", "a"), eq("count", 1), eq("good", True))),
            [{"name": "a", "count": 1}, {"name": "b", "count": 1}],
        ),
        (And((among("name", "a", "b"), And((eq("name", "b"), eq("count", 1))))), [{"name": "b", "count": 1}]),
        (And((eq("name", "a"), among("count"))), []),
        (And((eq("name", None), eq("count", 1))), None),
        (And((among("name", "a", None), eq("count", 1))), None),
        (And((eq("name", "a"), Comparison("count", Operator.LTE, 1))), None),
        (And((among("name", *map(str, range(MAX_UNIQUE_VALUES))), among("count", 1, 2))), None),
        (And((among("name", *["a"] * 2 * MAX_UNIQUE_VALUES), eq("count", 1))), [{"name": "a", "count": 1}]),
        (Or((eq("name", "a"), eq("count", 1))), None),
        (And((Not(eq("name", "a")), eq("count", 1))), None),
        (None, None),
    ],
)
def test_the_values_of_a_constraint_are_those_that_a_filter_names(
    filter_: Filter | None, values: list[dict[str, Any]] | None
) -> None:
    assert unique_values(filter_, Unique(("name", "count"))) == values


@pytest.fixture
def engine() -> WatchedEngine:
    return WatchedEngine()


@pytest.fixture
def store(engine: WatchedEngine) -> Store:
    """A hundred objects with unique names, and unique pairs of `count` and `vintage`."""
    store = Store(engine, fresh_class(("name",), ("vintage", "count"), indexes=[("good",)]))
    for n in range(100):
        store.create(f"{n:02}", name=f"n{n}", count=n % 10, vintage=1900 + n // 10, good=n % 2 == 0)
    engine.items_read, engine.keys_got = 0, []
    return store


@pytest.mark.parametrize(
    ("query", "shown", "got"),
    [
        (Query("", BY_ID, eq("name", "n7")), ["07"], 2),
        (Query("", BY_ID, eq("name", "none")), [], 1),
        (Query("", BY_COUNT_DOWN, among("name", "n7", "n19", "none")), ["19", "07"], 5),
        (Query("", BY_ID, among("name", "n7", "n19"), Window(1)), ["07"], 4),
        (Query("", BY_ID, And((eq("name", "n7"), eq("good", True)))), [], 2),
        (Query("", BY_ID, And((eq("count", 3), eq("vintage", 1904), eq("good", False)))), ["43"], 2),
        (Query("", BY_ID, And((eq("count", 3), among("vintage", 1904, 1905)))), ["43", "53"], 4),
        (Query("", BY_ID, eq("good", False), implied=eq("name", "n7")), ["07"], 2),
    ],
)
def test_only_guards_and_their_holders_are_read(
    store: Store, engine: WatchedEngine, query: Query, shown: list[str], got: int
) -> None:
    page = store.page(query)
    assert [entity.reference.id for entity in page.items] == shown
    assert (len(engine.keys_got), engine.items_read) == (got, 0)


def test_a_page_of_unique_values_tells_its_count_and_sides(store: Store) -> None:
    query = Query("", BY_COUNT_DOWN, among("name", *(f"n{n}" for n in range(10))), Window(3, offset=2), ALL)
    page = store.page(query)
    assert [entity.reference.id for entity in page.items] == ["07", "06", "05"]
    assert (page.total_count, page.has_next, page.has_prev) == (10, True, True)


def test_recent_writes_are_visible_despite_lagging_indexes() -> None:
    store = Store(LaggingEngine(seed()), fresh_class(("name",)))
    for number in range(20):
        store.create(f"{number}", name=f"old {number}")
        store.commit(store.update(f"{number}", name=f"new {number}"))
        assert store.page(Query("", BY_ID, eq("name", f"old {number}"))).items == ()
        (found,) = store.page(Query("", BY_COUNT_DOWN, eq("name", f"new {number}"))).items
        there = store.get(f"{number}")
        assert there is not None
        assert found.state == there.state
    store.commit(store.deletion("3"))
    assert store.page(Query("", BY_ID, eq("name", "new 3"), fields=ALL)).total_count == 0


def test_other_normalization_forms_of_a_value_do_not_match(engine: WatchedEngine) -> None:
    """They share the guard of the value, but a filter compares code points."""
    store = Store(engine, fresh_class(("name",)))
    store.create("1", name=COMPOSED)
    assert [each.reference.id for each in store.page(Query("", BY_ID, eq("name", COMPOSED))).items] == ["1"]
    assert store.page(Query("", BY_ID, eq("name", DECOMPOSED), fields=ALL)).total_count == 0
    both = among("name", COMPOSED, DECOMPOSED)
    assert store.page(Query("", BY_ID, both, fields=ALL)).total_count == 1


def test_several_objects_with_null_are_all_found(store: Store) -> None:
    for number in range(3):
        store.create(f"x{number}", count=77)
    by_null = And((eq("name", None), eq("count", 77)))
    assert store.page(Query("", BY_ID, by_null, fields=ALL)).total_count == 3
    assert store.page(Query("", BY_ID, among("name", "n7", None), fields=ALL)).total_count == 4


def test_guards_that_are_not_built_are_not_used(engine: WatchedEngine) -> None:
    """Objects from before the constraint have none."""
    plain = Store(engine, fresh_class())
    plain.create("old", name="a")
    store = Store(engine, replace(fresh_class(("name",)), name=plain.class_.name))
    assert not schema_of(engine, store.class_).is_guarded(store.class_, Unique(("name",)))
    assert [each.reference.id for each in store.page(Query("", BY_ID, eq("name", "a"))).items] == ["old"]


def test_a_value_that_changes_hands_during_the_read_is_found(engine: WatchedEngine) -> None:
    """The guard is read again if its holder no longer has the value."""
    store = Store(engine, fresh_class(("name",)))
    store.create("1", name="a")
    store.create("2", name="b")
    reads = iter(range(100))
    get = engine.get

    def interrupted(keys: Any, *, places: bool = True) -> Any:
        found = get(keys, places=places)
        if next(reads) == 0:
            store.commit(store.update("1", name="c"))
            store.commit(store.update("2", name="a"))
        return found

    query = Query("", BY_ID, eq("name", "a"))
    store.page(query)  # the registry is read before
    engine.get = interrupted  # type: ignore[method-assign]
    assert [each.reference.id for each in store.page(query).items] == ["2"]
