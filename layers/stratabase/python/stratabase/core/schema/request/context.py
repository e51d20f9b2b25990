"""The context of one GraphQL request, and the call of one of its services."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

from graphql import (
    GraphQLError,
    GraphQLResolveInfo,
    GraphQLSchema,
)

from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.access.visibility import check_class
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue, IssueType, Path
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.idempotency import IdempotencyRecord
from stratabase.core.domain.query.fetch import Fetch
from stratabase.core.domain.query.read_budget import Consumption, ReadBudget
from stratabase.core.domain.query.taken_plan import TakenPlan
from stratabase.core.model.model import Class
from stratabase.core.operations.context import ReadContext, Services, check_time, read_context
from stratabase.core.operations.write.options import BulkRecorder, CommitRecorder, WriteOptions, WriteOutcome
from stratabase.values.cel.environment import EvaluationContext
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.values.messages import Message, _

T = TypeVar("T")
LIGHT, FULL = "LIGHT", "FULL"
INSIGHT_ARGUMENT = "insight"


class InputContext(NamedTuple):
    """What reading input values depends on: formats, evaluation context, suggestions, and access."""

    formats: Formats = DEFAULT_FORMATS
    make_evaluation: Callable[[], EvaluationContext] = EvaluationContext
    """Makes the evaluation context, which only expressions need."""
    suggestions: bool = True
    """Whether messages suggest names ("did you mean")."""
    access: Access | None = None
    """The caller's rights. None means full access."""


class ProfileSchema:
    """What one profile sees of the schema. Profiles with equal capabilities share it."""

    def __init__(
        self,
        load: Callable[[], GraphQLSchema],
        access: Access | None = None,
        make_key: Callable[[], str] | None = None,
    ) -> None:
        """`load` returns the schema, and raises Refused if the profile may use no service.

        `access` is None for full access, and so is `make_key`, which returns what identifies the capabilities
        of the profile.
        """
        self.load = load
        self.access = access
        self.is_full = make_key is None
        self._make_key = make_key

    @cached_property
    def key(self) -> str:
        """What identifies the capabilities of the profile. It is empty for full access."""
        return "" if self._make_key is None else self._make_key()

    @property
    def is_served(self) -> bool:
        """Whether the profile may use any service."""
        try:
            self.load()
        except Refused:
            return False
        return True


