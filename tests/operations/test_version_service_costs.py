"""What the services of versions cost, on an object that has changed once, or ten thousand times."""

from functools import partial

import pytest

from stratabase.domain.query.order import Order, OrderTerm
from stratabase.domain.query.page import PageFields, Query, Window
from stratabase.operations.context import RequestContext
from stratabase.operations.read.version_diff import version_diff
from stratabase.operations.read.version_page import version_page
from stratabase.operations.read.versions import get_version
from stratabase.operations.write.options import WriteOptions
from stratabase.operations.write.services import restore
from tests.fakes import ADMINISTRATOR, NOON, request_of
from tests.operations.test_version_costs import STEP, Room, S
from tests.store.cost import Cost

pytestmark = pytest.mark.usefixtures("lasting_registry")

FORWARD = Query("Employee", Order.of_versions(()), window=Window(5), fields=PageFields(has_next=True))
BACKWARD = Query(
    "Employee", Order.of_versions([OrderTerm("_versionStart", descending=True)]), window=Window(5)
)
LAST = Query("Employee", Order.of_versions(()), window=Window(5, backward=True))


@pytest.mark.parametrize("number", [1, 100, 10_000])
def test_service_costs_do_not_grow_with_the_number_of_versions(number: int) -> None:
    room = Room(number)
    middle = NOON + number // 2 * STEP + 1
    assert room.cost(lambda room: get_version(request(room), room.ada, middle)) == Cost(2, 1.5, 0)
    for query in (FORWARD, BACKWARD, LAST):
        page = room.cost(partial(_page, query=query))
        assert page.trips == 1
        assert page.read <= 1
    last = room.last
    diff = room.cost(lambda room: version_diff(request(room), room.ada, last - 1, last))
    assert diff.trips <= 3
    same = room.cost(lambda room: version_diff(request(room), room.ada, last, last))
    assert same == Cost(1, 1, 0)
    room.update("new")
    back = room.cost(
        lambda room: restore(room.services, room.ada, [middle], ADMINISTRATOR, WriteOptions(force=True))
    )
    assert (back.trips, back.written) == (1 + 2 + 1, 4 + S)


def test_a_page_in_another_order_reads_all_versions() -> None:
    few, many = Room(1), Room(1000)
    query = Query("Employee", Order.of_versions([OrderTerm("name")]), window=Window(5))
    costs = [room.cost(partial(_page, query=query)) for room in (few, many)]
    assert costs[1].read > 10 * costs[0].read


def request(room: Room) -> RequestContext:
    """Return the context of a request to the store of a room."""
    return request_of(room.services.model, room.services.entities)


def _page(room: Room, query: Query) -> object:
    return version_page(request(room), room.ada, query)
