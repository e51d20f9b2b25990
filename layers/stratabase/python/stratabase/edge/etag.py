"""Answers that a client may keep, as long as it asks whether they have changed."""

from hashlib import sha256

from stratabase.edge.request import Request
from stratabase.edge.response import Response


def answer(request: Request, content_type: str, body: bytes) -> Response:
    """Return a response with a tag of its body, or 304 when the request has that tag."""
    tag = f'"{sha256(body).hexdigest()[:32]}"'
    headers = (("ETag", tag), ("Cache-Control", "no-cache"))
    if _has(request, tag):
        return Response(304, headers)
    return Response(200, (("Content-Type", content_type), *headers), body)


def _has(request: Request, tag: str) -> bool:
    # RFC 9110 section 13.1.2: compared weakly, since a proxy may have compressed what it passed on.
    kept = ",".join(request.headers.get("if-none-match", ()))
    return any(name.strip().removeprefix("W/") in (tag, "*") for name in kept.split(","))