class RootResults:
    """The results of the root fields of one request, by response key, so that each field runs only once."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._failures: dict[str, Exception] = {}

    def get_or_run(self, key: str, work: Callable[[], Any]) -> Any:
        """Return what `work` returns, or raise what it raises.

        A later call with the key repeats that result. Other requests may proceed before. Raises Unavailable
        after the deadline of the request.
        """
        if key in self._failures:
            raise self._failures[key]
        if key not in self._values:
            try:
                check_time()
                self._values[key] = work()
            except Exception as failure:
                self._failures[key] = failure
                raise
        return self._values[key]

    def keep(self, key: str, value: Any) -> None:
        """Let `get_or_run` return a value without work."""
        self._values[key] = value

    def has_failed_with(self, error: Exception) -> bool:
        """Return whether a field has failed with an exception."""
        return any(failure is error for failure in self._failures.values())


class Fallback(StrEnum):
    """Why graphql-core executes an operation, instead of the compiled one."""

    KEYED = "keyed"
    """The request has an idempotency key."""
    UNSUPPORTED = "unsupported"
    """The compiled operation does not do this, such as directives with variables, or errors beside data."""
    REFUSED = "refused"
    """A field or a variable is refused."""
    FAULT = "fault"
    """The compiled operation has failed. It is a fault of the service, which the log has."""


class Insight(NamedTuple):
    """The calls to the storage that one service made, and how detailed the answer reports them."""

    key: str
    """The response key of the service."""
    level: str
    """`LIGHT` for totals, `FULL` also for each call and plan."""
    consumed: tuple[Consumption, ...]
    plans: tuple[TakenPlan, ...] = ()
    """The plans of its queries, each once. Only a `FULL` insight has them."""


class ResponseWarning(NamedTuple):
    """A warning about a request that is answered, and the path of what it is about."""

    message: Message
    path: Path


class FieldRecorder(CommitRecorder, BulkRecorder, Protocol):
    """Records the commit of a field with its answer, which it renders before."""

    record: IdempotencyRecord | None
    """The record that was committed, if any."""
    source: Any
    """The source value of the recorded answer."""

    def prepare(self, call: "ServiceCall", show: Callable[[WriteOutcome | None], Any]) -> None:
        """Take the call of the field, and the function that returns the source value of an outcome."""


@dataclass(eq=False)
class GraphQLContext:
    """The services, the caller, the trace id, the read budget, and the results so far of one request."""

    services: Services
    caller: Caller
    trace_id: str
    read_budget: ReadBudget
    profile_schema: ProfileSchema
    """What the caller sees of the schema."""
    root_results: RootResults = field(default_factory=RootResults)
    errors: list[GraphQLError] = field(default_factory=list)
    """Errors of fields that have an answer all the same."""
    unreadable: dict[str, Sequence[GraphQLError]] = field(default_factory=dict)
    """By response key of a root field that has an answer: the errors of fields that the caller must not read.

    The answer has null in these fields.
    """
    insights: list[Insight] = field(default_factory=list)
    """The insights that the request asked for."""
    warnings: dict[ResponseWarning, None] = field(default_factory=dict)
    """The warnings of all root fields, in their order, each once."""
    current: dict[str, Any] = field(default_factory=dict)
    """By response key of a field that was refused: the source value that shows its object as it is now."""
    client_ids: dict[Reference, str] = field(default_factory=dict)
    """By object that the request has written so far: its client id."""
    mutates: bool = False
    """Whether the request is a mutation."""
    has_valid_variables: bool | None = None
    """Whether the variables of the request are right. None before they have been coerced."""
    suggestions: bool = True
    """Whether messages suggest names ("did you mean")."""
    base_url: str = ""
    """The root URL of all links, without a slash at its end."""
    fallback: Fallback = Fallback.UNSUPPORTED
    """Why graphql-core executes the operation, if it does."""
    recorder: FieldRecorder | None = None
    """What records the commit of the only root field, if the request has an idempotency key."""

    def fresh(self) -> "GraphQLContext":
        """Return a context for another execution of a part of the request, without results."""
        context = copy(self)
        context.root_results, context.recorder = RootResults(), None
        context.errors, context.unreadable, context.insights, context.warnings = [], {}, [], {}
        context.current = {}
        return context

    def add_warnings(self, key: str, warnings: Iterable[ResponseWarning]) -> None:
        """Add the warnings of the root field with this response key, whose paths begin below it."""
        for warning in warnings:
            self.warnings[warning._replace(path=(key, *warning.path))] = None

    def add_unreadable(self, key: str, errors: Iterable[GraphQLError]) -> None:
        """Add the errors of fields that the caller must not read, below the root field with this key."""
        if found := tuple(errors):
            self.unreadable[key] = found

    @cached_property
    def read_context(self) -> ReadContext:
        """The context of all reads. Its instant is that of the first access."""
        context = read_context(self.services, self.caller, self.read_budget)
        context.access = self.profile_schema.access
        return context

    @property
    def evaluation(self) -> EvaluationContext:
        """The evaluation context of all expressions in the request."""
        return self.read_context.evaluation

    @property
    def input_context(self) -> InputContext:
        """What reading the input values of the request depends on."""
        return InputContext(self.caller.formats, lambda: self.evaluation, self.suggestions, self.access)

    @property
    def access(self) -> Access | None:
        """The caller's rights. None means full access."""
        return self.profile_schema.access


