"""Costs of the version services do not depend on the number of versions."""

from functools import partial

import pytest

from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.version_diff import version_diff
from stratabase.core.operations.read.version_page import version_page
from stratabase.core.operations.read.versions import get_version
from stratabase.core.operations.write.options import WriteOptions
from stratabase.core.operations.write.services import restore
from tests.core.operations.metered_versions import STEP, MeteredVersions, S
from tests.core.store.cost import Cost
from tests.fakes import ADMINISTRATOR, NOON, request_of

pytestmark = pytest.mark.usefixtures("lasting_registry")

FORWARD = Query("Employee", Order.of_versions(()), window=Window(5), fields=PageFields(has_next=True))
BACKWARD = Query(
    "Employee", Order.of_versions([OrderTerm("_versionStart", descending=True)]), window=Window(5)
)
LAST = Query("Employee", Order.of_versions(()), window=Window(5, backward=True))


@pytest.mark.parametrize("number", [1, 100, 10_000])
def test_service_costs_do_not_grow_with_the_number_of_versions(number: int) -> None:
    meter = MeteredVersions(number)
    middle = NOON + number // 2 * STEP + 1
    assert meter.cost(lambda meter: get_version(request(meter), meter.ada, middle)) == Cost(2, 1.5, 0)
    for query in (FORWARD, BACKWARD, LAST):
        page = meter.cost(partial(_page, query=query))
        assert page.trips == 1
        assert page.read <= 1
    last = meter.last
    diff = meter.cost(lambda meter: version_diff(request(meter), meter.ada, last - 1, last))
    assert diff.trips <= 3
    same = meter.cost(lambda meter: version_diff(request(meter), meter.ada, last, last))
    assert same == Cost(1, 1, 0)
    meter.update("new")
    back = meter.cost(
        lambda meter: restore(meter.services, meter.ada, [middle], ADMINISTRATOR, WriteOptions(force=True))
    )
    assert (back.trips, back.written) == (1 + 2 + 1, 4 + S)


def test_a_page_in_another_order_reads_all_versions() -> None:
    few, many = MeteredVersions(1), MeteredVersions(1000)
    query = Query("Employee", Order.of_versions([OrderTerm("name")]), window=Window(5))
    costs = [meter.cost(partial(_page, query=query)) for meter in (few, many)]
    assert costs[1].read > 10 * costs[0].read


def request(meter: MeteredVersions) -> ReadContext:
    """Return the context of a request to the store of a room."""
    return request_of(meter.services.model, meter.services.entities)


def _page(meter: MeteredVersions, query: Query) -> object:
    return version_page(request(meter), meter.ada, query)
