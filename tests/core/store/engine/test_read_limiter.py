"""The read budget: a request that reads too much is refused with advice."""

from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Hint, ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.query.filter import And, Comparison
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.domain.query.read_budget import MEGABYTE, ReadBudget
from stratabase.core.model.model import Index
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.engine.port import Item, Key
from stratabase.core.store.engine.read_limiter import ReadLimiter, approximate_bytes
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.stores import Store, fresh_class
from tests.core.store.watched_engine import WatchedEngine
from tests.rows import each_row

LARGE = "n" * 34_000
BY_COUNT = Order.of([OrderTerm("count")])
BY_ID = Order.of([])
EQUAL = Comparison("name", Operator.EQ, "a")
ABOVE = Comparison("vintage", Operator.GT, 5)
EVERY_ID = Comparison("_id", Operator.IN, tuple(f"{number:02}" for number in range(70)))


def two_megabytes() -> ReadBudget:
    """Return an allowance whose time stands still."""
    return ReadBudget(2 * MEGABYTE, 1, clock=lambda: 0.0)


@pytest.fixture(scope="module")
def store() -> Store:
    """Objects of 2.4 MB in all, in an index by `code` that tells none of them from another."""
    store = Store(WatchedEngine(), fresh_class(indexes=[("code",)]))
    store.fill({"_id": f"{number:02}", "code": "c", "name": "b", "notes": LARGE} for number in range(70))
    return store


@each_row(
    ("query", "index", "costly"),
    [
        (Query("", BY_COUNT), ("count",), ()),
        (Query("", BY_COUNT, And((EQUAL, ABOVE))), ("name", "count"), ()),
        (Query("", BY_ID, And((ABOVE, EQUAL))), ("name", "vintage"), ()),
        (Query("", BY_ID, Comparison("name", Operator.CONTAINS, "x")), (), ()),
        (Query("", BY_ID, None, fields=PageFields(total_count=True)), (), ("totalCount",)),
        (
            Query("", BY_COUNT, None, Window(offset=5), PageFields(total_count=True)),
            ("count",),
            ("totalCount", "offset"),
        ),
        (Query("", Order.of([OrderTerm("code")]), Comparison("code", Operator.EQ, "c"), Window(100)), (), ()),
        (Query("", BY_COUNT, And((EVERY_ID, EQUAL))), (), ()),
    ],
)
def test_a_refusal_names_the_missing_index_and_the_cost(
    store: Store, query: Query, index: Any, costly: Any
) -> None:
    with pytest.raises(ReadBudgetExceeded) as refusal:
        store.page(query, two_megabytes())
    assert refusal.value.class_name == store.class_.name
    assert refusal.value.hint == Hint(index, costly=costly)
    assert 0 < refusal.value.objects_read <= 70


def test_a_refusal_says_that_a_declared_index_must_be_built() -> None:
    engine = ReferenceEngine()
    class_ = fresh_class()
    Store(engine, class_).fill({"_id": f"{number:02}", "notes": LARGE} for number in range(70))
    changed = Store(engine, replace(class_, indexes=(Index(("count", "name")),)))
    with pytest.raises(ReadBudgetExceeded, match="stratabase reindex") as refusal:
        changed.page(Query("", BY_COUNT), two_megabytes())
    assert refusal.value.hint == Hint(("count",), declared=True)


ENDING = "objects, before the result was complete."
REACHED = "The request reached its read limit"
TRY = "Try one of the following."


