"""Answers the GraphQL requests to one model."""

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any

import orjson
from graphql import DocumentNode, ExecutionResult, execute_sync, print_schema

from stratabase.domain.member import Caller
from stratabase.domain.refusal import Unavailable
from stratabase.operations.executor import Answer, QueriesOnly
from stratabase.operations.services import Services
from stratabase.schema import insight
from stratabase.schema.context import Context
from stratabase.schema.documents import Documents
from stratabase.schema.errors import Errors, Report
from stratabase.schema.generated import generate_schema
from stratabase.schema.introspection import Introspections
from stratabase.schema.policy import Policy
from stratabase.schema.values import excess_of


class SchemaExecutor:
    """Reads a document, executes it, and shapes the answer."""

    def __init__(
        self,
        world: Services,
        report: Report,
        policy: Policy | None = None,
        *,
        compile_answers: bool = True,
    ) -> None:
        policy = policy or Policy()
        self.schema = generate_schema(world.model)
        self._world = world
        self._report = report
        self._suggestions = policy.suggestions
        self._compile = compile_answers
        self._documents = Documents(self.schema, policy)
        self._introspections = Introspections()

    @cached_property
    def sdl(self) -> str:
        """The schema as text."""
        return print_schema(self.schema) + "\n"

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
        errors = Errors(self._world.model.application, caller, trace_id, self._report)
        document = self._documents.read(query)
        if document.ast is None:
            return _refusal([errors.of_request(error) for error in document.errors])
        if queries_only and document.mutates(operation_name):
            raise QueriesOnly("a mutation must be sent by POST")
        excess = excess_of(variables or {}) or document.excess(operation_name, variables or {})
        if excess:
            return _refusal([errors.of_request(excess)])
        allowance = self._world.new_budget()
        context = Context(
            self._world,
            caller,
            trace_id,
            allowance,
            suggestions=self._suggestions,
            mutates=document.mutates(operation_name),
        )
        program = document.program(operation_name) if self._compile else None
        data = program.data(context, variables or {}) if program else None
        if data is not None:
            return _answer({"data": data}, context)
        execute = partial(self._executed, document.ast, context, variables, operation_name, errors)
        if variables or not document.is_about_schema(operation_name):
            return execute()
        return self._introspections.answer((query, operation_name), execute)

    def _executed(
        self,
        ast: DocumentNode,
        context: Context,
        variables: Mapping[str, Any] | None,
        operation_name: str | None,
        errors: Errors,
    ) -> Answer:
        """Return what graphql-core's executor answers."""
        result = execute_sync(
            self.schema,
            ast,
            context_value=context,
            variable_values=dict(variables or {}),
            operation_name=operation_name,
            hide_suggestions=not self._suggestions,
        )
        return _judged(result, errors, context)


def _answer(response: dict[str, Any], context: Context) -> Answer:
    if context.insights:
        response["extensions"] = {"insight": insight.shown(context.insights)}
    return Answer(orjson.dumps(response), mutated=context.mutates)


def _judged(result: ExecutionResult, errors: Errors, context: Context) -> Answer:
    found = [*(result.errors or ()), *context.errors]
    if not found:
        return _answer({"data": result.data}, context)
    if _never_began(result):
        return _refusal([errors.of_request(error) for error in found])
    _raise_unavailable(result)
    listed = [each for error in found for each in errors.of_execution(error)]
    return _answer({"errors": listed, "data": result.data}, context)


def _never_began(result: ExecutionResult) -> bool:
    """Return whether the errors are those of the operation's name or its variables, which have no path."""
    return result.data is None and all(error.path is None for error in result.errors or ())


def _raise_unavailable(result: ExecutionResult) -> None:
    """Raise the refusal of a busy store when nothing else was answered, so that the client sees a 503."""
    if any(value is not None for value in (result.data or {}).values()):
        return
    for error in result.errors or ():
        if isinstance(error.original_error, Unavailable):
            raise error.original_error


def _refusal(errors: list[dict[str, Any]]) -> Answer:
    return Answer(orjson.dumps({"errors": errors}), began=False)
