"""Routing of requests to functions. Exact segments precede parameters, and parameters precede greedy ones."""

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple

from stratabase.core.http.base.messages import decode_parameters
from stratabase.server.http.errors import ErrorType, GatewayError
from stratabase.server.http.template import RouteDeclaration
from stratabase.values.text_cache import cache_short_texts

ANY_METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
"""The methods that a route's ANY includes. API Gateway does not route other methods."""
_PARAMETER = re.compile(r"\{([^{}+]+)(\+?)\}")
_SEGMENTS = (None, "([^/]+)", "(.+)")
"""The regular expression of a segment, by its looseness: exact (None), one segment, the rest of the path."""


class RouteMatch(NamedTuple):
    """The resource and function of a request, and the path parameters (None if the resource has none).

    Parameters stay percent-encoded, because REST APIs of API Gateway do not decode them or the path.
    """

    resource: str
    resource_id: str
    function: str
    parameters: Mapping[str, str] | None
    decoded_parameters: Mapping[str, str]
    """The parameters without percent-encoding."""


class _Resource:
    """A path of the API with the functions of its methods."""

    def __init__(self, path: str, number: int) -> None:
        self.path = path
        self.id = f"r{number:05d}"
        self.functions: dict[str, str] = {}
        self._names = [name for name, _ in _PARAMETER.findall(path)]
        self._pattern = re.compile(_path_expression(path))

    def parameters(self, path: str) -> dict[str, str] | None:
        """Return the path parameters, or None if the path does not match."""
        match = self._pattern.fullmatch(path)
        return match and dict(zip(self._names, match.groups(), strict=True))

    def rank(self) -> tuple[int, ...]:
        """Return the sort key by which more specific resources come first: exact, parameter, greedy."""
        return tuple(_looseness(segment) for segment in self.path.split("/"))


class Routes:
    """All routes of the API."""

    def __init__(self, routes: Iterable[RouteDeclaration]) -> None:
        resources: dict[str, _Resource] = {}
        for route in routes:
            resource = resources.setdefault(route.resource, _Resource(route.resource, len(resources)))
            resource.functions[route.method] = route.function
        self._resources = sorted(resources.values(), key=_Resource.rank)
        self._find = {
            method: cache_short_texts(512)(partial(self._find_anew, method)) for method in ANY_METHODS
        }

    def match(self, method: str, path: str) -> RouteMatch:
        """Return the match of a method and a percent-encoded path. Raises GatewayError if there is none."""
        find = self._find.get(method)
        return self._find_anew(method, path) if find is None else find(path)

    def _find_anew(self, method: str, path: str) -> RouteMatch:
        bare = path.rstrip("/") or "/"
        for resource in self._resources:
            parameters = resource.parameters(bare)
            if parameters is not None:
                return _match_method(resource, parameters, method, path)
        raise GatewayError(ErrorType.NO_ROUTE, f"Nothing is at {path}.")


def _match_method(resource: _Resource, parameters: dict[str, str], method: str, path: str) -> RouteMatch:
    function = resource.functions.get(method)
    if function is None and method in ANY_METHODS:
        function = resource.functions.get("ANY")
    if function is None:
        raise GatewayError(ErrorType.NO_ROUTE, f"The gateway passes no {method} on to {path}.")
    decoded = decode_parameters(parameters)
    return RouteMatch(resource.path, resource.id, function, parameters or None, decoded)


def _path_expression(path: str) -> str:
    """Return a path as a regular expression with one group for each parameter."""
    return "/".join(_SEGMENTS[_looseness(segment)] or re.escape(segment) for segment in path.split("/"))


def _looseness(segment: str) -> int:
    parameter = _PARAMETER.fullmatch(segment)
    return 0 if parameter is None else 1 + len(parameter[2])
