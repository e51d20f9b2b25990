"""The front door: an event in, the endpoint that its address names, an answer out."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from stratabase.domain.refusal import Refusal
from stratabase.http_api.auth import csrf
from stratabase.http_api.auth.authentication import Authentication
from stratabase.http_api.http import body as form
from stratabase.http_api.http.api_gateway import (
    ProxyEvent,
    ProxyResponse,
    check_response_size,
    decode_event_body,
    proxy_response,
    request_from_event,
)
from stratabase.http_api.http.compression import compress_response
from stratabase.http_api.http.cors import Cors
from stratabase.http_api.http.endpoint import Endpoint, ErrorFormat, Operation, is_protected
from stratabase.http_api.http.error_response import error_response
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.refusals import (
    BodyTooLarge,
    NotFound,
    ResponseTooLarge,
    UnsupportedContentEncoding,
    log_refusal,
    status_row,
)
from stratabase.observe import Log

CATCH_ALL = "/{proxy+}"
"""The route that takes what no other one does."""
_UNLESS_SET = (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"))


class HttpHandler:
    """Answers the events of a function; nothing that goes wrong behind it gets past it."""

    def __init__(
        self,
        endpoints: Iterable[Endpoint],
        authentication: Authentication,
        *,
        cors: Cors | None = None,
        base_url: str | None = None,
        log: Log | None = None,
    ) -> None:
        self._endpoints = _by_resource(endpoints)
        self._authentication = authentication
        self._cors = cors or Cors()
        self._base_url = base_url
        self._log = log or Log()

    def __call__(self, event: ProxyEvent, _context: object = None) -> ProxyResponse:
        """Answer an API Gateway REST (v1) proxy event."""
        request = request_from_event(event, self._base_url)
        try:
            return self._written(request, self._answered(request, event))
        except ResponseTooLarge as refusal:
            return self._written(request, self._refused(request, refusal, ErrorFormat.PROBLEM_JSON))

    def _written(self, request: Request, response: Response) -> ProxyResponse:
        answer = proxy_response(self._finished(request, response), bodiless=request.method == "HEAD")
        check_response_size(answer, wrote=response.may_have_written)
        return answer

    def _answered(self, request: Request, event: ProxyEvent) -> Response:
        endpoint = self._endpoints.get(request.resource)
        manner = endpoint.error_format(request.method) if endpoint else ErrorFormat.PROBLEM
        try:
            return self._admitted(request, event, endpoint)
        except Refusal as refusal:
            return self._refused(request, refusal, manner)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client gets a clean answer
            return self._failed(request, error, manner)

    def _admitted(self, request: Request, event: ProxyEvent, endpoint: Endpoint | None) -> Response:
        if request.method == "OPTIONS" and endpoint:
            return Response(204, self._cors.preflight_headers(request, endpoint.allowed_methods))
        asks_who = is_protected(_address(request)) and request.method != "OPTIONS"
        caller = self._authentication.caller(request) if asks_who else None
        if endpoint is None:
            raise NotFound(f"There is nothing at {request.path}.")
        operation = endpoint.operation(request.method)
        if caller is not None and endpoint.may_write(request.method):
            csrf.check_csrf(request, caller)
        if caller is not None and operation.authorize is not None:
            operation.authorize(request, caller)
        if operation.has_format:
            form.requested_format(request)
        if operation.body is not None:
            request = replace(request, body=decode_event_body(event))
            _check_body(request, operation)
        return operation.respond(request, caller)

    def _refused(self, request: Request, refusal: Refusal, manner: ErrorFormat) -> Response:
        log_refusal(self._log, request, refusal)
        status, headers, _ = status_row(refusal)
        return error_response(manner, request, status, str(refusal), headers(refusal))

    def _failed(self, request: Request, error: Exception, manner: ErrorFormat) -> Response:
        self._log.error(
            "Failed",
            trace_id=request.trace_id,
            error=error,
            method=request.method,
            resource=request.resource,
        )
        detail = f"Something went wrong inside the service; its log tells more under {request.trace_id}."
        return error_response(manner, request, 500, detail)

    def _finished(self, request: Request, response: Response) -> Response:
        names = {name.lower() for name, _ in response.headers}
        missing = tuple(header for header in _UNLESS_SET if header[0].lower() not in names)
        headers = (*response.headers, *missing, *self._cors.response_headers(request))
        return compress_response(request, replace(response, headers=headers))


def _by_resource(endpoints: Iterable[Endpoint]) -> Mapping[str, Endpoint]:
    found: dict[str, Endpoint] = {}
    for endpoint in endpoints:
        if found.setdefault(endpoint.resource, endpoint) is not endpoint:
            raise ValueError(f"two endpoints want the resource {endpoint.resource}")
    return found


def _check_body(request: Request, operation: Operation) -> None:
    size, largest = len(request.body), operation.max_body_size
    if largest is not None and size > largest:
        raise BodyTooLarge(f"The body has {size:,} bytes; at most {largest:,} are read here.")
    codings = ", ".join(request.headers.get("content-encoding", ()))
    if size and codings.strip().lower() not in ("", "identity"):
        raise UnsupportedContentEncoding(f'The body must come as it is, not in the coding "{codings}".')


def _address(request: Request) -> str:
    # Not the path: behind a custom domain that begins with the domain's base path.
    return f"/{request.parameters.get('proxy', '')}" if request.resource == CATCH_ALL else request.resource
