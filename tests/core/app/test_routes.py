"""The table of routes has the addresses of template.yaml, function by function."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from stratabase.core.app.app import App
from stratabase.core.app.routes import Route
from stratabase.core.features import FEATURES, load
from stratabase.core.http.handler import CATCH_ALL
from stratabase.core.settings import Settings
from stratabase_aws.functions import http_handler
from tests import golden
from tests.lambda_stack.template import read_template
from tests.repository import ROOT
from tests.service import SAMPLE_MODEL


def routes_by_function() -> Mapping[str, Sequence[Route]]:
    """Return the routes of all features, by the Lambda function that serves them."""
    found: dict[str, list[Route]] = {}
    for feature in FEATURES:
        for function, reference in feature.routes.items():
            found.setdefault(function, []).extend(load(reference)())
    return found


def test_the_template_gives_each_function_its_routes_and_no_others() -> None:
    """The exception is the route of `graphql` that answers requests to unknown addresses."""
    deployed = read_template(ROOT / "template.yaml")
    folders = {function.name: function.file.parent.name for function in deployed.functions}
    declared = routes_by_function()
    routes: dict[str, set[str]] = {function: set() for function in declared}
    for route in deployed.routes:
        routes[folders[route.function]].add(route.resource)

    assert CATCH_ALL in routes["graphql"]
    routes["graphql"] -= {CATCH_ALL}
    assert routes == {function: {each.address for each in rows} for function, rows in declared.items()}


def test_only_serve_has_documentation() -> None:
    """It adds the routes to those of the template, and tells the instance where the pages are."""
    path = "/public/documentation"
    assert all(path not in route.resource for route in read_template(ROOT / "template.yaml").routes)
    with golden.sample() as instance:
        event = {"httpMethod": "GET", "resource": "/", "path": "/"}
        assert "documentation" not in json.loads(http_handler("graphql", instance)(event)["body"])["links"]
        instance.documentation_path = path
        links = json.loads(http_handler("graphql", instance)(event)["body"])["links"]
        assert links["documentation"] == f"{golden.BASE_URL}{path}"


@pytest.mark.parametrize(("introspection", "console"), [*product([True, False], repeat=2)])
def test_the_model_is_described_for_introspection_or_the_console(
    tmp_path: Path, *, introspection: bool, console: bool
) -> None:
    """The console makes its pages from the description."""
    settings = Settings(home=tmp_path, model=SAMPLE_MODEL, introspection=introspection, console=console)
    with closing(App(settings)) as app:
        addresses = app.all_endpoints().keys()
    assert ("/auth/api/model/{application}" in addresses) == (introspection or console)
    assert ("/auth/api/schema/{application}" in addresses) == introspection
    assert ("/console" in addresses) == ("/console/{proxy+}" in addresses) == console


def test_each_address_has_one_row() -> None:
    """The exception is the address whose GET another function streams."""
    rows = Counter(route.address for table in routes_by_function().values() for route in table)
    assert len(rows) > 10
    assert [address for address, count in rows.items() if count > 1] == [
        "/auth/file/{class}/{name}/pending/{pendingFileId}"
    ]
