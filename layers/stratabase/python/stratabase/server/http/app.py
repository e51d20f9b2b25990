"""The gateway: answers each HTTP request by a call of a Lambda function."""

import gc
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from stratabase.core.greenlets import Call, CallStopped, CallTimeout, Greenlets
from stratabase.core.http.base.cors import Cors
from stratabase.core.http.base.messages import Response
from stratabase.core.http.handler import HttpHandler
from stratabase.server.http.bodies import BodyMemory, BodyTerms, body_too_large
from stratabase.server.http.errors import (
    CONNECTION_ERRORS,
    INTEGRATION_TIMEOUT,
    MAX_BODY,
    ErrorType,
    GatewayError,
)
from stratabase.server.http.event import check_request_size, make_event, make_request, new_request_id
from stratabase.server.http.forwarded import TrustedProxies
from stratabase.server.http.lambda_functions import FunctionContext, LambdaFunction
from stratabase.server.http.observer import CLIENT_LEFT, ObservedWork, RequestObserver
from stratabase.server.http.request import HttpRequest, check_head
from stratabase.server.http.responses import (
    ErrorResponses,
    HttpResponse,
    api_response,
    function_response,
    streaming_response,
    with_headers,
)
from stratabase.server.http.routes import RouteMatch, Routes
from stratabase_aws.functions.events import StreamedResponse, streamed_response
from stratabase_aws.functions.handler import LambdaHandler

DEFAULT_BODY_MEMORY = 256 * 1024 * 1024

log = logging.getLogger(__name__)

Invoke = Callable[[HttpRequest, RouteMatch, str], HttpResponse]
"""Calls a function with a request, its route and its id. Raises GatewayError if the result is malformed."""
CheckHead = Callable[[HttpRequest, RouteMatch, str], HttpResponse | BodyTerms]
"""Returns a function's refusal of a request by its head, or what the function wants of the body."""


class RequestClient(Protocol):
    """The connection on which a request arrived."""

    call: Call | None
    """The call that answers the current request. It learns from the connection that the client has left."""

    def respond(self, response: HttpResponse, request_id: str) -> None:
        """Send the response to the current request."""

    def receive_body(self, terms: BodyTerms) -> None:
        """Receive the body of the request whose head was checked."""


@dataclass(frozen=True, slots=True)
class GatewayOptions:
    """What the settings change about the gateway."""

    proxies: TrustedProxies | None = None
    """The proxies whose forwarded addresses count."""
    observer: RequestObserver | None = None
    """Gets a record of each request."""
    cors: Cors = field(default_factory=Cors)
    """The origins whose web pages can read the gateway's own errors. Functions set their own headers."""
    time_limit: float = INTEGRATION_TIMEOUT
    """The gateway's limit for a call, in seconds.

    A function can declare a lower timeout. If the function streams its response, the limit applies until the
    body begins.
    """
    body_memory: int = DEFAULT_BODY_MEMORY
    """The limit of the memory for the bodies of all requests, in bytes."""
    address_connections: int = 0
    """The limit of the connections from one address. 0 means no limit."""


class _LargeRequests:
    """Frees the memory of large requests that have failed.

    An exception and the frames in its traceback refer to each other, so Python frees them, and the request in
    them, only when it collects garbage. It decides by the number of new objects, whatever their size.
    """

    _LARGE = 64 * 1024
    """The length of a large body, in bytes."""
    _BETWEEN = 32 * 1024 * 1024
    """The bytes of large bodies after which garbage is collected."""

    def __init__(self) -> None:
        self._bytes = 0

    def note(self, request: HttpRequest) -> None:
        """Count the body of a request that has arrived, and collect the garbage of those before it."""
        if request.size >= self._LARGE:
            self._bytes += request.size
            if self._bytes >= self._BETWEEN:
                self._bytes = request.size
                gc.collect(1)  # the long-lived objects of generation 2 are many, and none of theirs