class ServiceCall(NamedTuple):
    """One call of a service: its response key, its coerced arguments, and what is selected of its answer."""

    context: GraphQLContext
    key: str
    arguments: Mapping[str, Any]
    selected: frozenset[str]
    """The names of the fields that are selected directly below."""
    fetch: Fetch
    """What to fetch of the objects that the answer shows."""
    unset_variables: Callable[[], Sequence[tuple[str, Path]]] = tuple
    """Returns the arguments' variables that have no value: for each, its name and its path in the
    arguments."""
    unreadable_errors: Callable[[], Iterable[GraphQLError]] = tuple
    """Returns the errors of the selected fields that the caller must not read."""


def commit_and_show(
    call: ServiceCall,
    options: WriteOptions,
    write: Callable[[WriteOptions], T],
    show: Callable[[T], Any],
    result_of: Callable[[Any], T],
) -> Any:
    """Return the source value of a field that writes.

    `write` commits the write, and returns its result. `show` returns the source value of a result. With an
    idempotency key, it runs before the commit, so that the commit can keep the answer. `result_of` returns
    what `write` would return for a WriteOutcome, or for None if the write has none.
    """
    recorder = call.context.recorder
    if recorder is None:
        return show(write(options))
    recorder.prepare(call, lambda outcome: show(result_of(outcome)))
    result = write(options._replace(recorder=recorder))
    return show(result) if recorder.record is None else recorder.source


class ResultWithIssues(NamedTuple):
    """An answer, and the refusal whose issues the response reports beside it."""

    source: Any
    refusal: Refused


ServiceResolver = Callable[[ServiceCall], Any]
"""Returns the source value of a service's answer to a call."""
RESOLVER = "resolver"
"""The key in the `extensions` of a root field for its `ServiceResolver`. Every executor calls this."""
ResolveInfo = GraphQLResolveInfo[GraphQLContext]
"""The argument of resolvers in which graphql-core passes the context."""


def run_all(*steps: Callable[[], Any]) -> list[Any]:
    """Return the result of each step. Raises Refused with the issues of all steps that refuse."""
    results: list[Any] = []
    issues: list[Issue] = []
    for step in steps:
        try:
            results.append(step())
        except Refused as refusal:
            issues += refusal.issues
    if issues:
        raise Refused(issues)
    return results


def require_class_access(class_: Class, resolver: ServiceResolver) -> ServiceResolver:
    """Return a resolver that first refuses callers who may not read objects of the class."""

    def resolve(call: ServiceCall) -> object:
        access = call.context.access
        if access is not None:
            raise_issues([check_class(access, class_)])
        return resolver(call)

    return resolve


def raise_issues(issues: Iterable[Issue | None]) -> None:
    """Raise Refused if there are any issues. None stands for no issue."""
    if found := [issue for issue in issues if issue is not None]:
        raise Refused(found)


def measure_when_asked(resolver: ServiceResolver) -> ServiceResolver:
    """Return a resolver that also records calls to the storage if the argument `insight` asks for it."""

    def resolve(call: ServiceCall) -> Any:
        level = call.arguments.get(INSIGHT_ARGUMENT)
        return resolver(call) if level is None else _measured(resolver, call, level)

    return resolve


def _measured(resolver: ServiceResolver, call: ServiceCall, level: str) -> Any:
    context = call.context
    if not context.caller.administrator:
        raise Refused([_for_administrators_only()])
    consumed: list[Consumption] = []
    plans: list[TakenPlan] = []
    recording = context.services.recording_plans(plans.append) if level == FULL else nullcontext()
    try:
        with context.services.measuring(consumed.append), recording:
            return resolver(call)
    finally:
        # A call that fails has consumed capacity too. The pages of a role can take the same plan many times.
        taken = tuple(dict.fromkeys(plans))
        context.insights.append(Insight(call.key, level, tuple(consumed), taken))


def _for_administrators_only() -> Issue:
    message = _("Only administrators can use {argument}. Remove it.", argument=INSIGHT_ARGUMENT)
    return Issue(IssueType.APPLICATION_ACCESS_FORBIDDEN, message, path=(INSIGHT_ARGUMENT,))
