"""The most specific address that matches a path wins, whatever the order of the endpoints."""

from itertools import permutations

import pytest

from stratabase.core.http.handler import CATCH_ALL
from stratabase.server.http.errors import HttpError
from stratabase.server.http.routes import Routes
from tests.rows import each_row
from tests.server.http.serving import Client

ADDRESSES = ("/a/b", "/a/{x}", "/{x}/b", "/{x}/{y}/d")


@each_row(
    ("path", "resource"),
    [
        ("/a/b", "/a/b"),
        ("/a/c", "/a/{x}"),
        ("/c/b", "/{x}/b"),
        ("/a/b/d", "/{x}/{y}/d"),
        ("/a/b/c", CATCH_ALL),
        ("/a", CATCH_ALL),
        ("/", CATCH_ALL),
        ("/a/.", "/a/{x}"),
        ("/axb", CATCH_ALL),
    ],
)
def test_the_most_specific_address_wins(path: str, resource: str) -> None:
    for order in permutations(ADDRESSES):
        assert Routes(order).match("GET", path).resource == resource


@each_row(
    ("path", "resource", "parameters"),
    [
        ("/a", "/a", {}),
        ("/a/", "/a", {}),
        ("/a/b", "/a/{rest+}", {"rest": "b"}),
        ("/a/b/c.d/%C3%A9%2Ff", "/a/{rest+}", {"rest": "b/c.d/é/f"}),
        ("/a/s", "/a/{rest+}", {"rest": "s"}),
        ("/a/s/f", "/a/s/{x}", {"x": "f"}),
        ("/a/s/f/g", "/a/{rest+}", {"rest": "s/f/g"}),
        ("/a/x/k", "/a/{x}/k", {"x": "x"}),
    ],
)
def test_a_parameter_can_take_the_rest_of_a_path(
    path: str, resource: str, parameters: dict[str, str]
) -> None:
    for order in permutations(["/a", "/a/{rest+}", "/a/s/{x}", "/a/{x}/k"]):
        assert Routes(order).match("GET", path) == (resource, parameters)


def test_parameters_may_have_any_name_and_are_decoded() -> None:
    match = Routes(["/{some-id}/{some.other}"]).match("GET", "/1%2F2/%C3%A9")
    assert match.parameters == {"some-id": "1/2", "some.other": "é"}


@each_row("method", ["PROPFIND", "TRACE", "LOCK", "SEARCH"])
def test_a_method_that_no_endpoint_has_is_405(echoing: Client, method: str) -> None:
    response = echoing.request(method, "/")

    assert response.status == 405
    assert response.header("Allow") == "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"
    assert method in response.json()["detail"]
    with pytest.raises(HttpError):
        Routes(ADDRESSES).match(method, "/a/b")
