"""Parsed and validated documents, and answers about the schema: both are kept because requests repeat."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentSpreadNode,
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
from graphql.language import SelectionNode
from graphql.validation import ASTValidationRule
from graphql.validation.validate import ValidationAbortedError

from stratabase.messages import _
from stratabase.operations.executor import Answer
from stratabase.schema.execution.cache import BoundedCache
from stratabase.schema.execution.compiled_operation import CompiledOperation
from stratabase.schema.execution.cost import DocumentCosts
from stratabase.schema.execution.limits import ExecutionPolicy, limit_violations, too_long
from stratabase.schema.execution.selections import fragments_of, selects_the_same

MOST_ERRORS = 9


LONGEST_KEPT = 16_384


"""Characters; a longer text is parsed each time."""


MOST_KEPT = 262_144


"""Characters of all texts whose documents are kept; parsed, a character takes some 130 bytes, which the
garbage collector walks through while nobody is answered."""


_TOO_INVOLVED = _(
    "The document is too complex to validate. "
    "Select each field only once in each place, nest fewer fragments, or split the "
    "document into several requests."
)


class Document:
    """A document that can be executed, or the errors why it cannot."""

    def __init__(
        self,
        schema: GraphQLSchema,
        ast: DocumentNode | None,
        errors: Sequence[GraphQLError] = (),
        costs: DocumentCosts | None = None,
    ) -> None:
        self.ast = ast
        self.errors = tuple(errors)
        self._schema = schema
        self._costs = costs
        self._asked_before: set[str | None] = set()
        self._compiled: dict[str | None, CompiledOperation | None] = {}

    def mutates(self, operation_name: str | None) -> bool:
        """Return whether the operation that is asked for is a mutation."""
        operation = self._operation(operation_name)
        return operation is not None and operation.operation is OperationType.MUTATION

    def compiled(self, operation_name: str | None) -> CompiledOperation | None:
        """Return the operation compiled, None for one that is asked for the first time or cannot be."""
        if operation_name in self._compiled:
            return self._compiled[operation_name]
        operation = self._operation(operation_name)
        if operation is None or operation_name not in self._asked_before:
            self._asked_before.add(operation_name)
            return None
        assert self.ast
        same = selects_the_same(self.ast)
        compiled = CompiledOperation(self._schema, self.ast, operation) if same else None
        self._compiled[operation_name] = compiled
        return compiled

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


class DocumentCache:
    """Reads the documents of one schema."""

    def __init__(self, schema: GraphQLSchema, policy: ExecutionPolicy) -> None:
        self._schema = schema
        self._limits = policy.limits
        self._suggestions = policy.suggestions
        self._rules: Collection[type[ASTValidationRule]] = (
            specified_rules if policy.introspection else (*specified_rules, NoSchemaIntrospectionCustomRule)
        )
        self._kept: BoundedCache[str, Document] = BoundedCache(MOST_KEPT, len)
        """By their texts."""

    def read(self, text: str) -> Document:
        """Return a text parsed and validated."""
        error = too_long(text, self._limits)
        if error:
            return Document(self._schema, None, (error,))
        if len(text) > LONGEST_KEPT:
            return self._read(text)
        return self._kept.get_or_make(text, lambda: self._read(text))

    def _read(self, text: str) -> Document:
        try:
            ast = parse(text)
        except GraphQLSyntaxError as error:
            return Document(self._schema, None, (error,))
        too_much = limit_violations(ast, self._limits)
        if too_much:
            return Document(self._schema, None, too_much)
        errors = validate(
            self._schema, ast, self._rules, max_errors=MOST_ERRORS, hide_suggestions=not self._suggestions
        )
        if errors:
            return Document(self._schema, None, [_worded(error) for error in errors[:MOST_ERRORS]])
        return Document(self._schema, ast, costs=DocumentCosts(self._schema, ast, self._limits.cost))


def _worded(error: GraphQLError) -> GraphQLError:
    """Return an error that says what would be right, where graphql-core says that it gave up."""
    return GraphQLError(_TOO_INVOLVED) if isinstance(error, ValidationAbortedError) else error


MOST_INTROSPECTIONS = 4


"""Answers: tools ask the same each time."""


LARGEST_INTROSPECTION = 8_000_000


"""Bytes of an answer. The standard query about 100 classes takes most of a second for half as many."""


LONGEST_INTROSPECTION = 16_384


"""Characters of a document."""


_ABOUT_SCHEMA = frozenset({"__schema", "__type", "__typename"})


Asked = tuple[str, str | None]


"""A document's text, and the name of its operation."""


class IntrospectionCache:
    """Keeps the answers that were given last to requests without variables."""

    def __init__(self) -> None:
        self._kept: BoundedCache[Asked, Answer] = BoundedCache(MOST_INTROSPECTIONS)

    def answer(self, asked: Asked, answer: Callable[[], Answer]) -> Answer:
        """Return what was answered to the same before, or else what `answer` answers."""
        known = self._kept.get(asked)
        if known is not None:
            return known
        given = answer()
        is_kept = len(given.body) <= LARGEST_INTROSPECTION and len(asked[0]) <= LONGEST_INTROSPECTION
        return self._kept.put(asked, given) if given.began and is_kept else given


def is_about_schema(document: DocumentNode, operation: OperationDefinitionNode) -> bool:
    """Return whether an operation asks for nothing but the schema."""
    roots = _roots(document, operation)
    return operation.operation is OperationType.QUERY and roots <= _ABOUT_SCHEMA


def _roots(document: DocumentNode, operation: OperationDefinitionNode) -> set[str]:
    """Return the names of all root fields, be they skipped or not."""
    fragments, names, spread = fragments_of(document), set[str](), set[str]()
    waiting: list[SelectionNode] = [*operation.selection_set.selections]
    while waiting:
        node = waiting.pop()
        inside: Iterable[SelectionNode] = ()
        if isinstance(node, FieldNode):
            names.add(node.name.value)
        elif not isinstance(node, FragmentSpreadNode):
            inside = node.selection_set.selections  # type: ignore[attr-defined] # an inline fragment
        elif node.name.value not in spread:
            spread.add(node.name.value)
            inside = fragments[node.name.value].selection_set.selections
        waiting += inside
    return names
