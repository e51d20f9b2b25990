"""An API Gateway REST (v1) proxy event as a request, and a response as the answer to it."""

import base64
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from stratabase.edge.refusals import Malformed
from stratabase.edge.request import Request
from stratabase.edge.response import Response

Event = Mapping[str, Any]
Answer = dict[str, Any]
Values = dict[str, tuple[str, ...]]


def request_of(event: Event, base_url: str | None = None) -> Request:
    """Return the request of an event, all but its body. `base_url` goes before the gateway's own address."""
    context = event.get("requestContext") or {}
    return Request(
        method=event["httpMethod"],
        path=event["path"],
        resource=event["resource"],
        parameters=_parameters(event),
        headers=_headers(event),
        query=_values(event, "multiValueQueryStringParameters", "queryStringParameters"),
        trace_id=context.get("requestId") or "",
        source_address=(context.get("identity") or {}).get("sourceIp") or "",
        base_url=base_url or _own_address(context),
    )


def body_of(event: Event) -> bytes:
    """Return the body of an event's request. Raises Malformed when it is not the base64 that it claims."""
    body = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return str(body).encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body, validate=True)
    except ValueError:
        raise Malformed("The body did not arrive whole.") from None


def answer_of(response: Response, *, bodiless: bool = False) -> Answer:
    """Return what the gateway makes an HTTP response of; `bodiless` for an answer to HEAD."""
    binary = response.binary and not bodiless
    return {
        "statusCode": response.status,
        "multiValueHeaders": _grouped(response.headers),
        "body": "" if bodiless else _text(response.body, binary=binary),
        "isBase64Encoded": binary,
    }


def _parameters(event: Event) -> dict[str, str]:
    # REST APIs hand path parameters over as they came, percent-encoded.
    return {name: unquote(value) for name, value in (event.get("pathParameters") or {}).items()}


def _headers(event: Event) -> Values:
    headers: Values = {}
    for name, values in _values(event, "multiValueHeaders", "headers").items():
        headers[name.lower()] = headers.get(name.lower(), ()) + values
    return headers


def _values(event: Event, several: str, single: str) -> Values:
    if event.get(several):
        return {name: tuple(values or ()) for name, values in event[several].items()}
    return {name: (value,) for name, value in (event.get(single) or {}).items() if value is not None}


def _own_address(context: Mapping[str, Any]) -> str:
    # Never the Host header: whoever sends the request writes it, and links would lead where they like.
    return f"https://{context.get('domainName', '')}/{context.get('stage', '')}".rstrip("/")


def _grouped(headers: tuple[tuple[str, str], ...]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in headers:
        grouped.setdefault(name, []).append(value)
    return grouped


def _text(body: bytes, *, binary: bool) -> str:
    return base64.b64encode(body).decode("ascii") if binary else body.decode()
