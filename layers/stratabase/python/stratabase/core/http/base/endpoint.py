"""Endpoints and their operations. The same definition serves an operation and documents it in OpenAPI."""

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import MethodNotAllowed
from stratabase.core.http.base.shape import ListShape, Shape
from stratabase.values.frozen import frozen
from stratabase.values.messages import _, or_list

Responder = Callable[[Request, Caller | None], Response]
"""Returns the response to a request. The caller is None if the address is public."""


class ErrorFormat(Enum):
    """The format of the error responses of an operation."""

    PROBLEM = "problem details in JSON or XML, as `format` says"
    PROBLEM_JSON = "problem details in JSON"
    TEXT = "a plain text"


@frozen
class ResponseSpec:
    """The description of an operation's response with one status, for OpenAPI.

    `body` is a shape (in JSON or XML, as the query parameter `format` selects), shapes by media type, one or
    more media types, or a combination of them. `headers` has descriptions by header name.
    """

    description: str
    body: (
        Shape
        | ListShape
        | Mapping[str, Shape]
        | tuple[str | Mapping[str, Shape | ListShape], ...]
        | str
        | None
    ) = None
    headers: Mapping[str, str] = field(default_factory=dict)


@frozen
class Parameter:
    """A parameter of the query string, of the path or in a header. Path parameters are always required."""

    description: str
    required: bool = False
    example: str | None = None


@frozen
class Operation:
    """One HTTP method at an address.

    `id`, `summary` and `responses` (by status) are for the OpenAPI document. The document adds the statuses
    that all operations share, such as 401 and 503.
    """

    respond: Responder
    id: str
    summary: str
    responses: Mapping[int, ResponseSpec] = field(default_factory=dict)
    body: Shape | Mapping[str, Shape] | tuple[str | Mapping[str, Shape], ...] | str | None = None
    """The body of the request: a shape (in JSON or XML, as `format` selects), shapes by media type, one or
    more media types without shape, or a combination of them.

    If it is None, the operation ignores the body of a request.
    """
    query: Mapping[str, Parameter] = field(default_factory=dict)
    headers: Mapping[str, Parameter] = field(default_factory=dict)
    """The request headers of this operation in particular."""
    error_format: ErrorFormat = ErrorFormat.PROBLEM
    has_format: bool = True
    """Whether the query parameter `format` selects JSON or XML."""
    authorize: Callable[[Request, Caller], None] | None = None
    """Raises Forbidden for callers who may never use this operation. It runs before the body is read."""
    max_body_size: int | None = 64 * 1024
    """The maximum size of the body in bytes. None means that only the limit of all requests applies."""


@frozen
class Endpoint:
    """The operations at one address, by method.

    `parameters` has the path parameters by name. `head` says whether the endpoint answers HEAD like GET. It
    must be false if a GET changes data. `headers` returns further headers of all responses at the address,
    errors and OPTIONS included. `stratabase.core.app.routes` assigns the address.
    """

    operations: Mapping[str, Operation]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    head: bool = True
    headers: Callable[[Request], Headers] | None = None

    @property
    def allowed_methods(self) -> tuple[str, ...]:
        """The supported methods, including HEAD and OPTIONS."""
        head = ("HEAD",) if self._answers_head() else ()
        return tuple(dict.fromkeys((*self.operations, *head, "OPTIONS")))

    def operation(self, method: str) -> Operation:
        """Return the operation of a method. Raises MethodNotAllowed."""
        operation = self.operations.get(method) or self._operation(method)
        if operation is None:
            message = _(
                "The method {method} is not supported at this address. Use {methods}.",
                method=method,
                methods=or_list(self.allowed_methods),
            )
            raise MethodNotAllowed(message, self.allowed_methods)
        return operation

    def may_write(self, method: str) -> bool:
        """Return whether a method may change data."""
        return method not in ("GET", "HEAD") or not self.head

    def error_format(self, method: str) -> ErrorFormat:
        """Return the format of a method's error responses. An unsupported method gets problem details."""
        operation = self._operation(method)
        if operation is not None:
            return operation.error_format
        has_format = any(operation.has_format for operation in self.operations.values())
        return ErrorFormat.PROBLEM if has_format else ErrorFormat.PROBLEM_JSON

    def _operation(self, method: str) -> Operation | None:
        return self.operations.get("GET" if method == "HEAD" and self._answers_head() else method)

    def _answers_head(self) -> bool:
        return self.head and "GET" in self.operations and "HEAD" not in self.operations


def is_protected(address: str) -> bool:
    """Return whether an address (a path or a route's template) requires authentication."""
    return address == "/auth" or address.startswith("/auth/")
