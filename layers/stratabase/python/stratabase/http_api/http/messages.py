"""A request, as every endpoint sees it."""

from collections.abc import Callable, Mapping
from dataclasses import field

from stratabase.frozen import frozen


@frozen
class Request:
    """An HTTP request read from an API Gateway REST (v1) proxy event.

    `resource` is the route's template (`/auth/api/graphql/{application}`), `parameters` are its values,
    decoded; header names are in lower case, values in the order in which they came.
    """

    method: str
    path: str
    resource: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    query: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    body: bytes = b""
    trace_id: str = ""
    """The request's correlation id: the gateway's request id."""
    source_address: str = ""
    base_url: str = ""

    def header(self, name: str) -> str | None:
        """Return the last value of a header (`name` in lower case)."""
        values = self.headers.get(name)
        return values[-1] if values else None


@frozen
class Response:
    """An HTTP response; header names in their usual spelling, several of one name allowed."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    binary: bool = False
    """The body is not text, and travels as base64 to the gateway."""
    may_have_written: bool = False
    """It tells of what may have been written."""
    gzipped: Callable[[], bytes] | None = None
    """Returns the body as gzip has it, where that need not be made anew each time."""
