"""Conversion of API Gateway REST (v1) proxy events to requests, and of responses to streamed responses."""

from collections.abc import Mapping
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
from stratabase.core.http.base.response_size import values_by_name
from stratabase.values.messages import _

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
