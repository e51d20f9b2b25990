"""The port through which HTTP executes GraphQL: one GraphQL request in, one JSON response out."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.domain.objects.idempotency import IdempotencyKey
from stratabase.values.frozen import frozen


@frozen
class GraphQLResponse:
    """A GraphQL response."""

    body: bytes
    """JSON in UTF-8."""
    began: bool = True
    """Whether the execution began. If not, the document, the operation name or the variables were wrong."""
    mutated: bool = False
    """Whether a mutation began, which may have written."""
    replayed: bool = False
    """Whether this is the answer to an earlier request with the same idempotency key."""
    gzipped: bytes | None = None
    """The body compressed by gzip, if it is known."""


class QueriesOnly(Refusal):
    """The request contains a mutation, but only queries are allowed."""


class Executor(Protocol):
    """Executes the GraphQL requests to one application."""

    def execute(  # noqa: PLR0913 - a GraphQL request, by whom, and how
        self,
        query: str,
        variables: Mapping[str, Any] | None,
        operation_name: str | None,
        caller: Caller,
        trace_id: str,
        *,
        base_url: str = "",
        queries_only: bool = False,
        read_key: Callable[[], IdempotencyKey] | None = None,
    ) -> GraphQLResponse:
        """Execute a request, and return its response, errors included.

        `base_url` is the root URL of all links in the response, without a slash at its end. `read_key`
        returns the idempotency key of the request, if it has one, or raises a Refusal. It is called only for
        a mutation.

        Raises QueriesOnly, IdempotencyKeyReused, Unavailable.
        """
