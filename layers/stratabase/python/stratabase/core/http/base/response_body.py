"""The body of a response on its way to the client: compression, and the limits of its size.

Clients that accept gzip get it (RFC 9110 sections 8.4 and 12.5.3). The limits are those of Lambda, which
limits a response to 6 MB of JSON, and of API Gateway, which limits a streamed body to 200 MB. The local
server has the same limits, so that an application doesn't meet them only after its deployment.
"""

import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import orjson
import pybase64

from stratabase.core import waiting
from stratabase.core.http.base.media_type import parse_media_type
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import ResponseTooLarge
from stratabase.values.messages import Message, _, sentences
from stratabase.values.text_cache import cache_short_texts

ProxyResponse = dict[str, Any]
"""A response in the form in which a Lambda function returns it to API Gateway."""


MIN_COMPRESSED_SIZE = 1024
"""The minimum size in bytes of a body that is compressed. A smaller body fits into one packet anyway."""
COMPRESSION_LEVEL = 3
"""The zlib level. For a page of objects, level 6 takes twice the time and saves another seventh of the size.
Level 1 is hardly faster."""
MIN_OFFLOADED_SIZE = 128 * 1024
"""The minimum size in bytes of a body that the local server compresses in another thread, which takes a
millisecond or more."""
_GZIP_WINDOW = 31
"""The `wbits` of zlib for the gzip format with the largest window."""
_TEXT_TYPES = ("text/", "application/json", "application/xml", "application/javascript")
_NOT_MODIFIED = 304


def compress_response(request: Request, response: Response) -> Response:
    """Return the response, compressed if the client accepts gzip and compression is worthwhile.

    Binary and encoded responses stay unchanged. If the encoding depends on the request, Vary names
    Accept-Encoding.
    """
    if len(response.body) < MIN_COMPRESSED_SIZE and response.status != _NOT_MODIFIED:
        return response
    if not _is_compressible(response):
        return response
    headers = _vary_by_encoding(response.headers)
    if not response.body or not accepts_gzip(",".join(request.headers.get("accept-encoding", ()))):
        return Response(response.status, headers, response.body)
    headers = (*headers, ("Content-Encoding", "gzip"))
    # The handler drops the body of a response to HEAD, so do not compress it.
    body = b"" if request.method == "HEAD" else _gzip(response)
    return Response(response.status, headers, body, binary=True)


@cache_short_texts(256)
def accepts_gzip(accept_encoding: str) -> bool:
    """Return whether an Accept-Encoding header prefers gzip to an unencoded body."""
    encodings = [parse_media_type(part) for part in accept_encoding.split(",") if part.strip()]
    weights = {encoding.name.removeprefix("x-"): encoding.weight for encoding in encodings}
    others = weights.get("*", 0.0)
    gzip = weights.get("gzip", others)
    return gzip > 0 and gzip >= weights.get("identity", others)


def _is_compressible(response: Response) -> bool:
    if response.binary:
        return False
    headers = {name.lower(): value for name, value in response.headers}
    # A strong ETag identifies the exact bytes, so the body must not change.
    has_strong_tag = headers.get("etag", "W/").startswith('"')
    if has_strong_tag or "content-encoding" in headers or "content-range" in headers:
        return False
    if response.status == _NOT_MODIFIED:
        return True
    name = parse_media_type(headers.get("content-type", "")).name
    return name.startswith(_TEXT_TYPES) or name.endswith(("+json", "+xml"))


def _vary_by_encoding(headers: Headers) -> Headers:
    """Return the headers with Accept-Encoding added to Vary, all in one Vary header."""
    varies = [value for name, value in headers if name == "Vary"]
    others = tuple(header for header in headers if header[0] != "Vary")
    return (*others, ("Vary", ", ".join(("Accept-Encoding", *varies))))


def _gzip(response: Response) -> bytes:
    compress = response.gzipped or (lambda: zlib.compress(response.body, COMPRESSION_LEVEL, _GZIP_WINDOW))
    return waiting.offload(compress) if len(response.body) >= MIN_OFFLOADED_SIZE else compress()


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
