"""Problem details (RFC 9457): what went wrong, for a program and for a person."""

from http import HTTPStatus

from stratabase.edge.format import Format, written
from stratabase.edge.refusals import Headers
from stratabase.edge.request import Request
from stratabase.edge.response import Response
from stratabase.edge.shape import Field, Shape

PROBLEM = Shape(
    "problem",
    {
        "type": Field("What kind of problem it is; `about:blank`: see the status.", required=True),
        "title": Field("The status in words.", required=True, example="Bad Request"),
        "status": Field("The status.", "integer", example=400),
        "detail": Field("What went wrong, and what would be right.", required=True),
        "traceId": Field("The id of the request, which the service's log names too."),
    },
    # RFC 9457 keeps the namespace of the RFC that it replaces.
    namespace="urn:ietf:rfc:7807",
)

_TITLES = {413: "Content Too Large"}
"""What RFC 9110 calls a status that Python before 3.13 calls otherwise."""


def problem(form: Format, request: Request, status: int, detail: str, headers: Headers = ()) -> Response:
    """Return a response that says what went wrong."""
    fields = {
        "type": "about:blank",
        "title": _TITLES.get(status) or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "traceId": request.trace_id,
    }
    content_type = ("Content-Type", f"application/problem+{form.value}")
    return Response(status, (content_type, *headers), written(form, PROBLEM, fields))
