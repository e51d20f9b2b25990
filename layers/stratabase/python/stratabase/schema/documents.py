"""Parsed and validated documents, kept because requests repeat."""

from collections.abc import Collection, Sequence
from functools import lru_cache

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    GraphQLSyntaxError,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    OperationType,
    get_operation_ast,
    parse,
    specified_rules,
    validate,
)
from graphql.validation import ASTValidationRule

from stratabase.schema.compiled.program import Program, compilable

MOST_ERRORS = 9
MOST_DOCUMENTS = 512
LONGEST_KEPT = 16_384
"""Characters; a longer text is parsed each time, so that the memory of all that are kept is bounded."""


class Document:
    """A document that can be executed, or the errors why it cannot."""

    def __init__(
        self, schema: GraphQLSchema, ast: DocumentNode | None, errors: Sequence[GraphQLError] = ()
    ) -> None:
        self.ast = ast
        self.errors = tuple(errors)
        self._schema = schema
        self._asked_before: set[str | None] = set()
        self._programs: dict[str | None, Program | None] = {}

    def mutates(self, operation_name: str | None) -> bool:
        """Return whether the operation that is asked for is a mutation."""
        operation = self._operation(operation_name)
        return operation is not None and operation.operation is OperationType.MUTATION

    def program(self, operation_name: str | None) -> Program | None:
        """Return the operation compiled, None for one that is asked for the first time or cannot be."""
        if operation_name in self._programs:
            return self._programs[operation_name]
        operation = self._operation(operation_name)
        if operation is None or operation_name not in self._asked_before:
            self._asked_before.add(operation_name)
            return None
        assert self.ast
        program = Program(self._schema, self.ast, operation) if compilable(self.ast) else None
        self._programs[operation_name] = program
        return program

    def _operation(self, name: str | None) -> OperationDefinitionNode | None:
        return get_operation_ast(self.ast, name) if self.ast else None


class Documents:
    """Reads the documents of one schema."""

    def __init__(
        self, schema: GraphQLSchema, *, introspection: bool = True, suggestions: bool = True
    ) -> None:
        self._schema = schema
        self._suggestions = suggestions
        self._rules: Collection[type[ASTValidationRule]] = (
            specified_rules if introspection else (*specified_rules, NoSchemaIntrospectionCustomRule)
        )
        self._kept = lru_cache(maxsize=MOST_DOCUMENTS)(self._read)

    def read(self, text: str) -> Document:
        """Return a text parsed and validated."""
        return self._kept(text) if len(text) <= LONGEST_KEPT else self._read(text)

    def _read(self, text: str) -> Document:
        try:
            ast = parse(text)
        except GraphQLSyntaxError as error:
            return Document(self._schema, None, (error,))
        errors = validate(
            self._schema, ast, self._rules, max_errors=MOST_ERRORS, hide_suggestions=not self._suggestions
        )
        return Document(self._schema, None if errors else ast, errors[:MOST_ERRORS])
