"""The handler of HTTP requests: calls the endpoint at the address of a request, and returns the response.

Refusals and unexpected errors become error responses.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from math import inf
from typing import NamedTuple, TypeVar

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Refusal, StoreOutOfService, Unavailable
from stratabase.core.http.base.authentication import Authentication, check_csrf
from stratabase.core.http.base.body import requested_format
from stratabase.core.http.base.cors import Cors
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, is_protected
from stratabase.core.http.base.error_response import error_response
from stratabase.core.http.base.language import response_language
from stratabase.core.http.base.media_type import best_match
from stratabase.core.http.base.messages import Headers, Request, Response, answering, authenticated
from stratabase.core.http.base.refusals import (
    BodyTooLarge,
    UnknownAddress,
    UnsupportedContentEncoding,
    log_refusal,
)
from stratabase.core.http.base.response_body import buffer_stream, check_response_size, compress_response
from stratabase.core.local_files import has_no_free_file
from stratabase.core.observe import Log
from stratabase.core.unusable_store import UnusableStore
from stratabase.core.waiting import deadline_after
from stratabase.values.messages import Message, _

T = TypeVar("T")
A = TypeVar("A")

CATCH_ALL = "/{proxy+}"
"""The route for all addresses that have no route of their own."""

_ANSWERING_SECONDS = 2.0
"""The time between the deadline and the end of an invocation, in which the function answers."""

_MAX_LOGGED_ORIGINS = 20
"""The number of refused origins that a process logs, because any client can invent them."""
_MAX_LOGGED_ORIGIN = 200
"""The characters of an origin that are logged."""

_DEFAULT_HEADERS = (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"))


class AcceptedHead(NamedTuple):
    """What is needed of the body of a request whose head is accepted."""

    body_limit: int | None
    """The number of bytes that are read, None for all."""
    caller: Caller | None
    """Who sends the request, None if its address is public."""


ReadBody = Callable[[], bytes]
"""Returns the body of a request. Raises Refusal if it is malformed."""


class _Route(NamedTuple):
    """What a method at an address leads to."""

    operation: Operation
    may_write: bool


class HttpHandler:
    """The handler of the requests to some endpoints. `endpoints` has them by address."""

    def __init__(  # noqa: PLR0913 - its parts, and what all requests share
        self,
        endpoints: Mapping[str, Endpoint],
        authentication: Authentication,
        *,
        cors: Cors | None = None,
        base_url: str | None = None,
        log: Log | None = None,
        request_seconds: float = inf,
        find_application: Callable[[], str] | None = None,
    ) -> None:
        """Take the endpoints, and what all requests share.

        `request_seconds`: after how many seconds a request gives up waiting for stores. `find_application`
        returns the name of the application for pages. Without it, a browser's 404 is not a page.
        """
        self.endpoints = endpoints
        self._routes = {
            (address, method): _Route(endpoint.operation(method), endpoint.may_write(method))
            for address, endpoint in endpoints.items()
            for method in endpoint.allowed_methods
            if method != "OPTIONS"
        }
        self._protected = {address: is_protected(address) for address in endpoints if address != CATCH_ALL}
        self._authentication = authentication
        self._cors = cors or Cors()
        self.base_url = base_url
        self._log = log or Log()
        self._logged_origins: set[str] = set()
        self._request_seconds = request_seconds
        self._find_application = find_application

    @property
    def addresses(self) -> Iterable[str]:
        """The addresses of the endpoints."""
        return self.endpoints

    def answer(
        self,
        request: Request,
        remaining: float = inf,
        read_body: ReadBody | None = None,
        *,
        may_stream: bool = False,
    ) -> Response:
        """Answer a request, within the limit of the size of responses. Never raises.

        `remaining`: the seconds until the request ends. `read_body` reads the body, if the request is without
        it. It is read only for callers who are authorized to send it. `may_stream`: whether the response can
        be a stream. The deadline is then that of its first byte.
        """
        with answering(request), deadline_after(min(self._request_seconds, remaining - _ANSWERING_SECONDS)):
            response, caller = self._attempt(request, self._dispatch, read_body)
            if may_stream and response.stream is not None:
                return self._complete(request, response)
            try:
                return self._finish(request, response)
            except Refusal as refusal:
                error = self._refuse(request, refusal, ErrorFormat.PROBLEM_JSON, caller)
            except Exception as bug:  # noqa: BLE001 - the body of the response was a stream that failed
                error = self._fail(request, bug, ErrorFormat.PROBLEM_JSON, caller)
            return self._finish(request, error)

    def accept_head(
        self, request: Request, body_size: int | None, remaining: float = inf
    ) -> Response | AcceptedHead:
        """Return the refusal of a request by its head alone, or what is needed of its body.

        `body_size` is None if the head doesn't say it. `answer` answers the request later, with its body.
        Never raises.
        """
        with answering(request), deadline_after(min(self._request_seconds, remaining - _ANSWERING_SECONDS)):
            found, caller = self._attempt(request, self._body_limit, body_size or 0)
            if isinstance(found, Response):
                return self._finish(request, found)
            return AcceptedHead(found, caller)

    def _attempt(
        self, request: Request, work: Callable[[Request, Caller | None, A], T], argument: A
    ) -> tuple[T | Response, Caller | None]:
        """Return the result of `work(request, caller, argument)`, or an error response, and the caller.

        The caller is None if the address is public, or the request was not authenticated.
        """
        caller = None
        try:
            needs_caller = self._protected.get(request.resource)
            if needs_caller is None:
                needs_caller = is_protected(_address(request))
            if needs_caller and request.method != "OPTIONS":
                caller = authenticated(self._authentication.caller(request))
            return work(request, caller, argument), caller
        except Refusal as refusal:
            return self._refuse(request, refusal, self._error_format(request), caller), caller
        except UnusableStore as error:
            unusable = StoreOutOfService(str(error))
            return self._refuse(request, unusable, self._error_format(request), caller), caller
        except Exception as error:  # noqa: BLE001 - the client gets an error response for any bug
            if has_no_free_file():
                # Then anything can fail, such as an import. Requests succeed again when others have ended.
                busy = Unavailable(_("The service has too many open files at the moment. Try again later."))
                busy.__cause__ = error
                return self._refuse(request, busy, self._error_format(request), caller), caller
            return self._fail(request, error, self._error_format(request), caller), caller

    def _error_format(self, request: Request) -> ErrorFormat:
        endpoint = self.endpoints.get(request.resource)
        return endpoint.error_format(request.method) if endpoint else ErrorFormat.PROBLEM

    def _body_limit(self, request: Request, caller: Caller | None, body_size: int) -> int | None:
        """Return the number of bytes that are needed of a body, None for all. Raises Refusal."""
        operation = self._operation(request, caller)
        if operation is None or operation.body is None:
            return 0
        _check_body(request, operation, body_size)
        return operation.max_body_size

    def _dispatch(self, request: Request, caller: Caller | None, read_body: ReadBody | None) -> Response:
        """Return the response of the operation that the request is for. Raises Refusal.

        The body is read only for callers who are authorized to send it.
        """
        operation = self._operation(request, caller)
        if operation is None:
            self._log_origin(request)
            methods = self.endpoints[request.resource].allowed_methods
            return Response(204, self._cors.preflight_headers(request, methods))
        if operation.body is not None:
            if read_body is not None:
                request = request.with_body(read_body())
            _check_body(request, operation, len(request.body))
        return operation.respond(request, caller)

    def _operation(self, request: Request, caller: Caller | None) -> Operation | None:
        """Return the operation that a request is for, None for OPTIONS, by its head alone. Raises Refusal.

        The order of the checks matters for security. Authentication comes before this method, so clients
        without credentials cannot probe which protected addresses and methods exist.
        """
        # 1. Find the operation.
        route = self._routes.get((request.resource, request.method))
        if route is None:
            endpoint = self.endpoints.get(request.resource)
            if endpoint is None:
                raise UnknownAddress(_unknown_address(request))
            if request.method != "OPTIONS":
                endpoint.operation(request.method)  # raises MethodNotAllowed, or there would be a route
            return None
        operation = route.operation
        # 2. Authorize the caller.
        if caller is not None:
            if route.may_write:
                check_csrf(request, caller)
            if operation.authorize is not None:
                operation.authorize(request, caller)
        # 3. Validate the format parameter.
        if operation.has_format:
            requested_format(request)
        return operation

    def _log_origin(self, request: Request) -> None:
        """Log the origin of a page that may not call the service, once. The browser tells only the person."""
        origin = request.header("origin")
        if not origin or self._cors.allows(origin) or origin in self._logged_origins:
            return
        if len(self._logged_origins) < _MAX_LOGGED_ORIGINS:
            self._logged_origins.add(origin)
            self._log.warning(
                "STRATABASE_ALLOWED_ORIGINS does not allow the origin of a page",
                trace_id=request.trace_id,
                origin=origin[:_MAX_LOGGED_ORIGIN],
            )

    def _refuse(
        self, request: Request, refusal: Refusal, error_format: ErrorFormat, caller: Caller | None
    ) -> Response:
        status, headers = log_refusal(self._log, request, refusal)
        language = response_language(request, caller)
        try:
            if (
                isinstance(refusal, UnknownAddress)
                and self._find_application is not None
                and _is_navigation(request)
            ):
                # Imported only here, because most functions show no pages.
                from stratabase.core.http.pages.notices import not_found_notice, notice_page  # noqa: PLC0415

                notice = not_found_notice(refusal.message, request.base_url)
                return notice_page(self._find_application(), language, notice, status, (("Vary", "Accept"),))
            detail = refusal.message.in_language(language)
        except (
            OSError,
            ImportError,
        ):  # no file can be opened: neither the catalog of the language nor a module
            detail = str(refusal.message)
        return error_response(error_format, request, status, detail, headers)

    def _fail(
        self, request: Request, error: Exception, error_format: ErrorFormat, caller: Caller | None
    ) -> Response:
        self._log.error(
            "Request failed",
            trace_id=request.trace_id,
            error=error,
            method=request.method,
            resource=request.resource,
        )
        message = _(
            "An internal error occurred. When you report this problem, include the trace ID {trace_id}.",
            trace_id=request.trace_id,
        )
        detail = message.in_language(response_language(request, caller))
        return error_response(error_format, request, 500, detail)

    def _finish(self, request: Request, response: Response) -> Response:
        """Return a complete response without a stream. Raises ResponseTooLarge, or what its stream raises."""
        buffered = response if response.stream is None else buffer_stream(response)
        complete = self._complete(request, buffered)
        if request.method == "HEAD":
            return complete.without_body()
        check_response_size(complete, may_have_written=response.may_have_written)
        return complete

    def _complete(self, request: Request, response: Response) -> Response:
        """Return a response with the headers of its endpoint, default and CORS headers, and compression."""
        endpoint = self.endpoints.get(request.resource)
        of_endpoint = endpoint.headers(request) if endpoint and endpoint.headers else ()
        of_cors = self._cors.response_headers(request.header("origin")) if self._cors.origins else ()
        headers = _with_defaults(response.headers, of_endpoint, of_cors)
        return compress_response(request, response.with_headers(headers))


@lru_cache(maxsize=512)
def _with_defaults(headers: Headers, of_endpoint: Headers, of_cors: Headers) -> Headers:
    """Return the headers of a response with further ones. Its own headers replace the default ones."""
    names = {name.lower() for name, _value in headers}
    defaults = tuple(header for header in _DEFAULT_HEADERS if header[0].lower() not in names)
    return (*headers, *of_endpoint, *defaults, *of_cors)


def _is_navigation(request: Request) -> bool:
    """Return whether a browser opens an address as a page: it then prefers HTML to the format of errors."""
    offered = ("application/problem+json", "text/html")
    accept = ",".join(request.headers.get("accept", ()))
    return request.method in {"GET", "HEAD"} and best_match(accept, offered) == "text/html"


def _unknown_address(request: Request) -> Message:
    if _address(request).rstrip("/").lower().endswith("/graphql"):
        return _(
            "The address {address} does not exist. GraphQL is at /auth/api/graphql/NAME, with the name of "
            "the application.",
            address=request.path,
        )
    return _("The address {address} does not exist.", address=request.path)


def _check_body(request: Request, operation: Operation, size: int) -> None:
    """Raise a refusal if an operation can't read the body of a request, which has `size` bytes."""
    max_size = operation.max_body_size
    if max_size is not None and size > max_size:
        message = _("The request body has more than the limit of {limit} bytes.", limit=max_size)
        raise BodyTooLarge(message)
    encodings = ", ".join(request.headers.get("content-encoding", ()))
    if encodings and size and encodings.strip().lower() not in ("", "identity"):
        message = _(
            'The content encoding "{encoding}" is not supported. '
            "Send the request body without a content encoding.",
            encoding=encodings,
        )
        raise UnsupportedContentEncoding(message)


def _address(request: Request) -> str:
    """Return the address by which the handler decides whether the request needs authentication."""
    # The path of the request does not work: behind a custom domain, it starts with the domain's base path.
    return f"/{request.parameters.get('proxy', '')}" if request.resource == CATCH_ALL else request.resource
