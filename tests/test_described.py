"""The OpenAPI document of the wired service lists exactly its addresses."""

from collections.abc import Iterator
from typing import Any

import pytest
from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR

from stratabase.core.app.app import App
from stratabase.core.http.api.openapi.document import documented_address
from stratabase.core.http.handler import CATCH_ALL
from tests import golden
from tests.lambda_stack.template import read_template
from tests.repository import ROOT


@pytest.fixture(scope="module")
def instance() -> Iterator[App]:
    with golden.sample() as created:
        yield created


@pytest.fixture(scope="module")
def document(instance: App) -> Any:
    return golden.openapi(instance)


def test_the_document_is_openapi(document: Any) -> None:
    OPENAPI_31_VALIDATOR.validate(document)


def test_the_document_equals_its_golden_file(document: Any) -> None:
    """`make golden` writes the file again. Its diff shows what changes for clients."""
    assert golden.written(document) == golden.OPENAPI.read_text()


def test_the_document_has_exactly_the_operations_that_are_wired(instance: App, document: Any) -> None:
    described = {
        (resource, method.upper())
        for resource, path in document["paths"].items()
        for method in path
        if method != "parameters"
    }
    assert described == {
        (documented_address(address), method)
        for address, endpoint in instance.all_endpoints().items()
        for method in endpoint.operations
    }


def test_the_document_has_exactly_the_routes_of_the_template(document: Any) -> None:
    """The exception is the route that answers requests to unknown addresses."""
    routes = {route.resource for route in read_template(ROOT / "template.yaml").routes} - {CATCH_ALL}
    assert {documented_address(each) for each in routes} == set(document["paths"])


def test_each_operation_has_a_name_of_its_own(document: Any) -> None:
    names = [
        operation["operationId"]
        for path in document["paths"].values()
        for method, operation in path.items()
        if method != "parameters"
    ]
    assert len(names) == len(set(names))


def test_the_document_is_the_same_from_every_instance(document: Any) -> None:
    with golden.sample() as another:
        assert golden.openapi(another) == document
