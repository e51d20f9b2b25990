"""What one method does at an address: one definition, which serves it and documents it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from stratabase.domain.member import Caller
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.refusals import MethodNotAllowed
from stratabase.http_api.http.shape import ListShape, Shape

Responder = Callable[[Request, Caller | None], Response]
"""Answers a request; the caller is known wherever the address is protected."""


class ErrorFormat(Enum):
    """In what form an operation says why it refuses."""

    PROBLEM = "problem details in the form that `format` chooses"
    PROBLEM_JSON = "problem details in JSON"
    TEXT = "a plain text"


@dataclass(frozen=True, slots=True)
class ResponseSpec:
    """A status that an operation answers, and what its body is.

    A shape in JSON or XML as `format` says, shapes by media type, or just one media type or several.
    """

    description: str
    body: Shape | ListShape | Mapping[str, Shape] | tuple[str, ...] | str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """What the headers of the answer are for, by their names."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the query or of the address (which is always required)."""

    description: str
    required: bool = False
    example: str | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of an address.

    `answers` are the statuses that are its own: those that every operation may answer (401 where it is
    protected, 405, 503 and so on) the OpenAPI document adds by itself.
    """

    respond: Responder
    id: str
    summary: str
    responses: Mapping[int, ResponseSpec] = field(default_factory=dict)
    body: Shape | Mapping[str, Shape] | None = None
    """The body that it reads: a shape in JSON or XML as `format` says, or shapes by media type.

    Where there is none, whatever body a request has is passed over.
    """
    query: Mapping[str, Parameter] = field(default_factory=dict)
    error_format: ErrorFormat = ErrorFormat.PROBLEM
    has_format: bool = True
    """Whether the query's `format` chooses the form of its bodies."""
    authorize: Callable[[Request, Caller], None] | None = None
    """Raises Forbidden for callers who may not do this whatever is in the body, which is not read then."""
    max_body_size: int | None = 64 * 1024
    """The most bytes of a body; None: as many as arrive."""


def is_protected(address: str) -> bool:
    """Return whether an address (or a route's template) is answered only to members."""
    return address == "/auth" or address.startswith("/auth/")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A route's template, and an operation for each method that it knows.

    `head`: GET answers HEAD too, which is wrong where a GET does something.
    """

    resource: str
    operations: Mapping[str, Operation]
    head: bool = True
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """What the parameters of the template are."""

    @property
    def protected(self) -> bool:
        """Whether it is for members only."""
        return is_protected(self.resource)

    @property
    def allowed_methods(self) -> tuple[str, ...]:
        """The methods that the address knows, OPTIONS among them."""
        head = ("HEAD",) if self._answers_head() else ()
        return tuple(dict.fromkeys((*self.operations, *head, "OPTIONS")))

    def operation(self, method: str) -> Operation:
        """Return what answers a method. Raises MethodNotAllowed."""
        operation = self._operation(method)
        if operation is None:
            allowed = ", ".join(self.allowed_methods)
            raise MethodNotAllowed(f"{method} is not possible here; {allowed} are.", self.allowed_methods)
        return operation

    def may_write(self, method: str) -> bool:
        """Return whether a method may do more than read."""
        return method not in ("GET", "HEAD") or not self.head

    def error_format(self, method: str) -> ErrorFormat:
        """Return in what form a method is refused; one that the address does not know, as its others are."""
        operation = self._operation(method)
        if operation is not None:
            return operation.error_format
        formatted = any(operation.has_format for operation in self.operations.values())
        return ErrorFormat.PROBLEM if formatted else ErrorFormat.PROBLEM_JSON

    def _operation(self, method: str) -> Operation | None:
        return self.operations.get("GET" if method == "HEAD" and self._answers_head() else method)

    def _answers_head(self) -> bool:
        return self.head and "GET" in self.operations and "HEAD" not in self.operations
