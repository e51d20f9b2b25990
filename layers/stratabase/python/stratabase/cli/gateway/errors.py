"""The limits of API Gateway and Lambda that the local gateway keeps too, and its errors.

`responses` words the errors as the GatewayResponses of template.yaml say.
"""

from enum import Enum

MAX_HEAD = 10_240
"""Bytes of request line and headers. API Gateway counts the values; here the whole head counts, so that what
passes here passes there."""

MAX_BODY = 10 * 1024 * 1024
"""Bytes of a request's body, as sent."""

MAX_EVENT = 6 * 1024 * 1024
"""Bytes of an event as JSON, with the body as base64: Lambda's limit on a synchronous request."""

MAX_RESULT = MAX_EVENT + 100
"""Bytes of what a function returns, as JSON: Lambda's limit on a synchronous response (its error text says
6291556)."""

INTEGRATION_TIMEOUT = 29.0
"""Seconds that a function may take."""


class ErrorType(Enum):
    """Why a request fails: API Gateway's name for it (a gateway response type), its status here, and a title.

    The first two have no name there: its front answers them before any API is known.
    """

    BAD_REQUEST = ("BAD_REQUEST", 400, "Bad Request")
    HEAD_TOO_LARGE = ("HEAD_TOO_LARGE", 431, "Request Header Fields Too Large")
    REQUEST_TOO_LARGE = ("REQUEST_TOO_LARGE", 413, "Content Too Large")
    NO_ROUTE = ("MISSING_AUTHENTICATION_TOKEN", 403, "Forbidden")
    MISCONFIGURED = ("API_CONFIGURATION_ERROR", 500, "Internal Server Error")
    FAILED = ("INTEGRATION_FAILURE", 502, "Bad Gateway")
    TIMEOUT = ("INTEGRATION_TIMEOUT", 504, "Gateway Timeout")

    def __init__(self, response_type: str, status: int, title: str) -> None:
        self.response_type = response_type
        self.status = status
        self.title = title


class GatewayError(Exception):
    """The gateway does not pass a request on, or a function's result back; the text is for the client."""

    def __init__(self, error_type: ErrorType, detail: str) -> None:
        super().__init__(detail)
        self.error_type = error_type
        self.detail = detail