@each_row(
    ("refusal", "reason", "remedy"),
    [
        (
            ReadBudgetExceeded("Pet", 12345, Hint(("name", "age"), costly=("totalCount", "offset"))),
            f"{REACHED} after 12,345 {ENDING}",
            f'{TRY} Declare @index(attributes: ["name", "age"]) in the model. Omit totalCount and offset.',
        ),
        (
            ReadBudgetExceeded("Pet", 9, Hint()),
            f"{REACHED} after 9 {ENDING}",
            "Narrow the filter, or request fewer objects at a time.",
        ),
        (
            ReadBudgetExceeded("Pet", 9, Hint(("name",), shared=True)),
            f"{REACHED} after 9 {ENDING}",
            f'{TRY} Declare @index(attributes: ["name"]) in the model. Request less data in each request.',
        ),
        (
            ReadBudgetExceeded("Pet", 9, Hint(("name",), declared=True)),
            f"{REACHED} after 9 {ENDING}",
            'Run `stratabase reindex` to build @index(attributes: ["name"]).',
        ),
        (
            ReadBudgetExceeded("Pet"),
            f"{REACHED} before it read these objects.",
            "Request less data in each request.",
        ),
    ],
)
def test_the_message_contains_advice(refusal: ReadBudgetExceeded, reason: str, remedy: str) -> None:
    assert str(refusal) == f"Pet: {reason} {remedy}"


def test_a_page_within_the_budget_is_found(store: Store) -> None:
    assert len(store.page(Query("", BY_ID, None, Window(5)), two_megabytes()).items) == 5
    within = ReadBudget(3 * MEGABYTE, 1, clock=lambda: 0.0)
    assert len(store.page(Query("", BY_COUNT, None, Window(5)), within).items) == 5


def test_all_pages_of_a_request_share_one_read_budget(store: Store) -> None:
    """Each page is within the budget, all together are not. The refusal mentions the earlier pages."""
    budget, query = two_megabytes(), Query("", BY_ID, None, Window(10))
    for _ in range(6):
        assert len(store.page(query, budget).items) == 10
    with pytest.raises(ReadBudgetExceeded) as refusal:
        store.page(query, budget)
    assert refusal.value.hint == Hint(shared=True)


def test_nothing_is_read_after_the_budget_is_used_up(store: Store) -> None:
    engine = WatchedEngine()
    store = Store(engine, store.class_)
    store.create("x", name="a")
    spent = two_megabytes()
    spent.charge(2 * MEGABYTE + 1)
    engine.items_read, engine.keys_got = 0, []
    for query in (Query("", BY_ID), Query("", BY_COUNT, EQUAL), Query("", BY_ID, EVERY_ID)):
        with pytest.raises(ReadBudgetExceeded) as refusal:
            store.page(query, spent)
        assert (refusal.value.objects_read, refusal.value.hint.shared) == (0, True)
    with pytest.raises(ReadBudgetExceeded, match=rf"^Thing\d+: {REACHED} before it read these objects"):
        store.entities.read([Reference(store.class_.name, "x")], spent)
    assert (engine.items_read, engine.keys_got) == (0, [])


def test_reads_by_id_count_towards_the_budget(store: Store) -> None:
    budget = two_megabytes()
    for number in range(62):
        assert store.entities.read([Reference(store.class_.name, f"{number:02}")], budget) != [None]
    with pytest.raises(ReadBudgetExceeded):
        store.entities.read([Reference(store.class_.name, "62")], budget)
    # What a write has to know is not a read of its client's.
    assert store.entities.read([Reference(store.class_.name, "62")]) != [None]


def test_time_is_part_of_the_budget() -> None:
    now = [100.0]
    budget = ReadBudget(MEGABYTE, 10, clock=lambda: now[0])
    limiter = ReadLimiter(budget, "Pet", lambda limiter: ReadBudgetExceeded("Pet", limiter.items))
    item = Item(Key("p", "s"))
    now[0] = 110.0
    assert limiter.spend([item]) == [item]
    now[0] = 110.1
    with pytest.raises(ReadBudgetExceeded, match="2 objects"):
        limiter.spend([item])


def test_reads_are_counted_in_bytes() -> None:
    key = Key("p", "s")
    nothing = approximate_bytes([None])
    assert nothing > 0
    assert approximate_bytes([Item(key, state="a" * 1000)]) == nothing + 1000
    assert approximate_bytes([Item(key, state="€" * 1000), None]) == 2 * nothing + 3000
