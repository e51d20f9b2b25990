"""Cacheable responses with an ETag, and conditional requests (RFC 9110 section 13)."""

from collections.abc import Callable
from hashlib import sha256

from stratabase.core.http.base.messages import Request, Response


def cacheable_response(
    request: Request,
    content_type: str,
    body: bytes,
    cache_control: str = "no-cache",
    gzipped: Callable[[], bytes] | None = None,
) -> Response:
    """Return a response with an ETag of the body, or status 304 if the client has the same version.

    `gzipped()` returns the compressed body if the caller has it.
    """
    # A weak tag is valid for both the plain and the compressed body.
    tag = f'W/"{sha256(body).hexdigest()[:32]}"'
    headers = (("ETag", tag), ("Cache-Control", cache_control))
    if _matches(request, tag):
        return Response(304, headers)
    return Response(200, (("Content-Type", content_type), *headers), body, gzipped=gzipped)


def _matches(request: Request, tag: str) -> bool:
    # RFC 9110 section 13.1.2 requires weak comparison.
    cached = ",".join(request.headers.get("if-none-match", ())).split(",")
    return any(each.strip().removeprefix("W/") in (tag.removeprefix("W/"), "*") for each in cached)
