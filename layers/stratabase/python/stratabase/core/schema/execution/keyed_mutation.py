"""Execute a mutation with an idempotency key: each of its fields is done once, and keeps its answer.

1. One read finds the records of the key. Fields with a record are answered from it.
2. The other fields run one by one, in the order of the document. A field that writes renders its answer
   before its commit, and the commit stores it in a record (`AnswerRecorder`).
3. A field that writes nothing, such as a refused one, stores its record by itself.

An answer is repeated only to somebody with the rights of the caller who got it first, or with all rights.

If another request with the key is faster, the commit or the record fails, and this request answers from the
record of the other one. A field that ends because the store doesn't respond has no record. The repetition of
the request executes it again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import orjson
from graphql import (
    DocumentNode,
    ExecutionResult,
    FieldNode,
    OperationDefinitionNode,
)

from stratabase.core.domain.issues.issue import Issue, IssueType
from stratabase.core.domain.issues.refusals import Refusal, Refused, Unavailable, Unfinished
from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.commit_refusals import AlreadyRecorded
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.idempotency import (
    ERASED_ANSWER,
    KEY_LIFETIME,
    MAX_ANSWER_BYTES,
    IdempotencyKey,
    IdempotencyRecord,
    field_step,
    object_step,
    objects_done,
    records_of_request,
    scope_of,
)
from stratabase.core.operations.graphql_port import GraphQLResponse
from stratabase.core.operations.ports import IdempotencyRecords
from stratabase.core.operations.write.options import CommitRecorder, WriteOutcome
from stratabase.core.schema.execution.current_objects import render_current
from stratabase.core.schema.execution.responses import (
    ErrorRenderer,
    found_errors,
    render_warnings,
    with_extensions,
    with_unreadable,
)
from stratabase.core.schema.execution.selections import Selections, document_with, fragments_of
from stratabase.core.schema.request.context import GraphQLContext, ServiceCall
from stratabase.values.messages import Message, _

T = TypeVar("T")
Execute = Callable[[DocumentNode, GraphQLContext], ExecutionResult]
"""Executes a document with the variables of the request."""

_DATA, _ERRORS, _WARNINGS, _CLIENT_IDS = "data", "errors", "warnings", "clientIds"
"""The parts of a kept answer."""
_RIGHTS = "rights"
"""The part of a kept answer with the caller's rights (`Access.fingerprint`); absent for all rights."""


