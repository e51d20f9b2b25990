"""Conversion of API Gateway REST (v1) proxy events to requests, and of responses to proxy responses.

Lambda limits a response to 6 MB of JSON, so this module also measures responses.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

import orjson
import pybase64

from stratabase.http_api.http.messages import BodyStream, Headers, Request, Response
from stratabase.http_api.http.refusals import Malformed, ResponseTooLarge
from stratabase.messages import Message, _, sentences

ProxyEvent = Mapping[str, Any]
ProxyResponse = dict[str, Any]

MAX_RESPONSE_SIZE = 6 * 1024 * 1024
"""The limit of a proxy response in bytes of JSON, the format in which Lambda passes it to API Gateway."""
MAX_STREAMED_SIZE = 200_000_000
"""The limit of a streamed body in bytes, a little below the 200 MB that Lambda streams."""
_MAX_ESCAPE = 6
"""The maximum number of bytes of one character in JSON (`\\u0000`)."""
_MAX_HEADERS_SIZE = 64 * 1024
"""An upper bound of the bytes of the status and the headers."""

MAX_BUFFERED_STREAM = (MAX_RESPONSE_SIZE - _MAX_HEADERS_SIZE) // 4 * 3
"""The limit of a streamed body in bytes, if a function that does not stream returns it in base64."""
_BODILESS = frozenset({204, 304})

_Values = dict[str, tuple[str, ...]]
"""The values of headers or parameters by name, in their original order."""


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
        parameters=_path_parameters(event),
        headers=_headers(event),
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


def proxy_response(response: Response, *, bodiless: bool = False) -> ProxyResponse:
    """Return the proxy response of a response. `bodiless` omits the body, as HEAD requires."""
    binary = response.binary and not bodiless
    return {
        "statusCode": response.status,
        "multiValueHeaders": _values_by_name(response.headers),
        "body": "" if bodiless else _body_text(response.body, binary=binary),
        "isBase64Encoded": binary,
    }


def streamed_response(response: Response, *, bodiless: bool = False) -> StreamedResponse:
    """Return the streamed response of a response. `bodiless` omits the body, as HEAD requires."""
    body = response.stream or BodyStream(iter((response.body,)), len(response.body))
    headers = _values_by_name(response.headers)
    if bodiless or response.status in _BODILESS:
        body.close()
        body = BodyStream(iter(()), 0)
    else:
        headers["Content-Length"] = [str(body.length)]
    return StreamedResponse(response.status, headers, body)


def buffer_stream(response: Response) -> Response:
    """Return a response with its stream read into the body. Raises ResponseTooLarge."""
    if response.stream is None:
        return response
    try:
        if response.stream.length > MAX_BUFFERED_STREAM:
            message = _(
                "The response would have {size} bytes. The limit is {limit} bytes. "
                "Request a part of it with the Range header.",
                size=response.stream.length,
                limit=MAX_BUFFERED_STREAM,
            )
            raise ResponseTooLarge(message)
        return response.with_body(b"".join(response.stream))
    finally:
        response.stream.close()


def check_response_size(result: ProxyResponse, *, may_have_written: bool = False) -> None:
    """Raise ResponseTooLarge if a proxy response exceeds Lambda's limit.

    `may_have_written` says that the request may have changed data. The message then warns the client not to
    repeat the request blindly.
    """
    size = size_over_limit(result, MAX_RESPONSE_SIZE)
    if size is None:
        return
    raise ResponseTooLarge(
        sentences(_too_large(size, compressed=result["isBase64Encoded"], may_have_written=may_have_written))
    )


def _too_large(size: int, *, compressed: bool, may_have_written: bool) -> Iterator[Message]:
    yield _(
        "The response would have {size} bytes. The limit is {limit} bytes.",
        size=size,
        limit=MAX_RESPONSE_SIZE,
    )
    if compressed:
        yield _("Request smaller pages or fewer fields.")
    else:
        yield _("Request smaller pages or fewer fields, or accept gzip.")
    if may_have_written:
        yield _("The mutation was already executed. Check the data before you send it again.")


def size_over_limit(result: Mapping[str, Any], limit: int) -> int | None:
    """Return the size of a proxy response in bytes of JSON if it exceeds a limit, otherwise None.

    Raises TypeError if a response that may be too large cannot be serialized to JSON.
    """
    # Most bodies are so small that an upper bound suffices, which saves serializing them.
    if len(result.get("body") or "") * _MAX_ESCAPE + _MAX_HEADERS_SIZE < limit:
        return None
    size = len(orjson.dumps(result))
    return size if size > limit else None


def _path_parameters(event: ProxyEvent) -> dict[str, str]:
    # REST APIs pass path parameters on as the client sent them: percent-encoded.
    return {name: unquote(value) for name, value in (event.get("pathParameters") or {}).items()}


def _headers(event: ProxyEvent) -> _Values:
    headers: _Values = {}
    for name, values in _values(event, "multiValueHeaders", "headers").items():
        headers[name.lower()] = headers.get(name.lower(), ()) + values
    return headers


def _values(event: ProxyEvent, multi_value_key: str, single_value_key: str) -> _Values:
    if event.get(multi_value_key):
        return {name: tuple(values or ()) for name, values in event[multi_value_key].items()}
    single_values = event.get(single_value_key) or {}
    return {name: (value,) for name, value in single_values.items() if value is not None}


def _gateway_url(context: Mapping[str, Any]) -> str:
    # Do not use the Host header: the client controls it, so mailed links could lead to an attacker's site.
    return f"https://{context.get('domainName', '')}/{context.get('stage', '')}".rstrip("/")


def _values_by_name(headers: Headers) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for name, value in headers:
        values.setdefault(name, []).append(value)
    return values


def _body_text(body: bytes, *, binary: bool) -> str:
    return pybase64.b64encode_as_string(body) if binary else body.decode()
