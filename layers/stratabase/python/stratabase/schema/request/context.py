"""Who asks, as far as it depends on that what the request means."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from graphql import GraphQLError, GraphQLResolveInfo

from stratabase.domain.access.grants import Access
from stratabase.domain.issues.issue import Issue, Path
from stratabase.domain.members.member import Caller
from stratabase.domain.objects.entity import Reference
from stratabase.domain.query.consumption import Consumption
from stratabase.domain.query.fetch import Fetch
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.expressions.environment import EvaluationContext
from stratabase.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.operations.context import RequestContext, request_context
from stratabase.operations.services import Services


class InputContext(NamedTuple):
    """How values are written, what conditions know beside objects, whether mistakes say "did you mean"."""

    formats: Formats = DEFAULT_FORMATS
    evaluation: EvaluationContext = EvaluationContext()
    suggestions: bool = True
    access: Access | None = None
    """What who asks may do; None for everything."""


class RootResults:
    """What the root fields of one request came to, by response key, so that none of them is done twice."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._failures: dict[str, Exception] = {}

    def get_or_run(self, key: str, work: Callable[[], Any]) -> Any:
        """Return what `work` returns, or raise what it raises; the same again when it was done before."""
        if key in self._failures:
            raise self._failures[key]
        if key not in self._values:
            try:
                self._values[key] = work()
            except Exception as failure:
                self._failures[key] = failure
                raise
        return self._values[key]


class Insight(NamedTuple):
    """What one service asked of the storage: its response key, and how much is to be told of that."""

    key: str
    level: str
    consumed: tuple[Consumption, ...]


@dataclass(eq=False)
class Context:
    """The services, the caller, the trace id and the read budget of one request."""

    services: Services
    caller: Caller
    trace_id: str
    read_budget: ReadBudget
    root_results: RootResults = field(default_factory=RootResults)
    errors: list[GraphQLError] = field(default_factory=list)
    """What is wrong with fields that are answered in spite of it, each at its place in the document."""
    insights: list[Insight] = field(default_factory=list)
    """What services asked of the storage that are to tell."""
    client_ids: dict[Reference, str] = field(default_factory=dict)
    """What the client calls the objects that the request has written so far."""
    mutates: bool = False
    """It is a mutation."""
    suggestions: bool = True
    """Whether mistakes say "did you mean"."""

    @cached_property
    def request(self) -> RequestContext:
        """What all reading for the request shares, from the instant on at which it is first asked for."""
        return request_context(self.services, self.caller, self.read_budget)

    @property
    def evaluation(self) -> EvaluationContext:
        """What expressions know of the request, the same for all of it."""
        return self.request.evaluation

    @property
    def input_context(self) -> InputContext:
        """On what it depends how the texts and values are read that the request gives."""
        return InputContext(self.caller.formats, self.evaluation, self.suggestions, self.access)

    @property
    def access(self) -> Access | None:
        """What the caller may do; None for everything."""
        return self.request.access


class Call(NamedTuple):
    """One call of a service: its response key, its arguments, coerced, and what is selected of its answer."""

    context: Context
    key: str
    arguments: Mapping[str, Any]
    selected: frozenset[str]
    """The names of the fields selected directly below."""
    fetch: Fetch
    """The roles that are wanted of the objects that it shows."""
    unset_variables: Callable[[], Sequence[tuple[str, Path]]] = tuple
    """Returns the variables without a value that its arguments name, each with its place in them."""


class PartialAnswer(NamedTuple):
    """What a service answers in spite of issues, which are told beside it."""

    source: Any
    issues: Sequence[Issue]


Answer = Callable[[Call], Any]
"""Answers a call of a service."""

ANSWER = "answer"
"""The extension of a root field that holds its `Answer`, for whoever executes the field."""

ResolveInfo = GraphQLResolveInfo[Context]
"""What graphql-core gives to a resolver beside its source and arguments."""