class Gateway:
    """Answers requests."""

    def __init__(
        self,
        functions: Mapping[str, LambdaFunction],
        routes: Routes,
        error_responses: ErrorResponses,
        greenlets: Greenlets,
        options: GatewayOptions | None = None,
    ) -> None:
        options = options or GatewayOptions()
        self._functions = {
            name: _Function(function, options.time_limit) for name, function in functions.items()
        }
        self._routes = routes
        self._error_responses = error_responses
        self._greenlets = greenlets
        self._proxies = options.proxies
        self._observer = options.observer
        self._cors = options.cors
        self._large_requests = _LargeRequests()
        self.body_memory = BodyMemory(options.body_memory)
        """The memory for the bodies of all connections."""

    def admit(self, request: HttpRequest) -> RouteMatch:
        """Return the route of a request, of which maybe only the head has arrived. Raises GatewayError."""
        if self._proxies is not None:
            addresses = request.addresses
            client = self._proxies.client_of(addresses.client, request.head.values)
            request.addresses = addresses._replace(client=client)
        check_head(request)
        match = self._routes.match(request.method, request.target.path)
        if request.content_length is not None and request.content_length > MAX_BODY:
            raise body_too_large()
        check_request_size(request, match)
        return match

    def check_head(self, request: HttpRequest, match: RouteMatch, client: RequestClient) -> None:
        """Ask the client for the body of a request, or answer by a refusal, now or later.

        A function of this service refuses by the head whatever it can. Other functions get any body.
        """
        function = self._functions[match.function]
        if function.check_head is None:
            client.receive_body(BodyTerms())
        else:
            self._start(function, function.check_head, request, match, client)

    def answer(self, request: HttpRequest, match: RouteMatch, client: RequestClient) -> None:
        """Answer a complete request, now or later."""
        self._large_requests.note(request)
        if request.content_length is None:
            try:
                check_request_size(request, match)
            except GatewayError as error:
                return self._refuse(error, request, match, client, new_request_id())
        function = self._functions[match.function]
        return self._start(function, function.invoke, request, match, client)

    def _start(
        self,
        function: "_Function",
        invoke: CheckHead,
        request: HttpRequest,
        match: RouteMatch,
        client: RequestClient,
    ) -> None:
        request_id, observer = new_request_id(), self._observer
        if observer is None:
            call = _FunctionCall(self, function, invoke, request, match, request_id, client)
        else:
            call = _ObservedCall(self, function, invoke, request, match, request_id, client, observer)
        client.call = call
        self._greenlets.start(call, function.time_limit)

    def refuse(self, error: GatewayError, request: HttpRequest, client: RequestClient) -> None:
        """Answer a request, which may be incomplete, by an error."""
        self._refuse(error, request, request.match, client, new_request_id())

    def _refuse(
        self,
        error: GatewayError,
        request: HttpRequest,
        match: RouteMatch | None,
        client: RequestClient,
        request_id: str,
    ) -> None:
        response = self.error_response(error, request, request_id)
        client.respond(response, request_id)
        if self._observer is not None:
            self._observer.observe_refusal(request, match, request_id, response.status)

    def error_response(self, error: GatewayError, request: HttpRequest, request_id: str) -> HttpResponse:
        """Return the response to a request that failed."""
        origin = request.head.api_headers.get("origin", (None,))[-1]
        response = with_headers(
            self._error_responses.response(error, request_id), self._cors.response_headers(origin)
        )
        return response._replace(closes_connection=error.error_type in CONNECTION_ERRORS)


class _Function:
    """A function with the time that the gateway grants it."""

    def __init__(self, function: LambdaFunction, gateway_limit: float) -> None:
        declared = function.declaration
        self.name = declared.name
        self.invoke = _invocation(function)
        self.check_head = _head_check(function)
        self.time_limit = min(gateway_limit, declared.timeout)
        # On AWS, a function that exceeds its own timeout fails (502). The gateway's limit gives 504.
        self.timeout_error = ErrorType.FAILED if declared.timeout < gateway_limit else ErrorType.TIMEOUT


class _FunctionCall(Call):
    """A call of a function for a request, or for its head alone, and the response to it."""

    __slots__ = ("_client", "_gateway", "_invoke", "_match", "_request", "_request_id", "function")

    def __init__(  # noqa: PLR0913, PLR0917 - what a request needs until its response
        self,
        gateway: Gateway,
        function: _Function,
        invoke: CheckHead,
        request: HttpRequest,
        match: RouteMatch,
        request_id: str,
        client: RequestClient,
    ) -> None:
        super().__init__(f"{request.method} {match.resource} (trace id {request_id})".encode())
        self.function = function
        self._gateway = gateway
        self._invoke = invoke
        self._request = request
        self._match = match
        self._request_id = request_id
        self._client = client

    def work(self) -> HttpResponse | BodyTerms:
        """Return the response of the function, or what it wants of the body."""
        return self._invoke(self._request, self._match, self._request_id)

    def end(self) -> None:
        """Send the response, or an error. Receive the body if the function has accepted the head."""
        if isinstance(self.result, BodyTerms):
            return self._client.receive_body(self.result)
        response = self.result if self.error is None else self._error_response(self.error)
        return self.respond(response)

    def respond(self, response: HttpResponse | None) -> None:
        """Send the response, None if the client has left."""
        if response is not None:
            self._client.respond(response, self._request_id)

    def end_late(self) -> None:
        """Close the body of the response, or log the error: the time limit has passed."""
        if self.error is None:
            if isinstance(self.result, HttpResponse) and self.result.stream is not None:
                self.result.stream.close()
        elif not isinstance(self.error, CallStopped):
            log.error("Call failed after its time limit", exc_info=self.error)

    def _error_response(self, error: BaseException) -> HttpResponse | None:
        if isinstance(error, CallStopped):
            return None  # the client has left
        if isinstance(error, CallTimeout):
            text = f"The function took longer than {self.function.time_limit:g} s."
            error = GatewayError(self.function.timeout_error, text)
        elif not isinstance(error, GatewayError):
            log.error("Function %s failed at %s", self.function.name, self._match.resource, exc_info=error)
            error = GatewayError(ErrorType.FAILED, "Internal server error")
        return self._gateway.error_response(error, self._request, self._request_id)


