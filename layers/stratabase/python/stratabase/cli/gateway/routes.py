"""Which function a request goes to: exact paths win over parameters, parameters over greedy ones."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from stratabase.cli.gateway.errors import ErrorType, GatewayError
from stratabase.cli.gateway.template import RouteDeclaration

ANY_METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
"""What a route's ANY stands for; API Gateway leads no other method anywhere."""
_PARAMETER = re.compile(r"\{([^{}+]+)(\+?)\}")
_SEGMENTS = (None, "([^/]+)", "(.+)")
"""What a segment matches, by how loose it is: itself, one segment, all that is left."""


class RouteMatch(NamedTuple):
    """A resource and the values of its parameters, percent-encoded as they were sent (None: it has none).

    That is how API Gateway's REST APIs pass them on, and the path too: `%40` arrives as `%40`.
    """

    resource: str
    resource_id: str
    function: str
    parameters: Mapping[str, str] | None


class _Resource:
    """A path of the API, and the function behind each of its methods."""

    def __init__(self, path: str, number: int) -> None:
        self.path = path
        self.id = f"r{number:05d}"
        self.functions: dict[str, str] = {}
        self._names = [name for name, _ in _PARAMETER.findall(path)]
        self._pattern = re.compile(_path_expression(path))

    def parameters(self, path: str) -> dict[str, str] | None:
        """Return the values of the parameters, or None when the path is another one."""
        match = self._pattern.fullmatch(path)
        return match and dict(zip(self._names, match.groups(), strict=True))

    def rank(self) -> tuple[int, ...]:
        """Sort the more specific first, segment by segment: exact, parameter, greedy."""
        return tuple(_looseness(segment) for segment in self.path.split("/"))


class Routes:
    """All routes of the API."""

    def __init__(self, routes: Iterable[RouteDeclaration]) -> None:
        resources: dict[str, _Resource] = {}
        for route in routes:
            resource = resources.setdefault(route.resource, _Resource(route.resource, len(resources)))
            resource.functions[route.method] = route.function
        self._resources = sorted(resources.values(), key=_Resource.rank)
        self.match = lru_cache(maxsize=512)(self._find)
        """Return where a method and a path (percent-encoded) lead. Raises GatewayError when nowhere."""

    def _find(self, method: str, path: str) -> RouteMatch:
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
    return RouteMatch(resource.path, resource.id, function, parameters or None)


def _path_expression(path: str) -> str:
    """Return a path as a regular expression with one group for each parameter."""
    return "/".join(_SEGMENTS[_looseness(segment)] or re.escape(segment) for segment in path.split("/"))


def _looseness(segment: str) -> int:
    parameter = _PARAMETER.fullmatch(segment)
    return 0 if parameter is None else 1 + len(parameter[2])
