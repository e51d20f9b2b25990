"""The HTTP messages that endpoints receive and return: requests and responses."""

from collections.abc import Callable, Mapping
from dataclasses import field

from stratabase.frozen import frozen

Headers = tuple[tuple[str, str], ...]
"""Pairs of header name and value. A name can occur more than once."""


@frozen
class Request:
    """An HTTP request.

    `resource` is the template of the route (`/auth/api/graphql/{application}`). `parameters` has the decoded
    values of its parameters. `headers` and `query` have all values by name, in their original order. Header
    names are in lower case. `base_url` is the root URL of all links, without a trailing slash.
    """

    method: str
    path: str
    resource: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    query: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    body: bytes = b""
    trace_id: str = ""
    """The id of the request in the log: the gateway's request id."""
    source_address: str = ""
    """The IP address of the client."""
    base_url: str = ""

    def header(self, name: str) -> str | None:
        """Return the last value of a header, or None. `name` must be in lower case."""
        values = self.headers.get(name)
        return values[-1] if values else None


@frozen
class Response:
    """An HTTP response. The body is UTF-8 text unless `binary` is set."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    binary: bool = False
    may_have_written: bool = False
    """Whether the request may have changed data in the store."""
    gzipped: Callable[[], bytes] | None = None
    """A function that returns the body compressed by gzip, if the compressed body is cached."""
