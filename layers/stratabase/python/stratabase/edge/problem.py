"""Problem details (RFC 9457): what went wrong, for a program and for a person."""

from http import HTTPStatus

from stratabase.edge.format import Format, asked_if_any, written
from stratabase.edge.refusals import Headers
from stratabase.edge.request import Request
from stratabase.edge.response import Response

NAMESPACE = "urn:ietf:rfc:7807"
"""RFC 9457 keeps the namespace of the RFC that it replaces."""


def problem(
    request: Request, status: int, detail: str, headers: Headers = (), *, rest: bool = True
) -> Response:
    """Return a response that says what went wrong, in the form that it asks for (not `rest`: JSON)."""
    form = asked_if_any(request) if rest else Format.JSON
    fields = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": _whole(detail),
        "traceId": request.trace_id,
    }
    content_type = ("Content-Type", f"application/problem+{form.value}")
    return Response(status, (content_type, *headers), written(form, "problem", fields, NAMESPACE))


def _whole(text: str) -> str:
    # Half of a surrogate pair may come in with an address; no encoding could carry it out again.
    return text.encode("utf-8", "replace").decode()
