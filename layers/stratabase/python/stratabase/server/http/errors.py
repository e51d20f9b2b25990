"""The limits of requests, and the errors with which the server answers what no endpoint gets.

The limits are those of API Gateway and Lambda, or a little lower. So what the server accepts also passes on
AWS.
"""

from http import HTTPStatus

MAX_HEAD = 10_240
"""The maximum size of the request line and headers in bytes. API Gateway counts only the values."""

_MAX_EVENT = 6 * 1024 * 1024
"""Lambda's limit of a request in bytes of JSON, with the body in base64."""
_MAX_BESIDE_BODY = 16 * MAX_HEAD
"""An upper bound of the bytes of a request in JSON without its body. It has a head up to four times, partly
escaped."""
MAX_BODY = (_MAX_EVENT - _MAX_BESIDE_BODY) // 4 * 3
"""The maximum size of a request body in bytes."""

BODY_TIMEOUT = 120.0
"""The seconds within which the whole body of a request must arrive."""

TIME_LIMIT = 29.0
"""The seconds after which the server stops waiting for the response of an endpoint, as API Gateway does."""

BUSY_SECONDS = 5
"""The seconds after which the server tells clients to try again, if it is busy."""

CONNECTION_ERRORS = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_TIMEOUT})
"""The errors after which the next bytes on the connection cannot be interpreted."""


class HttpError(Exception):
    """The server refuses a request, or has no response to it. `detail` is for the client."""

    def __init__(self, status: HTTPStatus, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


def body_too_large() -> HttpError:
    """Return the error of a body that is too large."""
    text = (
        f"The body has more than the maximum of {MAX_BODY} bytes, about 4.4 MB. "
        "Upload a larger file with the tus protocol, in chunks of at most 4 MiB."
    )
    return HttpError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text)
