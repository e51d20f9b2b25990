"""The read budget: a page that reads too much is refused with what would make it cheap."""

from typing import Any

import pytest

from stratabase.domain.filter import And, Comparison
from stratabase.domain.order import Order, Term
from stratabase.domain.page import Query, Wanted, Window
from stratabase.domain.refusal import TooMuchRead
from stratabase.model.operator import Operator
from stratabase.store.budget import MOST_SECONDS, Budget
from stratabase.store.engine import Item, Key
from tests.contract.engine.reference import ReferenceEngine
from tests.store.stores import Store, fresh_class

LARGE = "n" * 340_000
BY_COUNT = Order.of([Term("count")])
EQUAL = Comparison("name", Operator.EQ, "a")
ABOVE = Comparison("vintage", Operator.GT, 5)


@pytest.fixture(scope="module")
def store() -> Store:
    """Objects of 24 MB in all, in an index by `code` that tells none of them from another."""
    store = Store(ReferenceEngine(), fresh_class(indexes=[("code",)]))
    for number in range(70):
        store.create(str(number), code="c", name="b", notes=LARGE)
    return store


@pytest.mark.parametrize(
    ("query", "index", "costly"),
    [
        (Query("", BY_COUNT), ("count",), ()),
        (Query("", BY_COUNT, And((EQUAL, ABOVE))), ("name", "count"), ()),
        (Query("", Order.of([]), And((ABOVE, EQUAL))), ("name", "vintage"), ()),
        (Query("", Order.of([]), Comparison("name", Operator.CONTAINS, "x")), (), ()),
        (Query("", Order.of([]), None, wanted=Wanted(total_count=True)), (), ("totalCount",)),
        (
            Query("", BY_COUNT, None, Window(offset=5), Wanted(total_count=True)),
            ("count",),
            ("totalCount", "offset"),
        ),
        (Query("", Order.of([Term("code")]), Comparison("code", Operator.EQ, "c"), Window(100)), (), ()),
    ],
)
def test_a_refusal_names_the_index_that_is_missing_and_what_costs(
    store: Store, query: Query, index: Any, costly: Any
) -> None:
    with pytest.raises(TooMuchRead) as refusal:
        store.page(query)
    assert (refusal.value.class_name, refusal.value.index, refusal.value.costly) == (
        store.class_.name,
        index,
        costly,
    )
    assert 0 < refusal.value.read <= 80


def test_the_message_says_what_to_do() -> None:
    assert str(TooMuchRead("Pet", 12345, ("name", "age"), ("totalCount", "offset"))) == (
        'Pet: 12,345 objects were read, and that is not all: declare @index(attributes: ["name", "age"]) '
        "in the model, or ask without totalCount and offset"
    )
    assert str(TooMuchRead("Pet", 9, (), ())).endswith("that is not all: narrow the filter")


def test_a_page_within_the_budget_is_found(store: Store) -> None:
    assert len(store.page(Query("", Order.of([]), EQUAL, Window(0))).items) == 0
    assert len(store.page(Query("", Order.of([]), None, Window(5))).items) == 5


def test_time_is_part_of_the_budget() -> None:
    now = [0.0]
    budget = Budget(lambda read: TooMuchRead("Pet", read, (), ()), clock=lambda: now[0])
    item = Item(Key("p", "s"))
    assert budget.spend([item]) == [item]
    now[0] = MOST_SECONDS + 1
    with pytest.raises(TooMuchRead, match="2 objects"):
        budget.spend([item])
