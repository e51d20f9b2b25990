"""Answers that a client may keep: for some time, or as long as it asks whether they have changed."""

from collections.abc import Callable
from hashlib import sha256

from stratabase.http_api.http.messages import Request, Response


def cacheable_response(
    request: Request,
    content_type: str,
    body: bytes,
    cache: str = "no-cache",
    compressed: Callable[[], bytes] | None = None,
) -> Response:
    """Return a response with a tag of its body, or 304 when the request has that tag."""
    # A weak one, which holds for the body as it is and for the body compressed.
    tag = f'W/"{sha256(body).hexdigest()[:32]}"'
    headers = (("ETag", tag), ("Cache-Control", cache))
    if _has(request, tag):
        return Response(304, headers)
    return Response(200, (("Content-Type", content_type), *headers), body, gzipped=compressed)


def _has(request: Request, tag: str) -> bool:
    # RFC 9110 section 13.1.2: compared weakly, whatever a proxy has made of the tag.
    kept = ",".join(request.headers.get("if-none-match", ()))
    return any(_opaque(name) in (_opaque(tag), "*") for name in kept.split(","))


def _opaque(tag: str) -> str:
    return tag.strip().removeprefix("W/")
