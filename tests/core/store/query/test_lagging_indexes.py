"""Pages over lagging indexes: they show recent states, and miss no unchanged object."""

import random
from collections.abc import Callable, Iterator, Sequence
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stratabase.core.domain.objects.entity import State
from stratabase.core.domain.query.filter import Filter
from stratabase.core.domain.query.order import Order, Position, position_of
from stratabase.core.domain.query.page import Page, Query, Window
from stratabase.core.store.query import pages
from stratabase.core.store.query.planner import plan_candidates
from stratabase.core.store.query.row_sources import PlanSource
from tests.core.domain.query import naive
from tests.core.store.lagging_history import LaggingHistory, Span, matches
from tests.core.store.random_queries import ALL, scenario
from tests.core.store.stores import built, schema_of, unlimited
from tests.models import THING

Find = Callable[[Query], Page]


class Reader:
    """Reads pages by every possible plan, while others write."""

    def __init__(self, history: LaggingHistory, chance: random.Random) -> None:
        self._history = history
        self._chance = chance
        class_ = history.store.class_
        self._schema = schema_of(history.engine, class_)

    def ways(self, query: Query) -> Sequence[tuple[str, Find]]:
        """Return the ways to answer a query: as the store would, and by each plan."""
        found = plan_candidates(self._history.store.class_, query, self._schema)
        source = PlanSource(self._history.engine, unlimited())
        by_plan = [
            (one.description, lambda query, one=one: pages.page_of(built(one, source, query), query))
            for one in found
        ]
        return [("the store's own", self._history.store.page), *by_plan]

    def page(self, query: Query) -> tuple[Page, Span]:
        """Return a page, found by a random plan, and the time span of the read."""
        _, find = self._chance.choice(self.ways(query))
        began = self._history.engine.now
        page = find(query)
        return page, Span(began, self._history.engine.now)

    def walk(self, order: Order, filter_: Filter | None) -> Iterator[tuple[Query, Page, Span]]:
        """Yield page after page, forward or backward, with the query of each."""
        class_name, backward = self._history.store.class_.name, self._chance.random() < 0.5
        start, more = None, True
        while more:
            window = Window(self._chance.choice([1, 3, 8, 50]), backward, start=start)
            query = Query(class_name, order, filter_, window, ALL)
            page, span = self.page(query)
            yield query, page, span
            more = bool(page.items and (page.has_prev if backward else page.has_next))
            if more:
                start = position_of(page.items[0 if backward else -1].state, order)
            for _ in range(self._chance.choice([0, 0, 1, 4])):
                self._history.write()


def side(state: State, order: Order, start: Position) -> int:
    """Return on which side of a position a state lies."""
    return naive.direction(order, THING, naive.values(order, state), start.values)


def check(history: LaggingHistory, query: Query, page: Page, span: Span) -> None:
    """Assert that a page shows only what was true during the read or at most the lag before it."""
    shown = {entity.reference.id: entity.state for entity in page.items}
    assert len(shown) == len(page.items), "an object is shown twice"
    for id_, state in shown.items():
        assert state in list(history.may_be(id_, span)), "it is shown as it was not"
        assert matches(query.filter, state), "what is shown does not match"
    assert list(shown) == [state["_id"] for state in naive.in_order(shown.values(), query.order, THING)]
    check_window(query, page)
    check_around(history, query, page, span)
    stayed = history.must_be(query.filter, span)
    assert page.total_count is not None
    assert len(stayed) <= page.total_count <= len(history.may_match(query.filter, span))


def check_window(query: Query, page: Page) -> None:
    """Assert that a page has the right size, starts behind its position, and is full if more follow."""
    window, onward = query.window, -1 if query.window.backward else 1
    states = [entity.state for entity in page.items]
    assert len(states) <= window.size
    assert window.start is None or {side(state, query.order, window.start) for state in states} <= {onward}
    assert len(states) == window.size or not (page.has_prev if window.backward else page.has_next)


def check_around(history: LaggingHistory, query: Query, page: Page, span: Span) -> None:
    """Check that a page reports unchanged objects before and after it, and shows those inside it."""
    if not page.items:
        return
    shown = {entity.reference.id for entity in page.items}
    first, last = (position_of(page.items[end].state, query.order) for end in (0, -1))
    stayed = history.must_be(query.filter, span)
    sides = {
        id_: (side(state, query.order, first), side(state, query.order, last))
        for id_, state in stayed.items()
    }
    assert page.has_prev or not any(of_first < 0 for of_first, _ in sides.values())
    assert page.has_next or not any(of_last > 0 for _, of_last in sides.values())
    assert {id_ for id_, (of_first, of_last) in sides.items() if of_first >= 0 >= of_last} <= shown


OBJECTS_STAY = (0, 2, 3, 7, 10, 14, 15, 20, 22, 23)
"""Numbers of walks in which some objects stay: of few random numbers, too few may be such."""


@pytest.mark.soak
def test_paging_on_lagging_indexes_finds_all_unchanged_objects() -> None:
    """Each page uses another plan and direction, while objects are created, changed and deleted."""
    stayed: list[int] = []

    @given(st.integers(0, 2**64), st.sampled_from([1, 200]))
    def check(number: int, long_run: int) -> None:
        stayed.append(walk_while_others_write(number, long_run))

    for number in OBJECTS_STAY:
        check = example(number, 200)(check)
    check()
    assert sum(map(bool, stayed)) > len(stayed) / 4


def walk_while_others_write(number: int, long_run: int) -> int:
    """Return how many objects stayed during three walks; each walk must show all of them, once."""
    total = 0
    chance = random.Random(number)
    result = scenario(chance)
    history = LaggingHistory(chance, result)
    reader = Reader(history, chance)
    history.engine.meanwhile = lambda: history.write() if chance.random() < 0.3 else None
    with patch("stratabase.core.store.query.index_scan.MAX_SORTED_RUN", long_run):
        for _ in range(3):
            began = history.engine.now
            walked: list[State] = []
            for query, page, span in reader.walk(result.order, result.filter):
                check(history, query, page, span)
                walked += [entity.state for entity in page.items[:: -1 if query.window.backward else 1]]
            stayed = history.must_be(result.filter, Span(began, history.engine.now))
            shown = [str(state["_id"]) for state in walked]
            total += len(stayed)
            assert stayed.keys() <= set(shown)
            assert {shown.count(id_) for id_ in stayed} <= {1}
            along = naive.in_order(walked, result.order, THING)
            assert walked == (along[::-1] if query.window.backward else along)
            history.write()
    return total


@pytest.mark.soak
@given(st.integers(0, 2**64))
def test_every_plan_finally_shows_all_objects_after_the_last_write(number: int) -> None:
    """Pages and counts then equal those of the naive model."""
    chance = random.Random(number)
    result = scenario(chance)
    history = LaggingHistory(chance, result)
    reader = Reader(history, chance)
    for _ in range(20):
        history.write()
    history.end()
    window = result.window
    query = Query(history.store.class_.name, result.order, result.filter, window, ALL)
    expected = naive.page(history.states, result.filter, result.order, window, THING)
    for why, find in reader.ways(query):
        page = find(query)
        ids = [entity.reference.id for entity in page.items]
        assert (ids, page.total_count, page.has_next, page.has_prev) == expected, why
    for _ in range(3):
        pages_ = [page for _, page, _ in reader.walk(result.order, result.filter)]
        walked = [entity.reference.id for page in pages_ for entity in page.items]
        assert len(walked) == len(set(walked))
        assert {page.total_count for page in pages_} == {len(walked)} == {expected.total_count}
