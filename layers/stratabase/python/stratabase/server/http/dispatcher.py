"""The dispatcher: answers each request by its endpoint, in a call that can wait without blocking others."""

import gc
import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import field
from http import HTTPStatus
from typing import Protocol

from stratabase.core.greenlets import Call, CallStopped, CallTimeout, Greenlets
from stratabase.core.http.base.cors import Cors
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.handler import AcceptedHead
from stratabase.server.http.bodies import BodyMemory, BodyTerms
from stratabase.server.http.connection import HttpConnection
from stratabase.server.http.errors import MAX_BODY, TIME_LIMIT, HttpError, body_too_large
from stratabase.server.http.forwarded import TrustedProxies
from stratabase.server.http.observer import CLIENT_LEFT, ObservedWork, RequestObserver
from stratabase.server.http.request import HttpRequest, check_http_head, new_trace_id
from stratabase.server.http.responses import HttpResponse, http_response, problem
from stratabase.server.http.routes import RouteMatch, Routes
from stratabase.values.frozen import frozen

DEFAULT_BODY_MEMORY = 256 * 1024 * 1024

log = logging.getLogger(__name__)

Work = Callable[[HttpRequest, str], HttpResponse | BodyTerms]
"""Returns the response to a request with a trace id, or what its endpoint wants of the body."""


class RequestHandler(Protocol):
    """What answers requests: see `HttpHandler`."""

    @property
    def addresses(self) -> Iterable[str]:
        """The addresses of the endpoints."""

    @property
    def base_url(self) -> str | None:
        """The root URL of all links. None means the address of the server."""

    def accept_head(
        self, request: Request, body_size: int | None, remaining: float
    ) -> Response | AcceptedHead:
        """Return the refusal of a request by its head alone, or what is needed of its body."""

    def answer(self, request: Request, remaining: float, *, may_stream: bool) -> Response:
        """Answer a request with its body."""


@frozen
class ServerOptions:
    """What the settings change about the server."""

    proxies: TrustedProxies | None = None
    """The proxies whose forwarded addresses count."""
    observer: RequestObserver | None = None
    """Gets a record of each request."""
    cors: Cors = field(default_factory=Cors)
    """The origins whose web pages can read the server's own errors. The handler sets its own headers."""
    time_limit: float = TIME_LIMIT
    """The limit of the time until a response begins, in seconds."""
    body_memory: int = DEFAULT_BODY_MEMORY
    """The limit of the memory for the bodies of all requests, in bytes."""
    address_connections: int = 0
    """The limit of the connections from one address. 0 means no limit."""


_LARGE = 64 * 1024
"""The length of a large body, in bytes."""


class _LargeRequests:
    """Frees the memory of large requests that have failed.

    An exception and the frames in its traceback refer to each other, so Python frees them, and the request in
    them, only when it collects garbage. It decides by the number of new objects, whatever their size.
    """

    _BETWEEN = 32 * 1024 * 1024
    """The bytes of large bodies after which garbage is collected."""

    def __init__(self) -> None:
        self._bytes = 0

    def note(self, request: HttpRequest) -> None:
        """Count the large body of a request that has arrived, and collect the garbage of those before it."""
        self._bytes += request.size
        if self._bytes >= self._BETWEEN:
            self._bytes = request.size
            gc.collect(1)  # the long-lived objects of generation 2 are many, and none of theirs


