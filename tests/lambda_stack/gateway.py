"""API Gateway before the functions of the template: events of requests, and responses of results."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import pybase64

from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.handler import CATCH_ALL, AcceptedHead
from stratabase.server.http.routes import Routes
from stratabase_aws.functions.handler import StreamedResponse
from tests.lambda_stack.functions import Event
from tests.lambda_stack.template import RouteDeclaration


class FunctionMatch(NamedTuple):
    """The resource and the function of a request, and its parameters percent-encoded, None without any."""

    resource: str
    function: str
    parameters: dict[str, str] | None


class FunctionRoutes:
    """The routes of the template."""

    def __init__(self, routes: Iterable[RouteDeclaration]) -> None:
        self._functions = {(each.resource, each.method): each.function for each in routes}
        self.addresses = {resource for resource, _ in self._functions} - {CATCH_ALL}
        self._routes = Routes(self.addresses)

    def match(self, method: str, path: str) -> FunctionMatch:
        """Return the match of a method and a percent-encoded path."""
        match = self._routes.match(method, path)
        return FunctionMatch(
            match.resource, self.function(method, match.resource), encoded_parameters(match.parameters)
        )

    def function(self, method: str, resource: str) -> str:
        """Return the function of a resource. A route of its own method precedes that of all methods."""
        found = self._functions.get((resource, method))
        return found or self._functions[resource, "ANY"]


def encoded_parameters(parameters: Mapping[str, str]) -> dict[str, str] | None:
    """Return path parameters as events have them. That of CATCH_ALL keeps its slashes."""
    return {
        name: quote(value, safe="/" if name == "proxy" else "") for name, value in parameters.items()
    } or None


def proxy_event(request: Request) -> Event:
    """Return the event of API Gateway's REST (v1) proxy integration for a request."""
    base = urlsplit(request.base_url)
    context = {
        "httpMethod": request.method,
        "requestId": request.trace_id,
        "resourcePath": request.resource,
        "path": request.path,
        "domainName": base.netloc,
        "stage": base.path.strip("/"),
        "identity": {"sourceIp": request.source_address},
    }
    return {
        "resource": request.resource,
        "path": request.path,
        "httpMethod": request.method,
        "headers": {name: values[-1] for name, values in request.headers.items()},
        "multiValueHeaders": {name: [*values] for name, values in request.headers.items()},
        "queryStringParameters": {name: values[-1] for name, values in request.query.items()} or None,
        "multiValueQueryStringParameters": {name: [*each] for name, each in request.query.items()} or None,
        "pathParameters": encoded_parameters(request.parameters),
        "requestContext": context,
        "body": pybase64.b64encode_as_string(request.body) if request.body else None,
        "isBase64Encoded": bool(request.body),
    }


def response_of(result: Any, method: str) -> Response:
    """Return the response to a request by the result of a function."""
    if isinstance(result, StreamedResponse):
        headers = _pairs(result.headers)
        if method != "HEAD":
            return Response(result.status, headers, binary=True, stream=result.body)
        result.body.close()
        return Response(result.status, headers)
    body = result["body"] or ""
    is_binary = bool(result.get("isBase64Encoded"))
    content = pybase64.b64decode(body, validate=True) if is_binary else body.encode()
    return Response(result["statusCode"], _pairs(result["multiValueHeaders"]), content, is_binary)


def _pairs(headers: Mapping[str, Iterable[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, values in headers.items() for value in values)


class FunctionsHandler:
    """Answers the requests that the HTTP server gets by functions, as API Gateway does."""

    base_url = None

    def __init__(self, routes: FunctionRoutes, invoke: Callable[[str, Event], Any]) -> None:
        """`invoke` returns the result of a function, by its name, for an event."""
        self._routes = routes
        self._invoke = invoke

    @property
    def addresses(self) -> Iterable[str]:
        """The addresses of the template."""
        return self._routes.addresses

    def accept_head(self, _request: Request, _size: int | None, _remaining: float) -> AcceptedHead:
        """Accept any head, because functions get whole requests only."""
        return AcceptedHead(None, None)

    def answer(self, request: Request, _remaining: float, *, may_stream: bool) -> Response:
        """Return the response of the function of a request."""
        assert may_stream
        function = self._routes.function(request.method, request.resource)
        return response_of(self._invoke(function, proxy_event(request)), request.method)
