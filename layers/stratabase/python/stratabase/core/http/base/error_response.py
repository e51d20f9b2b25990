"""Error responses: problem details (RFC 9457) in JSON or XML, or plain text."""

from http import HTTPStatus

from stratabase.core.http.base.body import BodyFormat, render_body, requested_format_or_json
from stratabase.core.http.base.endpoint import ErrorFormat
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import CHECKSUM_MISMATCH
from stratabase.core.http.base.shape import Field, Shape

PROBLEM_SHAPE = Shape(
    "problem",
    {
        "type": Field("The type of the problem. `about:blank`: see the status.", required=True),
        "title": Field("The status in words.", required=True, example="Bad Request"),
        "status": Field("The status.", "integer", example=400),
        "detail": Field(
            "What is wrong, and how to correct it, in the language of the member or of Accept-Language.",
            required=True,
        ),
        "traceId": Field("The ID of the request in the log of the service."),
    },
    # RFC 9457 keeps the namespace of RFC 7807, which it replaces.
    namespace="urn:ietf:rfc:7807",
)

_TITLES = {413: "Content Too Large", CHECKSUM_MISMATCH: "Checksum Mismatch"}
"""Titles by status, for statuses that Python does not know, or knows by a phrase older than RFC 9110."""


def error_response(
    error_format: ErrorFormat, request: Request, status: int, detail: str, headers: Headers = ()
) -> Response:
    """Return an error response in the error format of an operation. `detail` is the text for the client."""
    # The detail may quote a lone surrogate from the request, which cannot be encoded as UTF-8.
    detail = detail.encode("utf-8", "replace").decode()
    if error_format is ErrorFormat.TEXT:
        return text_response(status, detail, headers)
    is_json = error_format is ErrorFormat.PROBLEM_JSON
    body_format = BodyFormat.JSON if is_json else requested_format_or_json(request)
    fields = {
        "type": "about:blank",
        "title": _TITLES.get(status) or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "traceId": request.trace_id,
    }
    content_type = ("Content-Type", f"application/problem+{body_format.value}")
    return Response(status, (content_type, *headers), render_body(body_format, PROBLEM_SHAPE, fields))


def text_response(status: int, text: str, headers: Headers = ()) -> Response:
    """Return a plain text response."""
    return Response(status, (("Content-Type", "text/plain; charset=utf-8"), *headers), text.encode())
