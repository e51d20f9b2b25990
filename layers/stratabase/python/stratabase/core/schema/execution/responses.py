"""Render the response of a request: its data, errors and extensions as JSON.

The extension `insight` has the cost of the calls to the storage that the argument of that name asks for.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import Any

import orjson
from graphql import (
    ExecutionResult,
    GraphQLError,
)

from stratabase.core import waiting
from stratabase.core.domain.access.grants import Access, access_of
from stratabase.core.domain.access.visibility import readable_refusal
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.equal_issues import merge_equal
from stratabase.core.domain.issues.issue import Issue, IssueType, Path, ReferenceType
from stratabase.core.domain.issues.refusals import (
    ReadBudgetExceeded,
    Refused,
    StoreOutOfService,
    Unavailable,
    Unfinished,
)
from stratabase.core.domain.query.read_budget import round_trips
from stratabase.core.model.model import Model
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.graphql_port import GraphQLResponse
from stratabase.core.operations.read.labels import IssueLabels, ObjectLabels
from stratabase.core.request_log import current_usage
from stratabase.core.schema.execution.document_hints import with_hint
from stratabase.core.schema.execution.errors import DocumentError, Report, merge_equal_errors, with_advice
from stratabase.core.schema.execution.validator import MAX_REPORTED_ERRORS
from stratabase.core.schema.request.context import FULL, GraphQLContext, Insight
from stratabase.core.schema.types.issues import IssueRenderer
from stratabase.values.messages import Message, _

MAX_WARNINGS = 9
"""In one response. The next attempt reports the others."""
Json = dict[str, Any]

_NO_LABELS: ObjectLabels = {}


class ErrorRenderer:
    """Renders the errors of one request. Every execution error has an Issue in its extensions."""

    def __init__(self, model: Model, caller: Caller, trace_id: str, report: Report) -> None:
        self._model = model
        self._caller = caller
        self._trace_id = trace_id
        self._report = report
        self.current: dict[str, Any] = {}
        """By response key of a field that was refused: its object as it is now, as the field shows it."""
        self.read_context: Callable[[], ReadContext] | None = None
        """Returns what reads the labels of the objects that issues name. None: issues have no labels."""

    def report_fault(self, error: BaseException) -> None:
        """Report an exception that the response does not show."""
        self._report(error, self._trace_id)

    # Most requests have no errors.
    @cached_property
    def _asked(self) -> IssueRenderer:
        caller = self._caller
        return IssueRenderer(self._model.application, caller.profile, self._trace_id, caller.formats.language)

    @cached_property
    def _labels(self) -> IssueLabels | None:
        return None if self.read_context is None else IssueLabels(self.read_context())

    @cached_property
    def _access(self) -> Access | None:
        return access_of(self._model, self._caller.profile)

    def render_request_error(self, error: DocumentError) -> Json:
        """Return the error of a document or of its variables as JSON."""
        # Messages of graphql-core are in English.
        message = error.message
        if isinstance(message, Message):
            message = message.in_language(self._asked.language)
        classification = "InvalidSyntax" if error.is_syntax_error else "ValidationError"
        return {**error.formatted, "message": message, "extensions": {"classification": classification}}

    def render_execution_errors(self, error: GraphQLError) -> Iterator[Json]:
        """Yield the errors of a field as JSON, one for each issue. Many equal issues are one."""
        cause = error.original_error
        if cause is None:
            yield self.render_request_error(DocumentError.of(error))
            return
        waiting.give_way()  # It takes milliseconds to merge the issues of a thousand objects.
        usage = current_usage()
        issues = self._issues(cause)
        labels = _NO_LABELS if self._labels is None else self._labels.of(issues)
        for issue in issues:
            if usage is not None:
                usage.add_refusal(issue.type.name)
            path = tuple(error.path or ())
            rendered = self.render_issue(issue, path, labels)
            if issue.shows_current and path and path[0] in self.current:
                rendered["extensions"]["current"] = self.current[path[0]]
            yield {**error.formatted, **rendered}

    def render_issue(self, issue: Issue, path: Path = (), labels: ObjectLabels = _NO_LABELS) -> Json:
        """Return an issue of the field at a path as an error in JSON, without its place in the document."""
        return {
            "message": issue.message.in_language(self._asked.language),
            "extensions": self._asked.render(issue, path, labels),
        }

    def _issues(self, cause: BaseException) -> Sequence[Issue]:
        if isinstance(cause, Unfinished) and cause.cause is not None:
            return [*merge_equal(cause.issues), *self._issues(cause.cause)]
        if isinstance(cause, Refused):
            return merge_equal(cause.issues)
        if isinstance(cause, ReadBudgetExceeded):
            return (_too_much(readable_refusal(self._access, cause)),)
        if isinstance(cause, Unavailable):
            if isinstance(cause, StoreOutOfService):
                self._report(cause, self._asked.trace_id)
            return (Issue(IssueType.SERVER_ERROR, cause.message),)
        # All other exceptions are faults of the service.
        self._report(cause, self._asked.trace_id)
        message = _(
            "An internal error occurred. When you report this problem, include the trace ID {trace_id}.",
            trace_id=self._asked.trace_id,
        )
        return (Issue(IssueType.SERVER_ERROR, message),)


def render_data(
    data: Any, found: Sequence[GraphQLError], errors: ErrorRenderer, context: GraphQLContext
) -> GraphQLResponse:
    """Return a response with these `data` and errors, and with the extensions of the request."""
    response = {"data": data}
    if found or context.unreadable:
        response = with_unreadable(data, found, errors, context)
    return with_extensions(response, render_warnings(context) if context.warnings else (), context)


def with_extensions(
    response: dict[str, Any],
    warnings: Iterable[dict[str, Any]],
    context: GraphQLContext,
    *,
    replayed: bool = False,
) -> GraphQLResponse:
    """Return a response with these `data`, `errors` and warnings, and with the insights of the request."""
    extensions: dict[str, Any] = {}
    if context.insights:
        extensions["insight"] = render_insights(context.insights)
    if shown := [*islice(warnings, MAX_WARNINGS)]:
        extensions["warnings"] = shown
    if extensions:
        response["extensions"] = extensions
    return GraphQLResponse(orjson.dumps(response), mutated=context.mutates, replayed=replayed)


def render_warnings(context: GraphQLContext) -> list[dict[str, Any]]:
    """Return the first warnings of a request, in the caller's language."""
    language = context.caller.formats.language
    return [
        {"message": warning.message.in_language(language), "path": warning.path}
        for warning in islice(context.warnings, MAX_WARNINGS)
    ]


