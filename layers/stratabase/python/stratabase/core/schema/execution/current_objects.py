"""Show the object of a refused write as it is now, in the selection of the field that was refused.

A write is refused if the object has another version or revision than the client expects. The error's
extension `current` has what the client needs to merge its changes.
"""

from collections.abc import Callable
from contextlib import suppress

from graphql import DocumentNode, ExecutionResult

from stratabase.core.domain.issues.refusals import Refusal, Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.operations.read.reader import Reader
from stratabase.core.schema.execution.responses import ErrorRenderer
from stratabase.core.schema.execution.views import view_of
from stratabase.core.schema.request.context import GraphQLContext, ServiceCall


def keep_current(call: ServiceCall, reference: Reference | None, refusal: Refused) -> None:
    """Keep the view of an object for a refusal, if the response shows it and the caller may read it.

    `reference`: None for an object that was to be created.
    """
    if reference is not None and any(issue.shows_current for issue in refusal.issues):
        # The refusal says enough without it.
        with suppress(Refusal):
            reader = Reader(call.context.read_context)
            view = view_of(call, reader, reader.get(reference))
            if view is not None:
                call.context.current[call.key] = view


def render_current(
    document_of: Callable[[str], DocumentNode],
    context: GraphQLContext,
    execute: Callable[[DocumentNode, GraphQLContext], ExecutionResult],
    errors: ErrorRenderer,
) -> None:
    """Render the views that fields have kept, for their errors.

    `document_of` returns the document with only the field of a response key. `execute` executes a document
    with the variables of the request.
    """
    for key, view in context.current.items():
        again = context.fresh()
        again.root_results.keep(key, view)
        shown = execute(document_of(key), again).data
        if shown is not None:
            errors.current[key] = shown[key]
