"""The handler of the Lambda functions that API Gateway calls: from an event to a proxy response.

The events are those of REST APIs (v1). Responses can be streamed.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from math import inf
from typing import Any, NamedTuple

import pybase64

from stratabase.core.http.base.messages import (
    BodyStream,
    Request,
    Response,
    ValuesByName,
    decode_parameters,
    request_headers,
)
from stratabase.core.http.base.refusals import Malformed
from stratabase.core.http.base.response_body import ProxyResponse, proxy_response, values_by_name
from stratabase.core.http.handler import HttpHandler
from stratabase.core.observe import invocation
from stratabase.values.messages import _
from stratabase_aws.functions.request_log import RequestLine, RequestLog

ProxyEvent = Mapping[str, Any]

_BODILESS = frozenset({204, 304})


class StreamedResponse(NamedTuple):
    """The response of a function that streams: status, header values by name, and the body."""

    status: int
    headers: dict[str, list[str]]
    body: BodyStream


def request_from_event(event: ProxyEvent, base_url: str | None = None) -> Request:
    """Return the request of an event, without its body (see `decode_event_body`).

    `base_url` is the root URL of all links. The default is the address of the gateway.
    """
    context = event.get("requestContext") or {}
    return Request(
        method=event["httpMethod"],
        path=event["path"],
        resource=event["resource"],
        parameters=decode_parameters(event.get("pathParameters") or {}),
        headers=request_headers(_values(event, "multiValueHeaders", "headers")),
        query=_values(event, "multiValueQueryStringParameters", "queryStringParameters"),
        trace_id=context.get("requestId") or "",
        source_address=(context.get("identity") or {}).get("sourceIp") or "",
        base_url=base_url or _gateway_url(context),
    )


def decode_event_body(event: ProxyEvent) -> bytes:
    """Return the body of the request in an event. Raises Malformed if its base64 is invalid."""
    body = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return str(body).encode("utf-8", "surrogatepass")
    try:
        return pybase64.b64decode(body, validate=True)
    except ValueError:
        raise Malformed(_("The request body is incomplete. Send the request again.")) from None


def streamed_response(response: Response, *, bodiless: bool = False) -> StreamedResponse:
    """Return the streamed response of a response. `bodiless` omits the body, as HEAD requires."""
    body = response.stream or BodyStream(iter((response.body,)), len(response.body))
    headers = values_by_name(response.headers)
    if bodiless or response.status in _BODILESS:
        body.close()
        body = BodyStream(iter(()), 0)
    else:
        headers["Content-Length"] = [str(body.length)]
    return StreamedResponse(response.status, headers, body)


def _values(event: ProxyEvent, multi_value_key: str, single_value_key: str) -> ValuesByName:
    if event.get(multi_value_key):
        return {name: tuple(values or ()) for name, values in event[multi_value_key].items()}
    single_values = event.get(single_value_key) or {}
    return {name: (value,) for name, value in single_values.items() if value is not None}


def _gateway_url(context: Mapping[str, Any]) -> str:
    # Do not use the Host header: the client controls it, so mailed links could lead to an attacker's site.
    return f"https://{context.get('domainName', '')}/{context.get('stage', '')}".rstrip("/")


class LambdaHandler:
    """Answers events of API Gateway by the handler of HTTP requests."""

    def __init__(self, http: HttpHandler, request_log: RequestLog | None = None) -> None:
        """`request_log`: gets a line for each request."""
        self.http = http
        self._request_log = request_log

    def __call__(self, event: ProxyEvent, context: object = None) -> ProxyResponse:
        """Answer an API Gateway REST (v1) proxy event, before the deadline. Never raises."""
        request = request_from_event(event, self.http.base_url)
        with self._log_request(request, context) as line:
            response = self.http.answer(
                request, _remaining_seconds(context), partial(decode_event_body, event)
            )
            if line is not None:
                line.status = response.status
        return proxy_response(response)

    def stream(self, event: ProxyEvent, context: object = None) -> StreamedResponse:
        """Answer an event like `__call__`, but with a body that is read while it is sent. Never raises.

        The body can raise while it is read. The deadline is that of its first byte.
        """
        request = request_from_event(event, self.http.base_url)
        with self._log_request(request, context) as line:
            response = self.http.answer(
                request, _remaining_seconds(context), partial(decode_event_body, event), may_stream=True
            )
            if line is not None:
                line.status = response.status
        return streamed_response(response, bodiless=request.method == "HEAD")

    @contextmanager
    def _log_request(self, request: Request, context: object) -> Iterator[RequestLine | None]:
        """Name the invocation of a request in the log, and log the request itself."""
        if self._request_log is None:
            yield None
            return
        with (
            invocation(context),
            self._request_log.line(request.resource, request.method, request.trace_id) as line,
        ):
            yield line


def _remaining_seconds(context: object) -> float:
    """Return the seconds until the end of an invocation with a context of Lambda, or without one."""
    milliseconds: Callable[[], int] | None = getattr(context, "get_remaining_time_in_millis", None)
    return inf if milliseconds is None else milliseconds() / 1000
