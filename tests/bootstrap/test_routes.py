"""The table of routes has the addresses of template.yaml, function by function."""

from collections import Counter

from stratabase.bootstrap.routes import FUNCTIONS
from stratabase.cli.gateway.template import read_template
from stratabase.http_api.handler import CATCH_ALL
from tests.service import ROOT


def test_the_template_gives_each_function_its_routes_and_no_others() -> None:
    """The exception is the route of `graphql` that answers requests to unknown addresses."""
    deployed = read_template(ROOT / "template.yaml")
    folders = {function.name: function.file.parent.name for function in deployed.functions}
    routes: dict[str, set[str]] = {function: set() for function in FUNCTIONS}
    for route in deployed.routes:
        routes[folders[route.function]].add(route.resource)

    assert CATCH_ALL in routes["graphql"]
    routes["graphql"] -= {CATCH_ALL}
    assert routes == {function: {each.address for each in table()} for function, table in FUNCTIONS.items()}


def test_each_address_has_one_row() -> None:
    """The exception is the address whose GET another function streams."""
    rows = Counter(route.address for table in FUNCTIONS.values() for route in table())
    assert len(rows) > 10
    assert [address for address, count in rows.items() if count > 1] == [
        "/auth/file/{class}/{name}/pending/{pendingFileId}"
    ]
