"""Endpoints and their operations. One definition serves an operation and documents it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from stratabase.domain.members.member import Caller
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.refusals import MethodNotAllowed
from stratabase.http_api.http.shape import ListShape, Shape
from stratabase.messages import _, or_list

Responder = Callable[[Request, Caller | None], Response]
"""Answers a request. The caller is None where the address is public."""


class ErrorFormat(Enum):
    """The body of an operation's refusals."""

    PROBLEM = "problem details in JSON or XML, as `format` says"
    PROBLEM_JSON = "problem details in JSON"
    TEXT = "a plain text"


@dataclass(frozen=True, slots=True)
class ResponseSpec:
    """What an operation answers with one status, as OpenAPI describes it.

    `body` is a shape (in JSON or XML, as the query's `format` says), shapes by media type, or only the name
    of a media type or of several. `headers` has descriptions by header name.
    """

    description: str
    body: Shape | ListShape | Mapping[str, Shape] | tuple[str, ...] | str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the query string, or of the path, where each one is required."""

    description: str
    required: bool = False
    example: str | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """What one method does at an address.

    `id`, `summary` and `responses` (by status) are for the OpenAPI document. The statuses that every
    operation may answer (401 where the address is protected, 405, 503 and so on) the document adds by itself.
    """

    respond: Responder
    id: str
    summary: str
    responses: Mapping[int, ResponseSpec] = field(default_factory=dict)
    body: Shape | Mapping[str, Shape] | None = None
    """The body that it reads: a shape (in JSON or XML, as `format` says), or shapes by media type.

    Without one, the body of a request is ignored.
    """
    query: Mapping[str, Parameter] = field(default_factory=dict)
    error_format: ErrorFormat = ErrorFormat.PROBLEM
    has_format: bool = True
    """Whether the query's `format` chooses between JSON and XML."""
    authorize: Callable[[Request, Caller], None] | None = None
    """Raises Forbidden for callers who may not do this, whatever is in the body: then it is not read."""
    max_body_size: int | None = 64 * 1024
    """Bytes; None: no limit but the gateway's."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What answers at an address: an operation for each method.

    `parameters` describes the parameters of the path. `head` says whether HEAD is answered as GET is, which
    is wrong where a GET changes something. The address itself stands in `stratabase.bootstrap.routes`.
    """

    operations: Mapping[str, Operation]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    head: bool = True

    @property
    def allowed_methods(self) -> tuple[str, ...]:
        """The methods that are answered, HEAD and OPTIONS among them."""
        head = ("HEAD",) if self._answers_head() else ()
        return tuple(dict.fromkeys((*self.operations, *head, "OPTIONS")))

    def operation(self, method: str) -> Operation:
        """Return the operation that answers a method. Raises MethodNotAllowed."""
        operation = self._operation(method)
        if operation is None:
            message = _(
                "The method {method} is not supported at this address. Use {methods}.",
                method=method,
                methods=or_list(self.allowed_methods),
            )
            raise MethodNotAllowed(message, self.allowed_methods)
        return operation

    def may_write(self, method: str) -> bool:
        """Return whether a method may change something."""
        return method not in ("GET", "HEAD") or not self.head

    def error_format(self, method: str) -> ErrorFormat:
        """Return the body of a method's refusals; an unknown method is refused as the known ones are."""
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
    """Return whether an address (a path, or a route's template) is for members only."""
    return address == "/auth" or address.startswith("/auth/")
