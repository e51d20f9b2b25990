"""The limits of API Gateway and Lambda that the local gateway enforces, and its errors.

`responses` renders the errors with the GatewayResponses of template.yaml.
"""

from enum import Enum

MAX_HEAD = 10_240
"""The maximum size of the request line and headers in bytes. API Gateway counts only the values. The local
gateway counts everything, so that what it accepts also passes on AWS."""

MAX_BODY = 10 * 1024 * 1024
"""The maximum size of a request body in bytes."""

MAX_EVENT = 6 * 1024 * 1024
"""Lambda's limit of a synchronous request: the bytes of an event as JSON, with the body in base64."""

ADVICE = "Upload a larger file with the tus protocol, in chunks of at most 4 MiB."
"""What a client can do if a request is too large."""

MAX_RESULT = MAX_EVENT + 100
"""Lambda's limit of a synchronous response: the bytes of a function's result as JSON. Lambda's own error
message gives 6291556."""

BODY_TIMEOUT = 120.0
"""The seconds within which the whole body of a request must arrive."""

INTEGRATION_TIMEOUT = 29.0
"""The seconds after which the gateway stops waiting for a function."""


class ErrorType(Enum):
    """A type of gateway error: API Gateway's gateway response type, the status, and the title.

    API Gateway has no response type for the first four: it rejects such requests before it knows the API, or
    has no such limit.
    """

    BAD_REQUEST = ("BAD_REQUEST", 400, "Bad Request")
    BODY_TIMEOUT = ("BODY_TIMEOUT", 408, "Request Timeout")
    HEAD_TOO_LARGE = ("HEAD_TOO_LARGE", 431, "Request Header Fields Too Large")
    BUSY = ("BUSY", 503, "Service Unavailable")
    REQUEST_TOO_LARGE = ("REQUEST_TOO_LARGE", 413, "Content Too Large")
    NO_ROUTE = ("MISSING_AUTHENTICATION_TOKEN", 403, "Forbidden")
    MISCONFIGURED = ("API_CONFIGURATION_ERROR", 500, "Internal Server Error")
    FAILED = ("INTEGRATION_FAILURE", 502, "Bad Gateway")
    TIMEOUT = ("INTEGRATION_TIMEOUT", 504, "Gateway Timeout")

    def __init__(self, response_type: str, status: int, title: str) -> None:
        self.response_type = response_type
        self.status = status
        self.title = title


BUSY_SECONDS = 5
"""The seconds after which the gateway tells clients to try again, if it is busy."""

CONNECTION_ERRORS = frozenset({ErrorType.BAD_REQUEST, ErrorType.BODY_TIMEOUT})
"""The errors after which the next bytes on the connection cannot be interpreted."""


class GatewayError(Exception):
    """The gateway rejects a request, or cannot return a function's result. `detail` is for the client."""

    def __init__(self, error_type: ErrorType, detail: str) -> None:
        super().__init__(detail)
        self.error_type = error_type
        self.detail = detail
