"""The front door: an event in, the endpoint that its address names, an answer out."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from stratabase.domain.refusal import Refusal
from stratabase.edge import forgery
from stratabase.edge import format as form
from stratabase.edge.authentication import Authentication
from stratabase.edge.compression import compressed
from stratabase.edge.cors import Cors
from stratabase.edge.endpoint import Endpoint, is_protected
from stratabase.edge.event import Answer, Event, answer_of, body_of, request_of
from stratabase.edge.manner import say
from stratabase.edge.noting import note
from stratabase.edge.operation import Manner, Operation
from stratabase.edge.refusals import AnswerTooLarge, BodyTooLarge, NotFound, UnsupportedCoding, row
from stratabase.edge.request import Request
from stratabase.edge.response import Response
from stratabase.edge.size import check_size
from stratabase.observe import Log

GREEDY = "/{proxy+}"
"""The route that takes what no other one does."""

_UNLESS_SET = (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"))


class FrontDoor:
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

    def __call__(self, event: Event, _context: object = None) -> Answer:
        """Answer an API Gateway REST (v1) proxy event."""
        request = request_of(event, self._base_url)
        try:
            return self._written(request, self._answered(request, event))
        except AnswerTooLarge as refusal:
            return self._written(request, self._refused(request, refusal, Manner.JSON))

    def _written(self, request: Request, response: Response) -> Answer:
        answer = answer_of(self._finished(request, response), bodiless=request.method == "HEAD")
        check_size(answer, wrote=response.wrote)
        return answer

    def _answered(self, request: Request, event: Event) -> Response:
        endpoint = self._endpoints.get(request.resource)
        manner = endpoint.manner(request.method) if endpoint else Manner.PROBLEM
        try:
            return self._admitted(request, event, endpoint)
        except Refusal as refusal:
            return self._refused(request, refusal, manner)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client gets a clean answer
            return self._failed(request, error, manner)

    def _admitted(self, request: Request, event: Event, endpoint: Endpoint | None) -> Response:
        if request.method == "OPTIONS" and endpoint:
            return Response(204, self._cors.options(request, endpoint.allowed))
        asks_who = is_protected(_address(request)) and request.method != "OPTIONS"
        caller = self._authentication.caller(request) if asks_who else None
        if endpoint is None:
            raise NotFound(f"There is nothing at {request.path}.")
        operation = endpoint.operation(request.method)
        if caller is not None and endpoint.acts(request.method):
            forgery.check(request, caller)
        if caller is not None and operation.rights is not None:
            operation.rights(request, caller)
        if operation.formatted:
            form.asked(request)
        if operation.body is not None:
            request = replace(request, body=body_of(event))
            _check_body(request, operation)
        return operation.act(request, caller)

    def _refused(self, request: Request, refusal: Refusal, manner: Manner) -> Response:
        note(self._log, request, refusal)
        status, headers, _ = row(refusal)
        return say(manner, request, status, str(refusal), headers(refusal))

    def _failed(self, request: Request, error: Exception, manner: Manner) -> Response:
        self._log.error(
            "Failed",
            trace_id=request.trace_id,
            error=error,
            method=request.method,
            resource=request.resource,
        )
        detail = f"Something went wrong inside the service; its log tells more under {request.trace_id}."
        return say(manner, request, 500, detail)

    def _finished(self, request: Request, response: Response) -> Response:
        names = {name.lower() for name, _ in response.headers}
        missing = tuple(header for header in _UNLESS_SET if header[0].lower() not in names)
        headers = (*response.headers, *missing, *self._cors.every(request))
        return compressed(request, replace(response, headers=headers))


def _by_resource(endpoints: Iterable[Endpoint]) -> Mapping[str, Endpoint]:
    found: dict[str, Endpoint] = {}
    for endpoint in endpoints:
        if found.setdefault(endpoint.resource, endpoint) is not endpoint:
            raise ValueError(f"two endpoints want the resource {endpoint.resource}")
    return found


def _check_body(request: Request, operation: Operation) -> None:
    size, largest = len(request.body), operation.largest
    if largest is not None and size > largest:
        raise BodyTooLarge(f"The body has {size:,} bytes; at most {largest:,} are read here.")
    codings = ", ".join(request.headers.get("content-encoding", ()))
    if size and codings.strip().lower() not in ("", "identity"):
        raise UnsupportedCoding(f'The body must come as it is, not in the coding "{codings}".')


def _address(request: Request) -> str:
    # Not the path: behind a custom domain that begins with the domain's base path.
    return f"/{request.parameters.get('proxy', '')}" if request.resource == GREEDY else request.resource
