"""A page of in-memory objects equals the page of a store."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.page import Paginator, Query
from tests.core.domain.query import naive
from tests.core.domain.query.queries import filters, many_states, orders, windows
from tests.models import THING


@given(st.data(), many_states)
def test_a_page_agrees_with_the_naive_model(data: st.DataObject, states: list[dict[str, Any]]) -> None:
    order = data.draw(orders)
    query = Query("Thing", order, data.draw(st.none() | filters), data.draw(windows(order)))
    entities = [Entity(Reference("Thing", state["_id"]), state) for state in states]

    page = Paginator(query, THING, lambda _: None).page(data.draw(st.permutations(entities)))

    expected = naive.page(states, query.filter, order, query.window, THING)
    found = naive.ExpectedPage(
        [entity.reference.id for entity in page.items],
        page.total_count or 0,
        page.has_next is True,
        page.has_prev is True,
    )
    assert found == expected
