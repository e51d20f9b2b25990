"""Responses with an ETag, which a client may cache (RFC 9110 section 13)."""

from collections.abc import Callable
from hashlib import sha256

from stratabase.http_api.http.messages import Request, Response


def cacheable_response(
    request: Request,
    content_type: str,
    body: bytes,
    cache_control: str = "no-cache",
    gzipped: Callable[[], bytes] | None = None,
) -> Response:
    """Return a response with a tag of its body, or 304 without a body when the request has that tag."""
    # A weak tag holds for the body as it is and for the body compressed.
    tag = f'W/"{sha256(body).hexdigest()[:32]}"'
    headers = (("ETag", tag), ("Cache-Control", cache_control))
    if _matches(request, tag):
        return Response(304, headers)
    return Response(200, (("Content-Type", content_type), *headers), body, gzipped=gzipped)


def _matches(request: Request, tag: str) -> bool:
    # RFC 9110 section 13.1.2: compared weakly, whatever a proxy has made of the tag.
    cached = ",".join(request.headers.get("if-none-match", ())).split(",")
    return any(each.strip().removeprefix("W/") in (tag.removeprefix("W/"), "*") for each in cached)
