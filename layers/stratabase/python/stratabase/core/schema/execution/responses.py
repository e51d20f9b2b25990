"""Render the response of a request: its data, errors and extensions as JSON."""

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Any

import orjson
from graphql import ExecutionResult, GraphQLError

from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.operations.executor import GraphQLResponse
from stratabase.core.schema.execution import insight
from stratabase.core.schema.execution.document_hints import with_hint
from stratabase.core.schema.execution.errors import (
    DocumentError,
    ErrorRenderer,
    merge_equal_errors,
    with_advice,
)
from stratabase.core.schema.execution.validator import MAX_REPORTED_ERRORS
from stratabase.core.schema.request.context import GraphQLContext

MAX_WARNINGS = 9
"""In one response. The next attempt reports the others."""


def render_data(response: dict[str, Any], context: GraphQLContext) -> GraphQLResponse:
    """Return a response with these `data` and `errors`, and with the extensions of the request."""
    return with_extensions(response, render_warnings(context), context)


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
        extensions["insight"] = insight.render_insights(context.insights)
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
    return render_data(with_unreadable(result.data, found, errors, context), context)


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
