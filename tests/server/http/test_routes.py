"""The most specific resource that matches a path wins, whatever the order in the template."""

from itertools import permutations

import pytest

from stratabase.server.http.errors import GatewayError
from stratabase.server.http.routes import Routes
from stratabase.server.http.template import RouteDeclaration
from tests.server.http.serving import Client, gateway, problem

RESOURCES = ("/a/b", "/a/{x}", "/{x}/b", "/{all+}", "/a/{rest+}")


@pytest.mark.parametrize(
    ("path", "resource"),
    [
        ("/a/b", "/a/b"),
        ("/a/c", "/a/{x}"),
        ("/c/b", "/{x}/b"),
        ("/a/b/c", "/a/{rest+}"),
        ("/a", "/{all+}"),
        ("/a/.", "/a/{x}"),
        ("/axb", "/{all+}"),
    ],
)
def test_the_most_specific_resource_wins(path: str, resource: str) -> None:
    for order in permutations(RESOURCES):
        routes = Routes(RouteDeclaration(each, "ANY", "F") for each in order)
        assert routes.match("GET", path).resource == resource


def test_a_specific_method_wins_over_any() -> None:
    routes = Routes([RouteDeclaration("/a", "ANY", "All"), RouteDeclaration("/a", "POST", "Post")])

    assert routes.match("POST", "/a").function == "Post"
    assert routes.match("PUT", "/a").function == "All"


def test_parameters_may_have_any_name() -> None:
    routes = Routes([RouteDeclaration("/{some-id}/{some.other}", "GET", "F")])

    assert routes.match("GET", "/1/2").parameters == {"some-id": "1", "some.other": "2"}


def test_a_root_without_a_route_is_refused() -> None:
    """A greedy parameter stands for at least one character."""
    with pytest.raises(GatewayError):
        Routes([RouteDeclaration("/{all+}", "ANY", "F")]).match("GET", "/")


@pytest.mark.parametrize("method", ["PROPFIND", "TRACE", "LOCK", "SEARCH"])
def test_a_method_unknown_to_api_gateway_is_not_forwarded(echoing: Client, method: str) -> None:
    assert method in problem(echoing.request(method, "/"), 403)


def test_a_path_without_a_route_is_refused() -> None:
    with gateway(routes=(RouteDeclaration("/only", "GET", "Fake"),)) as client:
        assert [
            client.request(*each).status for each in (("GET", "/only"), ("GET", "/other"), ("POST", "/only"))
        ] == [
            200,
            403,
            403,
        ]
