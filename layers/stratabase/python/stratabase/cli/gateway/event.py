"""Conversion of a request to the event of API Gateway's REST (v1) proxy integration.

The format follows events recorded on AWS:

- The path and its parameters are percent-encoded as the client sent them. Parameters omit a trailing slash.
- The query is decoded as a form, so `+` means a space.
- The single-value fields have the last value of a repeated name.
- Every body is in base64, because BinaryMediaTypes is `*/*`.
- The path does not contain the stage, as behind a custom domain.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import count
from time import gmtime, strftime, time
from typing import Any
from urllib.parse import parse_qsl
from uuid import uuid4

import orjson
import pybase64

from stratabase.cli.gateway.errors import MAX_EVENT, MAX_HEAD, ErrorType, GatewayError
from stratabase.cli.gateway.request import Head
from stratabase.cli.gateway.routes import RouteMatch

STAGE = "local"
ACCOUNT = "000000000000"

Event = dict[str, Any]
AsgiScope = Mapping[str, Any]
"""The connection scope of ASGI: a request without its body."""

_ID_PREFIX = str(uuid4())[:24]
_id_numbers = count(uuid4().node)
"""The parts of request ids, which look like random UUIDs and differ between processes, but cost little."""

_MAX_BESIDE_BODY = 16 * MAX_HEAD
"""An upper bound of the bytes of an event without its body. An event has a head up to four times, partly
escaped."""


def new_request_id() -> str:
    """Return a unique request id in UUID format."""
    return f"{_ID_PREFIX}{next(_id_numbers) & 0xFFFFFFFFFFFF:012x}"


def raw_path(scope: AsgiScope) -> str:
    """Return the path as the client sent it, except that leading slashes become one."""
    path: str = scope["raw_path"].decode("ascii")
    return "/" + path.lstrip("/") if path.startswith("//") else path


def make_event(scope: AsgiScope, head: Head, match: RouteMatch, body: bytes, request_id: str) -> Event:
    """Return the event for a request."""
    path = raw_path(scope)
    source = (scope["client"] or ("",))[0]
    domain, port = _domain_and_port(*scope["server"])
    _add_headers(head, source, port, request_id)
    single, multiple = _query(scope["query_string"])
    return {
        "resource": match.resource,
        "path": path,
        "httpMethod": scope["method"],
        "headers": head.headers,
        "multiValueHeaders": head.multi_value_headers,
        "queryStringParameters": single,
        "multiValueQueryStringParameters": multiple,
        "pathParameters": match.parameters and dict(match.parameters),
        "stageVariables": None,
        "requestContext": _request_context(scope, match, path, domain, request_id)
        | {"identity": _identity(source, head.headers.get("User-Agent"))},
        "body": pybase64.b64encode_as_string(body) if body else None,
        "isBase64Encoded": bool(body),
    }


def check_event_size(event: Event) -> None:
    """Raise GatewayError if an event exceeds Lambda's limit."""
    # Most bodies are so small that an upper bound suffices, which saves serializing the event.
    if event["body"] is None or len(event["body"]) < MAX_EVENT - _MAX_BESIDE_BODY:
        return
    size = len(orjson.dumps(event))
    if size > MAX_EVENT:
        carried = f"As an event, its body in base64, the request has {size} bytes"
        text = f"{carried}; Lambda takes at most {MAX_EVENT}."
        raise GatewayError(ErrorType.REQUEST_TOO_LARGE, text)


def _request_context(scope: AsgiScope, match: RouteMatch, path: str, domain: str, request_id: str) -> Event:
    """Return the request context without the identity."""
    now = time()
    return {
        "accountId": ACCOUNT,
        "apiId": STAGE,
        "deploymentId": STAGE,
        "domainName": domain,
        "domainPrefix": STAGE,
        "extendedRequestId": request_id,
        "httpMethod": scope["method"],
        "path": path,
        "protocol": f"HTTP/{scope['http_version']}",
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


@lru_cache(maxsize=16)
def _domain_and_port(host: str, port: int) -> tuple[str, str]:
    """Return the domain (host and port) and the port of the server, independent of the Host header."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}", str(port)


def _add_headers(head: Head, source: str, port: str, request_id: str) -> None:
    """Add the headers that API Gateway adds."""
    before = head.headers.get("X-Forwarded-For")
    _set_header(head, "X-Amzn-Trace-Id", f"Root=1-{request_id[:8]}-{request_id[9:].replace('-', '')}")
    _set_header(head, "X-Forwarded-For", f"{before}, {source}" if before else source)
    _set_header(head, "X-Forwarded-Port", port)
    _set_header(head, "X-Forwarded-Proto", "http")


def _set_header(head: Head, name: str, value: str) -> None:
    head.headers[name] = value
    head.multi_value_headers[name] = [value]


def _query(query: bytes) -> tuple[dict[str, str] | None, dict[str, list[str]] | None]:
    """Return the last value and all values of each query parameter, by name.

    Both are None if there are no parameters, as in events of API Gateway.
    """
    if not query:
        return None, None
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    multiple: dict[str, list[str]] = {}
    for name, value in pairs:
        multiple.setdefault(name, []).append(value)
    return dict(pairs) or None, multiple or None


@lru_cache(maxsize=2)
def _request_time(second: int) -> str:
    return strftime("%d/%b/%Y:%H:%M:%S +0000", gmtime(second))
