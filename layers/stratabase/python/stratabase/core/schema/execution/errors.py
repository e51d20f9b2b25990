"""Render the `errors` of a GraphQL response."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from graphql import GraphQLError

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
from stratabase.core.model.model import Model
from stratabase.core.schema.execution.document_errors import DocumentError
from stratabase.core.schema.types.issues import IssueRenderer
from stratabase.core.usage import current_usage
from stratabase.values.messages import Message, _

Report = Callable[[BaseException, str], None]
"""Reports an exception that is a fault of the service, with the trace id."""
Json = dict[str, Any]


class ErrorRenderer:
    """Renders the errors of one request. Every execution error has an Issue in its extensions."""

    def __init__(self, model: Model, caller: Caller, trace_id: str, report: Report) -> None:
        self._model = model
        self._caller = caller
        self._trace_id = trace_id
        self._report = report

    # Most requests have no errors.
    @cached_property
    def _asked(self) -> IssueRenderer:
        caller = self._caller
        return IssueRenderer(self._model.application, caller.profile, self._trace_id, caller.formats.language)

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
        for issue in self._issues(cause):
            if usage is not None:
                usage.add_refusal(issue.type.name)
            yield {**error.formatted, **self.render_issue(issue, tuple(error.path or ()))}

    def render_issue(self, issue: Issue, path: Path = ()) -> Json:
        """Return an issue of the field at a path as an error in JSON, without its place in the document."""
        return {
            "message": issue.message.in_language(self._asked.language),
            "extensions": self._asked.render(issue, path),
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


def _too_much(refusal: ReadBudgetExceeded) -> Issue:
    return Issue(
        IssueType.MALFORMED_REQUEST,
        refusal.message,
        reference_type=None if refusal.class_name is None else ReferenceType.ENTITY,
        entity_name=refusal.class_name,
        attribute_names=refusal.hint.index,
        path=("options",) if refusal.objects_read else (),
    )
