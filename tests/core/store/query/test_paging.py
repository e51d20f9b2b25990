"""Paging by cursor while other objects are created and deleted."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from stratabase.core.domain.objects.change import Deletion
from stratabase.core.domain.query.cursor import decode_cursor, encode_cursor
from stratabase.core.domain.query.order import Order, OrderTerm, position_of
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.engine_calls import settle
from tests.contract.engine.lagging import LaggingEngine
from tests.core.store.stores import Store, fresh_class
from tests.models import THING
from tests.soak import count, seed

OBJECTS = count(500, 5000)
IN_A_DICT = count(300, 500)
"""Which would be too slow for more."""
PAGES = 20

ORDERS = [
    Order.of([OrderTerm("_id")]),
    Order.of([OrderTerm("_id", descending=True)]),
    Order.of([OrderTerm("count", descending=True), OrderTerm("name")]),
]


@pytest.fixture(scope="module", params=["sqlite", "lagging"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The embedded engine, and one whose indexes are late: pages must be complete on both."""
    folder = tmp_path_factory.mktemp("paging")
    created: Engine = (
        LaggingEngine(seed()) if request.param == "lagging" else SqliteEngine(folder / "items.db")
    )
    yield created
    created.close()


@pytest.fixture
def objects(engine: Engine) -> int:
    """How many objects there are."""
    return IN_A_DICT if isinstance(engine, LaggingEngine) else OBJECTS


def a_state(number: int, chance: random.Random) -> dict[str, str | int]:
    """Return a state somewhere in every order: ids are not made in order here, and many values are shared."""
    return {
        "_id": f"{chance.randrange(10**9):09}-{number}",
        "count": chance.randrange(20),
        "name": chance.choice("abcdefgh"),
    }


@pytest.mark.soak
@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("order", ORDERS, ids=["by id", "by id downward", "by values"])
def test_paging_finds_every_object_that_exists_throughout(
    engine: Engine, objects: int, order: Order, backward: bool
) -> None:
    """No object appears twice, and all are in order, even if the object of a cursor is deleted."""
    chance = random.Random(seed())
    store = Store(engine, fresh_class())
    states = [a_state(number, chance) for number in range(objects)]
    store.fill(states)
    settle(engine)
    staying = {str(state["_id"]) for state in states}
    walked: list[dict[str, object]] = []
    cursor, more, rounds = None, True, 0
    while more:
        start = None if cursor is None else decode_cursor(cursor, order, THING)
        wanted = PageFields(items=True, has_next=not backward, has_prev=backward)
        page = store.page(Query("", order, None, Window(objects // PAGES, backward, start=start), wanted))
        travelled = page.items[::-1] if backward else page.items
        walked += [dict(entity.state) for entity in travelled]
        more = bool(page.has_prev if backward else page.has_next)
        cursor = encode_cursor(position_of(travelled[-1].state, order), order, THING)
        rounds += 1
        going = {travelled[-1].reference.id, *chance.sample(sorted(staying), 5)} & staying
        staying -= going
        store.commit(*(Deletion(store.get(id_)) for id_ in going))
        store.fill([a_state(objects + 10 * rounds + number, chance) for number in range(10)])
    ids = [state["_id"] for state in walked]
    assert len(set(ids)) == len(ids)
    assert staying <= set(ids)
    places = [_place(state, order) for state in (walked[::-1] if backward else walked)]
    assert places == sorted(places)
    assert rounds >= PAGES


def _place(state: dict[str, object], order: Order) -> Any:
    if order == ORDERS[1]:
        return tuple(-ord(character) for character in str(state["_id"]))
    if order == ORDERS[0]:
        return state["_id"]
    return (-int(str(state["count"])), state["name"], state["_id"])
