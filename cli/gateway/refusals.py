"""What the gateway itself refuses, worded as template.yaml's GatewayResponses say."""

import json
from collections.abc import Mapping
from enum import Enum

from cli.gateway.reply import Reply, whole
from cli.gateway.template import GatewayResponse


class Kind(Enum):
    """Why a request is refused: API Gateway's name for it, its status here, and a title.

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


_BEFORE_ANY_API = frozenset({Kind.BAD_REQUEST, Kind.HEAD_TOO_LARGE})
"""What the template has no words for: its default would put our own name for the kind into the title."""


class Refused(Exception):
    """The gateway does not pass a request on, or an answer back; the text is for the client."""

    def __init__(self, kind: Kind, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail


class Refusals:
    """Turns refusals into replies."""

    def __init__(self, declared: Mapping[str, GatewayResponse]) -> None:
        self._declared = declared

    def reply(self, refused: Refused, request_id: str) -> Reply:
        """Return a problem (RFC 9457), in the template's words where it has some for this kind."""
        declared = self._declaration(refused.kind)
        if declared is None or declared.body is None:
            return problem(refused.kind, refused.detail, request_id)
        status = declared.status or refused.kind.status
        return whole(status, declared.headers.items(), _filled(declared.body, refused, request_id))

    def _declaration(self, kind: Kind) -> GatewayResponse | None:
        if kind in _BEFORE_ANY_API:
            return None
        default = f"DEFAULT_{kind.status // 100}XX"
        return self._declared.get(kind.response_type) or self._declared.get(default)


def problem(kind: Kind, detail: str, request_id: str) -> Reply:
    """Return the problem details of a refusal for which the template has no words."""
    body = {"type": "about:blank", "title": kind.title, "status": kind.status, "detail": detail}
    if request_id:
        body["traceId"] = request_id
    return whole(kind.status, [("Content-Type", "application/problem+json")], json.dumps(body))


def _filled(body: str, refused: Refused, request_id: str) -> str:
    """Put the variables of a response template in, those that our template uses."""
    return (
        body.replace("$context.error.messageString", json.dumps(refused.detail))
        .replace("$context.error.responseType", refused.kind.response_type)
        .replace("$context.requestId", request_id)
    )
