"""What logs say about a request: what it has done and used, the record of its answer, and common fields."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any

from stratabase.core.observe import invocation_fields
from stratabase.values.frozen import frozen

_MAX_OPERATIONS = 10
"""The number of operations of a request that its line names."""


class RequestUsage:
    """The usage of one request. Its threads share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.operations: list[str] = []
        """The names of the first operations."""
        self.refusals: Counter[str] = Counter()
        """The number of refusals by their types."""
        self.graphql_core: str | None = None
        """Why graphql-core executed the operation (a `Fallback`). None if it did not."""
        self.read_units = 0.0
        self.write_units = 0.0
        """The capacity units of DynamoDB, as its responses state them."""
        self.retries = 0
        self.conflicts = 0
        """Of the retries, those after a conflict with another transaction."""

    def add_operation(self, name: str) -> None:
        """Add the name of an operation that runs."""
        if len(self.operations) < _MAX_OPERATIONS:
            self.operations.append(name)

    def add_refusal(self, type_: str) -> None:
        """Count a refusal."""
        self.refusals[type_] += 1

    def add_retry(self, *, after_conflict: bool) -> None:
        """Count a retry of a request to a store."""
        with self._lock:
            self.retries += 1
            self.conflicts += after_conflict

    def add_capacity(self, consumed: Mapping[str, Any] | list[Mapping[str, Any]], *, writes: bool) -> None:
        """Add the consumed capacity of a response: that of one table, or a list for several."""
        each = consumed if isinstance(consumed, list) else [consumed]
        units = sum(float(one.get("CapacityUnits", 0)) for one in each)
        with self._lock:
            if writes:
                self.write_units += units
            else:
                self.read_units += units


_usage: ContextVar[RequestUsage | None] = ContextVar("usage", default=None)


@contextmanager
def record_usage() -> Iterator[RequestUsage]:
    """Record the usage of the code inside the `with` block."""
    usage = RequestUsage()
    token = _usage.set(usage)
    try:
        yield usage
    finally:
        _usage.reset(token)


current_usage: Callable[[], RequestUsage | None] = _usage.get
"""Returns the usage of the current request, None if it is not recorded."""


@frozen
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
