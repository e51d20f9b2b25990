"""Pages that are filtered or ordered by derived attributes, on each engine and by each plan."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.query import cursor
from stratabase.core.domain.query.derived import computed_parts
from stratabase.core.domain.query.order import Order, OrderTerm, position_of
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.store.query import pages
from stratabase.core.store.query.planner import plan_candidates
from stratabase.core.store.query.row_sources import PlanSource
from stratabase.core.store.query.schema import QuerySchema
from stratabase.core.store.repository import Repository
from tests.contract.engine.engines import KINDS
from tests.core.domain.query import naive
from tests.core.operations.read.derived.random_queries import query
from tests.core.operations.read.derived.staff import CIRCUMSTANCES, STAFF, Staff
from tests.core.store.stores import built, unlimited
from tests.soak import mostly, seed

PERSON = STAFF.classes["Person"]


_BY_NAME = {kind.name: kind for kind in KINDS}


@pytest.fixture(scope="module")
def staff(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Staff]:
    """The objects on an engine of each kind. Tests do not write to them."""
    engine = _BY_NAME[request.param].open(tmp_path_factory.mktemp("staff"))
    yield Staff(engine, Random(seed()))
    engine.close()


def on(*kinds: str, rare: Sequence[str] = ("lagging",)) -> pytest.MarkDecorator:
    """Run a test on several kinds of engines, on some of them only in `make soak`."""
    return pytest.mark.parametrize("staff", mostly(kinds, *rare), indirect=True, scope="module")


@on("reference", "lagging", "sqlite", "dynamodb-ministack", rare=("lagging", "dynamodb-ministack"))
@given(st.integers(0, 2**32))
def test_a_page_over_derived_values_agrees_with_the_naive_model(staff: Staff, number: int) -> None:
    """The pages are filtered and ordered by stored and derived values, and by conditions over both."""
    asked = query(Random(number), STAFF, PERSON, CIRCUMSTANCES)
    states = staff.states("Person", asked.filter)
    ids, total, *sides = naive.page(states, asked.filter, asked.order, asked.window, PERSON)

    page = staff.known().page(asked)

    wanted = asked.fields
    assert [each.reference.id for each in page.items] == (ids if wanted.items else [])
    assert page.total_count == (total if wanted.total_count else None)
    expected = [
        side if is_wanted else None
        for side, is_wanted in zip(sides, (wanted.has_next, wanted.has_prev), strict=True)
    ]
    assert [page.has_next, page.has_prev] == expected


@on("reference")
@given(st.integers(0, 2**32))
def test_every_plan_returns_the_same_page(staff: Staff, number: int) -> None:
    asked = replace(
        query(Random(number), STAFF, PERSON, CIRCUMSTANCES), fields=PageFields(True, True, True, True)
    )
    ids, total, *sides = naive.page(
        staff.states("Person", asked.filter), asked.filter, asked.order, asked.window, PERSON
    )
    computed = computed_parts(asked, PERSON)
    reader = staff.known()
    derive = (lambda read: run(reader.with_computed("Person", read, computed))) if computed else None
    store = Repository(staff.engine, STAFF)._store
    schema = QuerySchema(STAFF, store.associations, store.write_schema())
    candidates = plan_candidates(PERSON, asked, schema)
    assert candidates
    for one in candidates:
        source = PlanSource(staff.engine, unlimited(), derive, related=reader._related, store=store)
        page = pages.page_of(built(one, source, asked), asked)
        assert [each.reference.id for each in page.items] == ids, one.description
        assert (page.total_count, page.has_next, page.has_prev) == (total, *sides), one.description


ORDERS = [
    Order.of([OrderTerm("team_name")]),
    Order.of([OrderTerm("mates", descending=True), OrderTerm("name")]),
    Order.of([OrderTerm("size"), OrderTerm("double_price", descending=True)]),
    Order.of([OrderTerm("alone"), OrderTerm("boss_shout"), OrderTerm("_id", descending=True)]),
]


@on("lagging", "dynamodb-ministack")
@pytest.mark.parametrize("order", ORDERS, ids=["path", "aggregate", "after a stored one", "a part of a path"])
@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_cursors_lead_through_all_pages_of_a_derived_order(
    staff: Staff, order: Order, backward: bool
) -> None:
    expected = [state["_id"] for state in naive.in_order(staff.states("Person"), order, PERSON)]
    walked: list[str] = []
    text, more = None, True
    while more:
        start = None if text is None else cursor.decode_cursor(text, order, PERSON)
        wanted = PageFields(items=True, has_next=not backward, has_prev=backward)
        page = staff.known().page(Query("Person", order, None, Window(4, backward, start=start), wanted))
        met = page.items[::-1] if backward else page.items
        walked += [each.reference.id for each in met]
        text = cursor.encode_cursor(position_of(met[-1].state, order), order, PERSON)
        more = bool(page.has_prev if backward else page.has_next)
    assert walked == (expected[::-1] if backward else expected)
