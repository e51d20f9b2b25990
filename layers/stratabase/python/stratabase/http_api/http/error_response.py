"""Problem details (RFC 9457): what went wrong, for a program and for a person."""

from collections.abc import Callable, Mapping
from http import HTTPStatus

from stratabase.http_api.http.body import BodyFormat, render_body, requested_format_or_json
from stratabase.http_api.http.endpoint import ErrorFormat
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.refusals import Headers
from stratabase.http_api.http.shape import Field, Shape

PROBLEM_SHAPE = Shape(
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


def problem_response(
    form: BodyFormat, request: Request, status: int, detail: str, headers: Headers = ()
) -> Response:
    """Return a response that says what went wrong."""
    fields = {
        "type": "about:blank",
        "title": _TITLES.get(status) or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "traceId": request.trace_id,
    }
    content_type = ("Content-Type", f"application/problem+{form.value}")
    return Response(status, (content_type, *headers), render_body(form, PROBLEM_SHAPE, fields))


TEXT = ("Content-Type", "text/plain; charset=utf-8")


def error_response(
    manner: ErrorFormat, request: Request, status: int, detail: str, headers: Headers = ()
) -> Response:
    """Return a response that says what went wrong, in the manner of the operation that refuses."""
    return _MANNERS[manner](request, status, _whole(detail), headers)


def text_response(status: int, said: str, headers: Headers = ()) -> Response:
    """Return a response that is a plain text."""
    return Response(status, (TEXT, *headers), said.encode())


def _asked(request: Request, status: int, detail: str, headers: Headers) -> Response:
    return problem_response(requested_format_or_json(request), request, status, detail, headers)


def _json(request: Request, status: int, detail: str, headers: Headers) -> Response:
    return problem_response(BodyFormat.JSON, request, status, detail, headers)


def _text(_: Request, status: int, detail: str, headers: Headers) -> Response:
    return text_response(status, detail, headers)


def _whole(detail: str) -> str:
    # Half of a surrogate pair may come in with an address; no encoding could carry it out again.
    return detail.encode("utf-8", "replace").decode()


_MANNERS: Mapping[ErrorFormat, Callable[[Request, int, str, Headers], Response]] = {
    ErrorFormat.PROBLEM: _asked,
    ErrorFormat.PROBLEM_JSON: _json,
    ErrorFormat.TEXT: _text,
}
