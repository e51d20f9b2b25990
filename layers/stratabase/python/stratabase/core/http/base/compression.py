"""Compression of responses for clients that accept gzip (RFC 9110 sections 8.4 and 12.5.3)."""

import zlib

from stratabase.core import waiting
from stratabase.core.http.base.media_type import parse_media_type
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.values.text_cache import cache_short_texts

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