class Dispatcher:
    """Answers requests."""

    def __init__(
        self, handler: RequestHandler, greenlets: Greenlets, options: ServerOptions | None = None
    ) -> None:
        options = options or ServerOptions()
        self._handler = handler
        self._routes = Routes(handler.addresses)
        self._greenlets = greenlets
        self._proxies = options.proxies
        self._observer = options.observer
        self._cors = options.cors
        self._large_requests = _LargeRequests()
        self.time_limit = options.time_limit
        self.body_memory = BodyMemory(options.body_memory)
        """The memory for the bodies of all connections."""

    def admit(self, request: HttpRequest) -> RouteMatch:
        """Return the route of a request, of which maybe only the head has arrived. Raises HttpError."""
        if self._proxies is not None:
            addresses = request.addresses
            client = self._proxies.client_of(addresses.client, request.head.values)
            request.addresses = addresses._replace(client=client)
        check_http_head(request)
        match = self._routes.match(request.method, request.target.path)
        if request.content_length is not None and request.content_length > MAX_BODY:
            raise body_too_large()
        return match

    def ask_for_body(self, request: HttpRequest, client: HttpConnection) -> None:
        """Ask the client for the body of a request, or answer by a refusal, now or later."""
        self._start(self._accepted_head, request, client)

    def answer(self, request: HttpRequest, client: HttpConnection) -> None:
        """Answer a complete request, now or later."""
        if request.content_length is None or request.content_length >= _LARGE:
            self._large_requests.note(request)
        self._start(self._response, request, client)

    def _accepted_head(self, request: HttpRequest, trace_id: str) -> HttpResponse | BodyTerms:
        made = request.for_endpoint(trace_id, self._handler.base_url, has_body=False)
        found = self._handler.accept_head(made, request.content_length, self.time_limit)
        if isinstance(found, Response):
            return http_response(found, request.method)
        limit = MAX_BODY if found.body_limit is None else min(found.body_limit, MAX_BODY)
        return BodyTerms(limit, "" if found.caller is None else found.caller.id)

    def _response(self, request: HttpRequest, trace_id: str) -> HttpResponse:
        made = request.for_endpoint(trace_id, self._handler.base_url)
        return http_response(self._handler.answer(made, self.time_limit, may_stream=True), request.method)

    def _start(self, work: Work, request: HttpRequest, client: HttpConnection) -> None:
        trace_id, observer = new_trace_id(), self._observer
        if observer is None:
            call = _RequestCall(self, work, request, trace_id, client)
        else:
            call = _ObservedCall(self, work, request, trace_id, client, observer)
        client.call = call
        self._greenlets.start(call, self.time_limit)

    def refuse(self, error: HttpError, request: HttpRequest, client: HttpConnection) -> None:
        """Answer a request, which may be incomplete, by an error."""
        trace_id = new_trace_id()
        client.respond(self.error_response(error, request, trace_id), trace_id)
        if self._observer is not None:
            self._observer.observe_refusal(request, trace_id, error.status)

    def error_response(self, error: HttpError, request: HttpRequest, trace_id: str) -> HttpResponse:
        """Return the response to a request that failed."""
        origin = request.head.headers.get("origin", (None,))[-1]
        return problem(error, trace_id, self._cors.response_headers(origin))


class _RequestCall(Call):
    """A call that answers a request, or checks its head."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        work: Work,
        request: HttpRequest,
        trace_id: str,
        client: HttpConnection,
    ) -> None:
        assert request.match is not None
        self.name = f"{request.method} {request.match.resource} (trace id {trace_id})".encode()
        self._dispatcher = dispatcher
        self._work = work
        self._request = request
        self._trace_id = trace_id
        self._client = client

    def work(self) -> HttpResponse | BodyTerms:
        """Return the response, or what the endpoint wants of the body."""
        return self._work(self._request, self._trace_id)

    def end(self) -> None:
        """Send the response, or an error. Receive the body if the head was accepted."""
        if isinstance(self.result, BodyTerms):
            return self._client.receive_body(self.result)
        response = self.result if self.error is None else self._error_response(self.error)
        return self.respond(response)

    def respond(self, response: HttpResponse | None) -> None:
        """Send the response, None if the client has left."""
        if response is not None:
            self._client.respond(response, self._trace_id)

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
            text = f"The request took longer than {self._dispatcher.time_limit:g} s."
            refusal = HttpError(HTTPStatus.GATEWAY_TIMEOUT, text)
        else:
            log.error("%s failed", self.name.decode(), exc_info=error)
            refusal = HttpError(HTTPStatus.INTERNAL_SERVER_ERROR, "Internal server error")
        return self._dispatcher.error_response(refusal, self._request, self._trace_id)


class _ObservedCall(_RequestCall):
    """A call of which the observer gets a record."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a request needs until its response
        self,
        dispatcher: Dispatcher,
        work: Work,
        request: HttpRequest,
        trace_id: str,
        client: HttpConnection,
        observer: RequestObserver,
    ) -> None:
        super().__init__(dispatcher, work, request, trace_id, client)
        self._began = time.perf_counter()
        self._observer = observer
        self._observed = ObservedWork()

    def work(self) -> HttpResponse | BodyTerms:
        """Return what the endpoint returns, and observe its work."""
        with self._observer.observe_work(self._observed):
            return super().work()

    def respond(self, response: HttpResponse | None) -> None:
        """Send the response, and record the request."""
        super().respond(response)
        status = CLIENT_LEFT if response is None else response.status
        milliseconds = (time.perf_counter() - self._began) * 1000
        self._observer.observe(self._request, self._trace_id, status, milliseconds, self._observed)
