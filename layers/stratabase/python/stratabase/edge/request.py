"""A request, as every endpoint sees it."""

from collections.abc import Mapping
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
