"""The record of a request that was answered, and the fields that all lines of logs have."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stratabase.core.observe import invocation_fields
from stratabase.core.usage import RequestUsage


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """What logs and metrics say about a request that was answered. It has no data from the client."""

    route: str
    """The template of the address, such as `/files/{id}`."""
    method: str
    trace_id: str
    status: int
    milliseconds: float
    usage: RequestUsage
    client: str = ""
    """The address of the client. Lines on Lambda do not have it."""

    def fields(self) -> dict[str, object]:
        """Return the fields that each line about the request has."""
        return {
            "route": self.route,
            "method": self.method,
            "traceId": self.trace_id,
            "status": self.status,
            "operations": self.usage.operations,
            **({"graphqlCore": self.usage.graphql_core} if self.usage.graphql_core else {}),
        }


def line_fields(
    message: str, service: str, fields: Mapping[str, object], now: float | None = None
) -> dict[str, Any]:
    """Return the fields of a line of a log at the level INFO. `now`: seconds since 1970."""
    return {
        "level": "INFO",
        "message": message,
        "timestamp": timestamp(now),
        "service": service,
        **invocation_fields(),
        **fields,
    }


def timestamp(now: float | None = None) -> str:
    """Return an instant, by default the current one, as logs write it."""
    now = time.time() if now is None else now
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03}Z"
