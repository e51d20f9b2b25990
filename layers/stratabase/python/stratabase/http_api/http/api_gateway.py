"""Conversion of API Gateway REST (v1) proxy events to requests, and of responses to proxy responses.

Lambda limits a response to 6 MB of JSON, so this module also measures responses.
"""

from collections.abc import Iterator, Mapping, Sequence
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

_GATEWAY_HEADERS = frozenset({"x-amzn-trace-id", "x-forwarded-for", "x-forwarded-port", "x-forwarded-proto"})
"""Headers that the gateway adds to each request, and that nothing here needs."""

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


def proxy_response(response: Response) -> ProxyResponse:
    """Return the proxy response of a response."""
    return {
        "statusCode": response.status,
        "multiValueHeaders": values_by_name(response.headers),
        "body": _body_text(response),
        "isBase64Encoded": response.binary,
    }


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


def check_response_size(response: Response, *, may_have_written: bool = False) -> None:
    """Raise ResponseTooLarge if the proxy response of a response would exceed Lambda's limit.

    `may_have_written` says that the request may have changed data. The message then warns the client not to
    repeat the request blindly.
    """
    # Most bodies are so small that an upper bound suffices, which saves making the proxy response.
    if len(response.body) * _MAX_ESCAPE + _MAX_HEADERS_SIZE < MAX_RESPONSE_SIZE:
        return
    size = size_over_limit(proxy_response(response), MAX_RESPONSE_SIZE)
    if size is not None:
        raise ResponseTooLarge(
            sentences(_too_large(size, compressed=response.binary, may_have_written=may_have_written))
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


def decode_parameters(parameters: Mapping[str, str]) -> dict[str, str]:
    """Return path parameters decoded. REST APIs pass them on as the client sent them: percent-encoded."""
    return {name: unquote(value) for name, value in parameters.items()}


def request_headers(values_by_name: Mapping[str, Sequence[str]]) -> _Values:
    """Return the headers of a request in the form of `Request.headers`, without those of the gateway.

    `values_by_name`: as in events, where the same name can occur in lower and upper case.
    """
    headers: _Values = {}
    for name, values in values_by_name.items():
        key = name.lower()
        if key not in _GATEWAY_HEADERS:
            headers[key] = (*headers[key], *values) if key in headers else tuple(values)
    return headers


def _values(event: ProxyEvent, multi_value_key: str, single_value_key: str) -> _Values:
    if event.get(multi_value_key):
        return {name: tuple(values or ()) for name, values in event[multi_value_key].items()}
    single_values = event.get(single_value_key) or {}
    return {name: (value,) for name, value in single_values.items() if value is not None}


def _gateway_url(context: Mapping[str, Any]) -> str:
    # Do not use the Host header: the client controls it, so mailed links could lead to an attacker's site.
    return f"https://{context.get('domainName', '')}/{context.get('stage', '')}".rstrip("/")


def values_by_name(headers: Headers) -> dict[str, list[str]]:
    """Return the values of each header, by name."""
    values: dict[str, list[str]] = {}
    for name, value in headers:
        values.setdefault(name, []).append(value)
    return values


def _body_text(response: Response) -> str:
    return pybase64.b64encode_as_string(response.body) if response.binary else response.body.decode()