class KeyedMutation:
    """One mutation with an idempotency key."""

    def __init__(  # noqa: PLR0913, PLR0917 - a mutation, how it is executed, and its key
        self,
        document: DocumentNode,
        operation: OperationDefinitionNode,
        context: GraphQLContext,
        execute: Execute,
        errors: ErrorRenderer,
        key: IdempotencyKey,
    ) -> None:
        self._document = document
        self._operation = operation
        self.context = context
        self._execute = execute
        self._errors = errors
        self._key = key
        self._records: IdempotencyRecords = context.services.entities
        _ = context.read_context  # All fields share it, and its instant.

    def response(self, variable_values: Any) -> GraphQLResponse:
        """Execute the mutation. `variable_values`: coerced. Raises IdempotencyKeyReused, Unavailable."""
        records = self.read_records()
        answers: list[Mapping[str, Any]] = []
        are_new: list[bool] = []
        for number, nodes in enumerate(self._fields(variable_values)):
            if nodes[0].name.value.startswith("__"):  # `__typename` is always the same
                answers.append(self.render(self._document_of(nodes), self.context.fresh()))
                continue
            answer, is_new = self._answer(number, nodes, records)
            answers.append(answer)
            are_new.append(is_new)
        errors = [error for answer in answers for error in answer.get(_ERRORS, ())]
        data = {key: value for answer in answers for key, value in answer[_DATA].items()}
        warnings = [warning for answer in answers for warning in answer.get(_WARNINGS, ())]
        response = {_ERRORS: errors, _DATA: data} if errors else {_DATA: data}
        return with_extensions(response, warnings, self.context, replayed=bool(are_new) and not any(are_new))

    def _fields(self, variable_values: Any) -> Sequence[Sequence[FieldNode]]:
        selections = Selections(fragments_of(self._document), variable_values)
        return [*selections.collect([self._operation.selection_set]).values()]

    @cached_property
    def _scope(self) -> str:
        context = self.context
        return scope_of(context.services.model.application, context.caller.id, self._key.text)

    def read_records(self) -> Mapping[str, IdempotencyRecord]:
        """Return the valid records of the key, by step. Raises IdempotencyKeyReused, Unavailable."""
        found, now = self._records.recorded(self._scope), self.context.services.clock.now()
        return records_of_request(found, self._key.fingerprint, now)

    def _answer(
        self, number: int, nodes: Sequence[FieldNode], records: Mapping[str, IdempotencyRecord]
    ) -> tuple[Mapping[str, Any], bool]:
        """Return the answer of a field, and whether this request has executed it."""
        record = records.get(field_step(number))
        if record is None:
            try:
                return self._execute_field(number, nodes), True
            except AlreadyRecorded:
                record = self.read_records().get(field_step(number))
        if record is None:
            raise Unavailable(_("Another request with this Idempotency-Key is still running. Try again."))
        if record.answer == ERASED_ANSWER:
            return self._erased_answer(nodes), False
        answer = orjson.loads(record.answer)
        for class_name, id_, client_id in answer.get(_CLIENT_IDS, ()):
            self.context.client_ids[Reference(class_name, id_)] = client_id
        return answer if self._may_repeat(answer) else self._withheld_answer(answer), False

    def _may_repeat(self, answer: Mapping[str, Any]) -> bool:
        """Return whether the caller may read a kept answer: with all rights, or with those of that time."""
        return self._rights is None or self._rights == answer.get(_RIGHTS)

    @cached_property
    def _rights(self) -> str | None:
        access = self.context.access
        return None if access is None else access.fingerprint

    def _execute_field(self, number: int, nodes: Sequence[FieldNode]) -> Mapping[str, Any]:
        """Execute a field, and keep its answer. Raises AlreadyRecorded, Unavailable."""
        context = self.context.fresh()
        recorder = context.recorder = AnswerRecorder(self, number, self._document_of(nodes))
        result = self._execute(recorder.document, context)
        self.context.insights += context.insights
        if recorder.record is not None:
            return orjson.loads(recorder.record.answer)  # type: ignore[no-any-return]  # a JSON object
        causes = [_first_cause(error.original_error) for error in found_errors(result, context)]
        for cause in causes:
            if isinstance(cause, AlreadyRecorded | Unavailable):
                raise cause
        render_current(lambda _: recorder.document, context, self._execute, self._errors)
        answer = self.answer_of(result, context)
        if not any(map(_may_differ_later, causes)):
            record = self.record_of(number, answer)
            if record is None and recorder.is_bulk:
                record = self.record_of(number, self._too_large_answer(answer))
            if record is not None:
                self._records.record(record, self.context.services.clock.now())
        return answer

    def _document_of(self, nodes: Sequence[FieldNode]) -> DocumentNode:
        """Return the document with one field of the mutation."""
        return document_with(self._document, self._operation, nodes)

    def render(self, document: DocumentNode, context: GraphQLContext) -> Mapping[str, Any]:
        """Return the answer of a field whose result the context has."""
        return self.answer_of(self._execute(document, context), context)

    def answer_of(self, result: ExecutionResult, context: GraphQLContext) -> Mapping[str, Any]:
        """Return the answer of a field: its data, its errors, its warnings, and the client ids so far."""
        answer = with_unreadable(result.data, found_errors(result, context), self._errors, context)
        if warnings := render_warnings(context):
            answer[_WARNINGS] = warnings
        if context.client_ids:
            answer[_CLIENT_IDS] = [[*reference, id_] for reference, id_ in context.client_ids.items()]
        return answer

    def _withheld_answer(self, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what a repetition answers if the caller's rights have changed since the first answer."""
        message = _(
            "The request with this Idempotency-Key was executed before your permissions changed, so its "
            "answer isn't repeated. Read the objects with a query."
        )
        return self._error_answer(answer, IssueType.ENTITY_ACCESS_FORBIDDEN, message)

    def _erased_answer(self, nodes: Sequence[FieldNode]) -> Mapping[str, Any]:
        """Return what a repetition answers if the first answer showed an object that was erased since."""
        message = _(
            "The request with this Idempotency-Key was executed, but an object in its answer was erased "
            "since, so its answer isn't repeated. Read the objects with a query."
        )
        alias = nodes[0].alias or nodes[0].name
        return self._error_answer({_DATA: {alias.value: None}}, IssueType.SERVICE_HANDLER_ERROR, message)

    def _too_large_answer(self, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what a repetition answers if the answer of a bulk field is too large to be kept."""
        message = _(
            "The request is done, but its answer was too large to be kept for the Idempotency-Key. The "
            "maximum is {maximum} bytes. Read the objects with a query.",
            maximum=MAX_ANSWER_BYTES,
        )
        return self._error_answer(answer, IssueType.SERVICE_HANDLER_ERROR, message)

    def _error_answer(
        self, answer: Mapping[str, Any], type_: IssueType, message: Message
    ) -> Mapping[str, Any]:
        """Return an answer that has an error instead of the data of a field's answer."""
        (key,) = answer[_DATA]
        error = self._errors.render_issue(Issue(type_, message), (key,))
        return {_ERRORS: [{**error, "path": [key]}], _DATA: {key: None}}

    def record_of(self, number: int, answer: Mapping[str, Any]) -> IdempotencyRecord | None:
        """Return the record of a field, None if its answer is too large to be kept."""
        text = orjson.dumps(answer if self._rights is None else {**answer, _RIGHTS: self._rights})
        if len(text) > MAX_ANSWER_BYTES:
            return None
        return self._record(field_step(number), text.decode())

    def record_of_object(self, number: int, id_: str) -> IdempotencyRecord:
        """Return the record of one object of a bulk field."""
        return self._record(object_step(number, id_))

    def _record(self, step: str, answer: str = "") -> IdempotencyRecord:
        expires = self.context.services.clock.now() + KEY_LIFETIME
        return IdempotencyRecord(self._scope, step, self._key.fingerprint, expires, answer)


def _first_cause(error: BaseException | None) -> BaseException | None:
    """Return an error, or what stopped a bulk field: a repetition of the request does the rest."""
    return error.cause or error if isinstance(error, Unfinished) else error


def _may_differ_later(cause: BaseException | None) -> bool:
    """Return whether the same request may succeed later, after this cause of an error."""
    if isinstance(cause, Unfinished):  # a bulk field continues
        return True
    return cause is not None and not isinstance(cause, Refusal)  # a fault of the service


class AnswerRecorder:
    """Renders the answer of a field before its commit, and passes it on to the commit as a record."""

    def __init__(self, mutation: KeyedMutation, number: int, document: DocumentNode) -> None:
        """`document`: with this field only."""
        self._mutation = mutation
        self._number = number
        self.document = document
        self._call: ServiceCall | None = None
        self._show: Callable[[WriteOutcome | None], Any] = lambda _outcome: None
        self.record: IdempotencyRecord | None = None
        """The record that was committed, if any."""
        self.source: Any = None
        """The source value of the recorded answer."""
        self.is_bulk = False
        """Whether the field commits each of several objects."""

    def prepare(self, call: ServiceCall, show: Callable[[WriteOutcome | None], Any]) -> None:
        """Take the call of the field, and the function that returns the source value of an outcome."""
        self._call, self._show = call, show

    def commit(self, outcome: WriteOutcome, commit: Callable[[Change], None]) -> None:
        """Commit the change of an outcome together with the answer of the field. Raises Refused."""
        self._commit(outcome, lambda record: commit(replace(outcome.change, record=record)))

    def commit_record(self, commit: Callable[[IdempotencyRecord], None]) -> None:
        """Call `commit` with the record of the field, whose answer depends on no outcome. Raises Refused."""
        self._commit(None, commit)

    def _commit(self, outcome: WriteOutcome | None, commit: Callable[[IdempotencyRecord], None]) -> None:
        self.record = None
        record = self._mutation.record_of(self._number, self._render(outcome))
        if record is None:
            message = _(
                "The answer is too large to be kept for the Idempotency-Key, so nothing was written. The "
                "maximum is {maximum} bytes. Select fewer fields, and read the others with a query.",
                maximum=MAX_ANSWER_BYTES,
            )
            raise Refused([Issue(IssueType.MALFORMED_REQUEST, message)])
        commit(record)
        self.record = record

    def _render(self, outcome: WriteOutcome | None) -> Mapping[str, Any]:
        call, context = self._call, self._mutation.context.fresh()
        assert call is not None
        try:
            self.source = context.root_results.get_or_run(call.key, lambda: self._show(outcome))
            context.add_unreadable(call.key, call.unreadable_errors())
        except Unavailable:
            raise
        except Refusal:
            pass  # The context has it, so it becomes the error of the answer.
        context.warnings = call.context.warnings
        return self._mutation.render(self.document, context)

    def recorder_of(self, id_: str) -> CommitRecorder:
        """Return what records the commit of one object of a bulk field."""
        self.is_bulk = True
        return ObjectRecorder(self._mutation.record_of_object(self._number, id_))

    def done(self) -> Sequence[str]:
        """Return the IDs of the objects that requests with the key have written in this field."""
        return objects_done(self._number, self._mutation.read_records())


class ObjectRecorder:
    """Records the commit of one object of a bulk field."""

    def __init__(self, record: IdempotencyRecord) -> None:
        self._record = record

    def commit(self, outcome: WriteOutcome, commit: Callable[[Change], None]) -> None:
        """Commit the change of an outcome together with the record."""
        commit(replace(outcome.change, record=self._record))

    def commit_record(self, commit: Callable[[IdempotencyRecord], None]) -> None:
        """Call `commit` with the record."""
        commit(self._record)
