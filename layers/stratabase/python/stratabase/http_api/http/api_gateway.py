"""An API Gateway REST (v1) proxy event as a request, and a response as the answer to it."""

import base64
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import orjson

from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.refusals import Malformed, ResponseTooLarge

ProxyEvent = Mapping[str, Any]
ProxyResponse = dict[str, Any]
Values = dict[str, tuple[str, ...]]


def request_from_event(event: ProxyEvent, base_url: str | None = None) -> Request:
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


def decode_event_body(event: ProxyEvent) -> bytes:
    """Return the body of an event's request. Raises Malformed when it is not the base64 that it claims."""
    body = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return str(body).encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body, validate=True)
    except ValueError:
        raise Malformed("The body did not arrive whole.") from None


def proxy_response(response: Response, *, bodiless: bool = False) -> ProxyResponse:
    """Return what the gateway makes an HTTP response of; `bodiless` for an answer to HEAD."""
    binary = response.binary and not bodiless
    return {
        "statusCode": response.status,
        "multiValueHeaders": _grouped(response.headers),
        "body": "" if bodiless else _text(response.body, binary=binary),
        "isBase64Encoded": binary,
    }


def _parameters(event: ProxyEvent) -> dict[str, str]:
    # REST APIs hand path parameters over as they came, percent-encoded.
    return {name: unquote(value) for name, value in (event.get("pathParameters") or {}).items()}


def _headers(event: ProxyEvent) -> Values:
    headers: Values = {}
    for name, values in _values(event, "multiValueHeaders", "headers").items():
        headers[name.lower()] = headers.get(name.lower(), ()) + values
    return headers


def _values(event: ProxyEvent, several: str, single: str) -> Values:
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


MAX_RESPONSE_SIZE = 6 * 1024 * 1024
"""Bytes as JSON, which is how an answer travels from Lambda to API Gateway."""
_WORST_ESCAPE = 6
"""A character takes at most so many bytes as JSON (`\\u0000`)."""
_DONE = "; what the mutation could do has been done: read before you repeat it."
_BESIDE_BODY = 64 * 1024
"""Bytes; status and headers never take as many."""


def check_response_size(answer: ProxyResponse, *, wrote: bool = False) -> None:
    """Raise AnswerTooLarge when the gateway would refuse the answer as it is sent, compressed or not.

    `wrote`: it tells of what may have been written.
    """
    size = size_over_limit(answer, MAX_RESPONSE_SIZE)
    if size is not None:
        raise ResponseTooLarge(
            f"The answer would have {size:,} bytes; at most {MAX_RESPONSE_SIZE:,} can be sent. "
            f"Ask for smaller pages, or for fewer fields{_or_gzip(answer)}{_DONE if wrote else '.'}"
        )


def _or_gzip(answer: ProxyResponse) -> str:
    return "" if answer["isBase64Encoded"] else ", or accept gzip"


def size_over_limit(answer: Mapping[str, Any], limit: int) -> int | None:
    """Return how many bytes an answer takes as JSON when they are more than a limit.

    Raises TypeError when it is not JSON, which is noticed only in one that may be too large.
    """
    if len(answer.get("body") or "") * _WORST_ESCAPE + _BESIDE_BODY < limit:
        return None
    size = len(orjson.dumps(answer))
    return size if size > limit else None
