"""The OpenAPI document of the service as it is wired: it names every address, and no other."""

from collections.abc import Iterator
from typing import Any

import pytest
from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR

from stratabase.bootstrap import Instance
from stratabase.bootstrap.routes import all_endpoints
from stratabase.cli.gateway.template import read_template
from stratabase.http_api.handler import CATCH_ALL
from tests import golden
from tests.service import ROOT


@pytest.fixture(scope="module")
def instance() -> Iterator[Instance]:
    with golden.sample() as made:
        yield made


@pytest.fixture(scope="module")
def document(instance: Instance) -> Any:
    return golden.openapi(instance)


def test_it_is_openapi(document: Any) -> None:
    OPENAPI_31_VALIDATOR.validate(document)


def test_it_is_as_it_was_when_somebody_last_looked(document: Any) -> None:
    """`make golden` writes the file anew; the difference is what clients will meet."""
    assert golden.written(document) == golden.OPENAPI.read_text()


def test_it_names_every_operation_that_is_wired_and_no_other(instance: Instance, document: Any) -> None:
    described = {
        (resource, method.upper())
        for resource, path in document["paths"].items()
        for method in path
        if method != "parameters"
    }
    assert described == {
        (address, method)
        for address, endpoint in all_endpoints(instance).items()
        for method in endpoint.operations
    }


def test_it_names_every_route_of_the_template_and_no_other(document: Any) -> None:
    """But for the two that lead nowhere."""
    routes = {route.resource for route in read_template(ROOT / "template.yaml").routes}
    assert routes - {CATCH_ALL, "/"} == set(document["paths"])


def test_each_operation_has_a_name_of_its_own(document: Any) -> None:
    names = [
        operation["operationId"]
        for path in document["paths"].values()
        for method, operation in path.items()
        if method != "parameters"
    ]
    assert len(names) == len(set(names))


def test_it_is_the_same_from_every_instance(document: Any) -> None:
    with golden.sample() as another:
        assert golden.openapi(another) == document
