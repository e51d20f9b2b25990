"""What the edge asks of the schema room: one GraphQL request in, one JSON response out."""

from collections.abc import Mapping
from typing import Any, Protocol

from stratabase.domain.issues.refusals import Refusal
from stratabase.domain.members.member import Caller
from stratabase.frozen import frozen


@frozen
class Answer:
    """A GraphQL response."""

    body: bytes
    """JSON in UTF-8."""
    began: bool = True
    """The execution began: the document, the operation's name and the variables were good."""
    mutated: bool = False
    """It is the answer to a mutation that began, which may have written."""


class QueriesOnly(Refusal):
    """A mutation, where only queries are answered."""


class Executor(Protocol):
    """Answers GraphQL requests to one application."""

    def execute(  # noqa: PLR0913 - a GraphQL request, by whom, and how
        self,
        query: str,
        variables: Mapping[str, Any] | None,
        operation_name: str | None,
        caller: Caller,
        trace_id: str,
        *,
        queries_only: bool = False,
    ) -> Answer:
        """Do what a request asks; its mistakes are in the answer. Raises QueriesOnly, Unavailable."""
