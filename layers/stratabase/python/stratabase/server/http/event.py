"""Conversion of an HTTP request to what a function gets.

The functions of this service get a `Request`. All others get an event of API Gateway's REST (v1) proxy
integration, from which the functions of this service make the same `Request` on AWS.

The format follows events recorded on AWS:

- The path and its parameters are percent-encoded as the client sent them. Parameters omit a trailing slash.
- The query is decoded as a form, so `+` means a space.
- The single-value fields have the last value of a repeated name.
- Every body is in base64, because BinaryMediaTypes is `*/*`.
- The path does not contain the stage, as behind a custom domain.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count
from time import gmtime, strftime, time
from typing import Any
from urllib.parse import parse_qsl
from uuid import uuid4

import orjson
import pybase64

from stratabase.core.http.base.messages import Request
from stratabase.server.http.errors import ADVICE, MAX_EVENT, MAX_HEAD, ErrorType, GatewayError
from stratabase.server.http.request import HttpRequest
from stratabase.server.http.routes import RouteMatch

STAGE = "local"
ACCOUNT = "000000000000"

Event = dict[str, Any]

_ID_PREFIX = str(uuid4())[:24]
_id_numbers = count(uuid4().node)
"""The parts of request ids, which look like random UUIDs and differ between processes, but cost little."""

_MAX_BESIDE_BODY = 16 * MAX_HEAD
"""An upper bound of the bytes of an event without its body. An event has a head up to four times, partly
escaped."""
_MAX_SMALL_BODY = (MAX_EVENT - _MAX_BESIDE_BODY) // 4 * 3
"""The bytes of a body with which an event is within Lambda's limit, whatever else it has."""


def new_request_id() -> str:
    """Return a unique request id in UUID format."""
    return f"{_ID_PREFIX}{next(_id_numbers) & 0xFFFFFFFFFFFF:012x}"


def make_request(
    request: HttpRequest, match: RouteMatch, request_id: str, base_url: str | None, *, has_body: bool = True
) -> Request:
    """Return a request for a function of this service. It equals the one that is made of the event.

    `base_url` is the root URL of all links. The default is the address of the gateway. `has_body`: whether to
    include the body, of which maybe only a part has arrived.
    """
    target, addresses = request.target, request.addresses
    return Request(
        request.method,
        target.path,
        match.resource,
        match.decoded_parameters,
        request.head.api_headers,
        _query(target.query) if target.query else _NOTHING,
        request.body if has_body else b"",
        request_id,
        addresses.client,
        base_url or f"https://{addresses.domain}/{STAGE}",
    )


def make_event(request: HttpRequest, match: RouteMatch, request_id: str) -> Event:
    """Return the event for a request."""
    body = request.body
    return _bodiless_event(request, match, request_id) | {
        "body": pybase64.b64encode_as_string(body) if body else None,
        "isBase64Encoded": bool(body),
    }


def _bodiless_event(request: HttpRequest, match: RouteMatch, request_id: str) -> Event:
    headers = _headers(request, request_id)
    query = _query(request.target.query)
    return {
        "resource": match.resource,
        "path": request.target.path,
        "httpMethod": request.method,
        "headers": _last_values(headers),
        "multiValueHeaders": headers,
        "queryStringParameters": _last_values(query) or None,
        "multiValueQueryStringParameters": {name: [*values] for name, values in query.items()} or None,
        "pathParameters": match.parameters and dict(match.parameters),
        "stageVariables": None,
        "requestContext": _request_context(request, match, request_id),
    }


def check_request_size(request: HttpRequest, match: RouteMatch) -> None:
    """Raise GatewayError if the event of a request exceeds Lambda's limit.

    If the head has the size of the body, the head is enough.
    """
    # Most bodies are so small that an upper bound suffices, which saves making and serializing the event.
    if request.size <= _MAX_SMALL_BODY:
        return
    event = _bodiless_event(request, match, new_request_id()) | {"body": "", "isBase64Encoded": True}
    size = len(orjson.dumps(event)) + _base64_size(request.size)
    if size > MAX_EVENT:
        carried = f"With its body in base64, the request has {size} bytes. The maximum is {MAX_EVENT}"
        text = f"{carried}, which is about 4.4 MB of file. {ADVICE}"
        raise GatewayError(ErrorType.REQUEST_TOO_LARGE, text)


def _base64_size(size: int) -> int:
    return (size + 2) // 3 * 4


def _request_context(request: HttpRequest, match: RouteMatch, request_id: str) -> Event:
    now, user_agent = time(), request.head.values.get("User-Agent")
    return {
        "accountId": ACCOUNT,
        "apiId": STAGE,
        "deploymentId": STAGE,
        "domainName": request.addresses.domain,
        "domainPrefix": STAGE,
        "extendedRequestId": request_id,
        "httpMethod": request.method,
        "identity": _identity(request.addresses.client, user_agent[-1] if user_agent else None),
        "path": request.target.path,
        "protocol": f"HTTP/{request.http_version}",
        "requestId": request_id,
        "requestTime": _request_time(int(now)),
        "requestTimeEpoch": int(now * 1000),
        "resourceId": match.resource_id,
        "resourcePath": match.resource,
        "stage": STAGE,
    }


def _identity(source: str, user_agent: str | None) -> Event:
    return {
        "accessKey": None,
        "accountId": None,
        "caller": None,
        "cognitoAuthenticationProvider": None,
        "cognitoAuthenticationType": None,
        "cognitoIdentityId": None,
        "cognitoIdentityPoolId": None,
        "principalOrgId": None,
        "sourceIp": source,
        "user": None,
        "userAgent": user_agent,
        "userArn": None,
    }


def _headers(request: HttpRequest, request_id: str) -> dict[str, list[str]]:
    """Return the values of the headers, with those that API Gateway adds."""
    addresses = request.addresses
    headers = {name: [*values] for name, values in request.head.values.items()}
    before = headers.get("X-Forwarded-For")
    trace = f"Root=1-{request_id[:8]}-{request_id[9:].replace('-', '')}"
    return headers | {
        "X-Amzn-Trace-Id": [trace],
        "X-Forwarded-For": [f"{before[-1]}, {addresses.client}" if before else addresses.client],
        "X-Forwarded-Port": [addresses.port],
        "X-Forwarded-Proto": ["http"],
    }


def _last_values(values: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {name: each[-1] for name, each in values.items()}


def _query(query: bytes) -> dict[str, tuple[str, ...]]:
    """Return the values of each query parameter, by name."""
    values: dict[str, list[str]] = {}
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        values.setdefault(name, []).append(value)
    return {name: tuple(each) for name, each in values.items()}


_NOTHING: Mapping[str, tuple[str, ...]] = {}


@lru_cache(maxsize=2)
def _request_time(second: int) -> str:
    return strftime("%d/%b/%Y:%H:%M:%S +0000", gmtime(second))
