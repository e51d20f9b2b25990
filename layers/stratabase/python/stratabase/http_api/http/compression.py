"""Answers in fewer bytes, for clients that say that they can read them (RFC 9110 sections 8.4, 12.5.3)."""

import zlib
from functools import lru_cache

from stratabase import waiting
from stratabase.http_api.http import media_type
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.refusals import Headers

MIN_COMPRESSED_SIZE = 1024
"""Bytes of a body; fewer are sent as they are, since they fill one packet either way."""
COMPRESSION_LEVEL = 3
"""For a page of objects, 6 takes twice the time and saves another seventh; 1 is hardly any faster."""
MIN_OFFLOADED_SIZE = 128 * 1024
"""Bytes that take a millisecond or more, in which the local server answers others."""
_WINDOW = 31
"""What zlib calls gzip, with its largest window."""
_TEXTS = ("text/", "application/json", "application/xml", "application/javascript")
_NOT_MODIFIED = 304


def compress_response(request: Request, response: Response) -> Response:
    """Return a response as its client takes it best. What is binary, or coded already, is left alone."""
    if len(response.body) < MIN_COMPRESSED_SIZE and response.status != _NOT_MODIFIED:
        return response
    if not _may_be(response):
        return response
    headers = _varying(response.headers)
    if not response.body or not accepts_gzip(",".join(request.headers.get("accept-encoding", ()))):
        return Response(response.status, headers, response.body)
    headers = (*headers, ("Content-Encoding", "gzip"))
    # To HEAD the body is not sent, and need not be made.
    body = b"" if request.method == "HEAD" else _gzip(response)
    return Response(response.status, headers, body, binary=True)


@lru_cache(256)
def accepts_gzip(accept_encoding: str) -> bool:
    """Return whether a client takes gzip, and does not like a body as it is better."""
    codings = [media_type.parse_media_type(part) for part in accept_encoding.split(",") if part.strip()]
    weights = {coding.name.removeprefix("x-"): coding.weight for coding in codings}
    others = weights.get("*", 0.0)
    gzip = weights.get("gzip", others)
    return gzip > 0 and gzip >= weights.get("identity", others)


def _may_be(response: Response) -> bool:
    """Return whether the same may be sent in another coding."""
    if response.binary:
        return False
    said = {name.lower(): value for name, value in response.headers}
    # A strong tag promises the same bytes each time.
    strong = said.get("etag", "W/").startswith('"')
    if strong or "content-encoding" in said or "content-range" in said:
        return False
    name = media_type.parse_media_type(said.get("content-type", "")).name
    return response.status == _NOT_MODIFIED or name.startswith(_TEXTS) or name.endswith(("+json", "+xml"))


def _varying(headers: Headers) -> Headers:
    """Return the headers with one Vary that names Accept-Encoding too."""
    varies = [value for name, value in headers if name == "Vary"]
    others = tuple(header for header in headers if header[0] != "Vary")
    return (*others, ("Vary", ", ".join(("Accept-Encoding", *varies))))


def _gzip(response: Response) -> bytes:
    compress = response.gzipped or (lambda: zlib.compress(response.body, COMPRESSION_LEVEL, _WINDOW))
    return waiting.aside(compress) if len(response.body) >= MIN_OFFLOADED_SIZE else compress()