class _ObservedCall(_FunctionCall):
    """A call of which the observer gets a record."""

    __slots__ = ("_began", "_observer", "_work")

    def __init__(  # noqa: PLR0913, PLR0917 - see the base class
        self,
        gateway: Gateway,
        function: _Function,
        invoke: CheckHead,
        request: HttpRequest,
        match: RouteMatch,
        request_id: str,
        client: RequestClient,
        observer: RequestObserver,
    ) -> None:
        super().__init__(gateway, function, invoke, request, match, request_id, client)
        self._began = time.perf_counter()
        self._observer = observer
        self._work = ObservedWork()

    def work(self) -> HttpResponse | BodyTerms:
        """Return what the function returns, and observe its work."""
        with self._observer.observe_work(self._work):
            return super().work()

    def respond(self, response: HttpResponse | None) -> None:
        """Send the response, and record the request."""
        super().respond(response)
        status = CLIENT_LEFT if response is None else response.status
        milliseconds = (time.perf_counter() - self._began) * 1000
        self._observer.observe(self._request, self._match, self._request_id, status, milliseconds, self._work)


def _service_of(function: LambdaFunction) -> HttpHandler | None:
    """Return the handler of requests of a function of this service, None for any other function."""
    handler = getattr(function.handler, "__self__", function.handler)
    return handler.http if isinstance(handler, LambdaHandler) else None


def _head_check(function: LambdaFunction) -> CheckHead | None:
    """Return how a function checks a request by its head, None if it needs the whole request."""
    service, timeout = _service_of(function), function.declaration.timeout
    if service is None:
        return None

    def check_head(request: HttpRequest, match: RouteMatch, request_id: str) -> HttpResponse | BodyTerms:
        made = make_request(request, match, request_id, service.base_url, has_body=False)
        found = service.check_head(made, request.content_length, timeout)
        if isinstance(found, Response):
            return api_response(found, request.method)
        limit = MAX_BODY if found.body_limit is None else min(found.body_limit, MAX_BODY)
        return BodyTerms(limit, "" if found.caller is None else found.caller.id)

    return check_head


def _invocation(function: LambdaFunction) -> Invoke:
    """Return how a function is called: one of this service with a request, any other one with an event."""
    handler, service = function.handler, _service_of(function)
    if service is not None:
        invocation = _service_invocation if isinstance(handler, LambdaHandler) else _stream_invocation
        return invocation(service, function.declaration.timeout)
    return _event_invocation(function)


def _service_invocation(service: HttpHandler, timeout: float) -> Invoke:
    def invoke(request: HttpRequest, match: RouteMatch, request_id: str) -> HttpResponse:
        response = service.answer(make_request(request, match, request_id, service.base_url), timeout)
        return api_response(response, request.method)

    return invoke


def _stream_invocation(service: HttpHandler, timeout: float) -> Invoke:
    def invoke(request: HttpRequest, match: RouteMatch, request_id: str) -> HttpResponse:
        made = make_request(request, match, request_id, service.base_url)
        response = service.answer_by_stream(made, timeout)
        return streaming_response(streamed_response(response, bodiless=request.method == "HEAD"))

    return invoke


def _event_invocation(function: LambdaFunction) -> Invoke:
    def invoke(request: HttpRequest, match: RouteMatch, request_id: str) -> HttpResponse:
        event: dict[str, Any] = make_event(request, match, request_id)
        result = function.handler(event, FunctionContext(function.declaration))
        if isinstance(result, StreamedResponse):
            return streaming_response(result)
        return function_response(result, request.method)

    return invoke