def render_result(result: ExecutionResult, errors: ErrorRenderer, context: GraphQLContext) -> GraphQLResponse:
    """Return the response to an operation that graphql-core has executed. Raises Unavailable."""
    found = found_errors(result, context)
    if found and never_began(result):
        seen = context.profile_schema.load
        advised = [with_advice(error, seen) for error in found]
        if context.suggestions:
            advised = [with_hint(error, seen()) for error in advised]
        return render_value_errors(advised, errors)
    _raise_unavailable(result)
    return render_data(result.data, found, errors, context)


def render_value_errors(found: Sequence[GraphQLError], errors: ErrorRenderer) -> GraphQLResponse:
    """Return the response to a request that is not executed, because its variables are wrong."""
    first = islice(merge_equal_errors(found), MAX_REPORTED_ERRORS)
    return render_refusal([errors.render_request_error(DocumentError.of(error)) for error in first])


def found_errors(result: ExecutionResult, context: GraphQLContext) -> list[GraphQLError]:
    """Return the errors of an operation that graphql-core has executed."""
    return [*(result.errors or ()), *context.errors]


def with_unreadable(
    data: Any, found: Sequence[GraphQLError], errors: ErrorRenderer, context: GraphQLContext
) -> dict[str, Any]:
    """Return a response with these errors, and those of the fields that the caller must not read."""
    every = [*found, *chain.from_iterable(context.unreadable.values())]
    if not every:
        return {"data": data}
    return {
        "errors": [each for error in every for each in errors.render_execution_errors(error)],
        "data": data,
    }


def never_began(result: ExecutionResult) -> bool:
    """Return whether the operation name or the variables are wrong. Only such errors have no path."""
    return result.data is None and all(error.path is None for error in result.errors or ())


def _raise_unavailable(result: ExecutionResult) -> None:
    """Raise Unavailable if a field raised it and nothing was certainly done, so that the status is 503.

    If one of several fields may have been done, its exception is raised, because the others would deny it.
    """
    if any(value is not None for value in (result.data or {}).values()):
        return
    causes = [error.original_error for error in result.errors or ()]
    if any(isinstance(cause, Refused) and cause.has_written for cause in causes):
        return
    found = [cause for cause in causes if isinstance(cause, Unavailable)]
    if found:
        raise max(found, key=lambda each: each.may_have_written)


def render_refusal(errors: list[dict[str, Any]]) -> GraphQLResponse:
    """Return the response to a request that is not executed."""
    return GraphQLResponse(orjson.dumps({"errors": errors}), began=False)


def render_insights(insights: Iterable[Insight]) -> dict[str, Any]:
    """Return the totals of all services with `insight`; for `FULL`, also their calls and plans."""
    insights = tuple(insights)
    consumed = [one for insight in insights for one in insight.consumed]
    full = [insight for insight in insights if insight.level == FULL]
    details = {
        "calls": [call for insight in full for call in _calls(insight)],
        "plans": [plan for insight in full for plan in _plans(insight)],
    }
    return {
        "roundTrips": sum(round_trips(insight.consumed) for insight in insights),
        "readUnits": sum(one.read_units for one in consumed),
        "writeUnits": sum(one.write_units for one in consumed),
        "items": sum(one.items for one in consumed),
        "bytes": sum(one.bytes for one in consumed),
        "milliseconds": _rounded(sum(one.milliseconds for one in consumed)),
        **(details if full else {}),
    }


def _calls(insight: Insight) -> Iterator[dict[str, Any]]:
    for one in insight.consumed:
        yield {
            "path": [insight.key],
            "kind": one.kind,
            "index": one.index,
            "roundTrips": one.round_trips,
            "readUnits": one.read_units,
            "writeUnits": one.write_units,
            "items": one.items,
            "bytes": one.bytes,
            "milliseconds": _rounded(one.milliseconds),
        }


def _plans(insight: Insight) -> Iterator[dict[str, Any]]:
    for one in insight.plans:
        advised = one.advised_index
        index = advised and {"entityName": advised.class_name, "attributeNames": advised.attributes}
        yield {
            "path": [insight.key],
            "entityName": one.class_name,
            "description": one.description,
            "missingIndex": index,
        }


def _rounded(milliseconds: float) -> float:
    return round(milliseconds, 3)


def _too_much(refusal: ReadBudgetExceeded) -> Issue:
    return Issue(
        IssueType.MALFORMED_REQUEST,
        refusal.message,
        reference_type=None if refusal.class_name is None else ReferenceType.ENTITY,
        entity_name=refusal.class_name,
        attribute_names=refusal.hint.index,
        path=("options",) if refusal.objects_read else (),
    )
