"""Parsed and validated documents, kept because requests repeat."""

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

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
from graphql.validation.validate import ValidationAbortedError

from stratabase.schema.compiled.program import Program, compilable
from stratabase.schema.cost.costs import Costs
from stratabase.schema.introspection import is_about_schema
from stratabase.schema.limits import excesses, too_long
from stratabase.schema.policy import Policy

MOST_ERRORS = 9
LONGEST_KEPT = 16_384
"""Characters; a longer text is parsed each time."""
MOST_KEPT = 262_144
"""Characters of all texts whose documents are kept; parsed, a character takes some 130 bytes, which the
garbage collector walks through while nobody is answered."""

_TOO_INVOLVED = (
    "The document is too involved to be checked: "
    "select each field once in a place, nest fewer fragments, or ask in several requests."
)


class Document:
    """A document that can be executed, or the errors why it cannot."""

    def __init__(
        self,
        schema: GraphQLSchema,
        ast: DocumentNode | None,
        errors: Sequence[GraphQLError] = (),
        costs: Costs | None = None,
    ) -> None:
        self.ast = ast
        self.errors = tuple(errors)
        self._schema = schema
        self._costs = costs
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

    def is_about_schema(self, operation_name: str | None) -> bool:
        """Return whether the operation that is asked for is about nothing but the schema."""
        operation = self._operation(operation_name)
        return bool(self.ast and operation and is_about_schema(self.ast, operation))

    def excess(self, operation_name: str | None, variables: Mapping[str, Any]) -> GraphQLError | None:
        """Return why the operation that is asked for is not done, if it would cost too much."""
        operation = self._operation(operation_name)
        return self._costs.excess(operation, variables) if operation and self._costs else None

    def _operation(self, name: str | None) -> OperationDefinitionNode | None:
        return get_operation_ast(self.ast, name) if self.ast else None


class Documents:
    """Reads the documents of one schema."""

    def __init__(self, schema: GraphQLSchema, policy: Policy) -> None:
        self._schema = schema
        self._limits = policy.limits
        self._suggestions = policy.suggestions
        self._rules: Collection[type[ASTValidationRule]] = (
            specified_rules if policy.introspection else (*specified_rules, NoSchemaIntrospectionCustomRule)
        )
        self._kept: OrderedDict[str, Document] = OrderedDict()
        """By their texts, the last used at the end."""
        self._characters = 0

    def read(self, text: str) -> Document:
        """Return a text parsed and validated."""
        error = too_long(text, self._limits)
        if error:
            return Document(self._schema, None, (error,))
        return self._kept_or_read(text) if len(text) <= LONGEST_KEPT else self._read(text)

    def _kept_or_read(self, text: str) -> Document:
        document = self._kept.pop(text, None)
        if document is None:
            document = self._read(text)
            self._make_room(len(text))
        self._kept[text] = document
        return document

    def _make_room(self, characters: int) -> None:
        """Forget what was not used for the longest time, until there is room for one more text."""
        self._characters += characters
        while self._kept and self._characters > MOST_KEPT:
            forgotten, _ = self._kept.popitem(last=False)
            self._characters -= len(forgotten)

    def _read(self, text: str) -> Document:
        try:
            ast = parse(text)
        except GraphQLSyntaxError as error:
            return Document(self._schema, None, (error,))
        too_much = excesses(ast, self._limits)
        if too_much:
            return Document(self._schema, None, too_much)
        errors = validate(
            self._schema, ast, self._rules, max_errors=MOST_ERRORS, hide_suggestions=not self._suggestions
        )
        if errors:
            return Document(self._schema, None, [_worded(error) for error in errors[:MOST_ERRORS]])
        return Document(self._schema, ast, costs=Costs(self._schema, ast, self._limits.cost))


def _worded(error: GraphQLError) -> GraphQLError:
    """Return an error that says what would be right, where graphql-core says that it gave up."""
    return GraphQLError(_TOO_INVOLVED) if isinstance(error, ValidationAbortedError) else error
