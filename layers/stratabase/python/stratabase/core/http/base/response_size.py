"""The limits of the size of a response, which are those of Lambda.

Lambda limits a response to 6 MB of JSON, and API Gateway a streamed body to 200 MB. The local server has the
same limits, so that an application doesn't meet them only after its deployment.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
import pybase64

from stratabase.core.http.base.messages import Headers, Response
from stratabase.core.http.base.refusals import ResponseTooLarge
from stratabase.values.messages import Message, _, sentences

ProxyResponse = dict[str, Any]
"""A response in the form in which a Lambda function returns it to API Gateway."""

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


def proxy_response(response: Response) -> ProxyResponse:
    """Return the proxy response of a response."""
    return {
        "statusCode": response.status,
        "multiValueHeaders": values_by_name(response.headers),
        "body": _body_text(response),
        "isBase64Encoded": response.binary,
    }


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


def values_by_name(headers: Headers) -> dict[str, list[str]]:
    """Return the values of each header, by name."""
    values: dict[str, list[str]] = {}
    for name, value in headers:
        values.setdefault(name, []).append(value)
    return values


def _body_text(response: Response) -> str:
    return pybase64.b64encode_as_string(response.body) if response.binary else response.body.decode()
