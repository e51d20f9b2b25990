"""Parse, validate and cache documents, because requests repeat."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from sys import getsizeof
from typing import Any, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLInputType,
    GraphQLSchema,
    GraphQLSyntaxError,
    OperationDefinitionNode,
    OperationType,
    get_operation_ast,
    parse,
)
from graphql.language import SelectionNode

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.schema.execution.cache import BoundedCache
from stratabase.core.schema.execution.compiled_operation import CompiledOperation
from stratabase.core.schema.execution.cost import DocumentCosts
from stratabase.core.schema.execution.cost_estimate import SizeOf
from stratabase.core.schema.execution.errors import DocumentError
from stratabase.core.schema.execution.limits import ExecutionPolicy, too_long
from stratabase.core.schema.execution.literals import (
    NO_LITERALS,
    DocumentTemplate,
    LiteralValues,
    coerce_literals,
    split_literals,
)
from stratabase.core.schema.execution.selections import fragments_of, selects_the_same
from stratabase.core.schema.execution.validator import Validator
from stratabase.core.schema.request.context import ProfileSchema
from stratabase.values.messages import _

MAX_CACHED_DOCUMENT_LENGTH = 16_384
"""In characters. A longer document is parsed each time."""
MAX_CACHED_BYTES = 48_000_000
"""In bytes of all cached documents that are valid. The garbage collector stops all requests while it visits
them."""
MAX_CACHED_REFUSALS = 2_000_000
"""In bytes of all cached documents that are not valid. They have a cache of their own, so that a client that
sends many of them does not slow down the others."""

_INVALID = _("The document is not valid.")


class DocumentOperation:
    """One operation of a valid document, and what all requests for it share."""

    def __init__(
        self, schema: GraphQLSchema, ast: DocumentNode, node: OperationDefinitionNode, costs: DocumentCosts
    ) -> None:
        self._schema = schema
        self._ast = ast
        self._node = node
        self.mutates = node.operation is OperationType.MUTATION
        """Whether it is a mutation."""
        self.excess: Callable[[Mapping[str, Any], SizeOf], GraphQLError | None] = partial(costs.excess, node)
        """Returns the error if the operation costs too much with these variables, also for classes of their
        known sizes."""

    @cached_property
    def compiled(self) -> CompiledOperation | None:
        """The compiled operation. None if it cannot be compiled."""
        same = selects_the_same(self._ast)
        return CompiledOperation(self._schema, self._ast, self._node) if same else None

    @property
    def can_compile(self) -> bool:
        """Whether it can be compiled, as far as it was tried."""
        compiled = vars(self).get("compiled", _NOT_TRIED)
        return compiled is _NOT_TRIED or (compiled is not None and compiled.can_compile)

    @cached_property
    def root_fields(self) -> Sequence[str]:
        """The names of the fields of the root type that it selects, including those that directives skip."""
        return sorted(_roots(self._ast, self._node))

    @cached_property
    def is_about_schema(self) -> bool:
        """Whether it selects only fields about the schema."""
        return is_about_schema(self._ast, self._node)


_NOT_TRIED = object()


class Document:
    """A valid document, or the errors of an invalid one."""

    def __init__(  # noqa: PLR0913 - what is known of it
        self,
        schema: GraphQLSchema,
        ast: DocumentNode | None,
        errors: Sequence[GraphQLError] = (),
        costs: DocumentCosts | None = None,
        *,
        breaks_schema: bool = False,
        places: Mapping[str, GraphQLInputType] | None = None,
    ) -> None:
        self.ast = ast
        self.errors = tuple(map(DocumentError.of, errors))
        self.breaks_schema = breaks_schema
        """Whether the errors are about the schema."""
        self._places = places
        """The types of the literals of a template. None if the document is not a template."""
        self._schema = schema
        self._costs = costs
        self._operations: dict[str | None, DocumentOperation] = {}

    @property
    def can_compile(self) -> bool:
        """Whether all operations that were requested can be compiled, so that none needs graphql-core."""
        return all(each.can_compile for each in self._operations.values())

    def bind(self, template: DocumentTemplate) -> LiteralValues | None:
        """Return the values of a text's literals. None if one is wrong: validation reports it."""
        nodes = template.nodes()
        return coerce_literals(self._places, nodes) if self._places and nodes else None

    def operation(self, name: str | None) -> DocumentOperation | None:
        """Return the operation with a name, or the only one for None. None if there is no such operation."""
        operation = self._operations.get(name)
        if operation is None and self.ast is not None and self._costs is not None:
            node = get_operation_ast(self.ast, name)
            if node is not None:
                operation = DocumentOperation(self._schema, self.ast, node, self._costs)
                self._operations[name] = operation
        return operation


class BoundDocument(NamedTuple):
    """The document of a text, and the values of the literals for which the document has variables."""

    document: Document
    literals: LiteralValues = NO_LITERALS


DocumentKey = str | tuple[str, ...]
"""A text, or the parts of a template."""


LITERAL_LENGTH = 8
"""In characters: about what the variable that stands for a literal has."""
_BYTES_OF_DOCUMENT, _BYTES_PER_CHARACTER = 4_000, 190
"""The approximate memory of a parsed and compiled document."""
_BYTES_OF_REFUSAL, _BYTES_OF_ERROR = 1_500, 800
"""The approximate memory of a document that is not valid, and of each of its errors."""


def _document_size(key: DocumentKey, _: Document) -> int:
    """Return the approximate memory of a valid document, in bytes."""
    # Each literal of a template is a variable in its document, which takes more memory than the literal.
    length = len(key) if isinstance(key, str) else sum(map(len, key)) + LITERAL_LENGTH * (len(key) - 1)
    return _BYTES_OF_DOCUMENT + _BYTES_PER_CHARACTER * length


def _refusal_size(text: str, document: Document) -> int:
    """Return the approximate memory of a document that is not valid, in bytes."""
    errors = sum(_BYTES_OF_ERROR + error.size for error in document.errors)
    return _BYTES_OF_REFUSAL + getsizeof(text) + errors


class DocumentCache:
    """Parses and validates the documents for one schema, and caches them."""

    def __init__(self, schema: GraphQLSchema, policy: ExecutionPolicy) -> None:
        """Make a cache of documents for the full schema, which decides whether they are valid."""
        self._schema = schema
        self._limits = policy.limits
        self._validator = Validator(schema, policy)
        self._documents: BoundedCache[DocumentKey, Document] = BoundedCache(MAX_CACHED_BYTES, _document_size)
        self._refused: BoundedCache[str, Document] = BoundedCache(MAX_CACHED_REFUSALS, _refusal_size)

    def read(self, text: str, seen: ProfileSchema, *, as_template: bool = True) -> BoundDocument:
        """Return the document of a text, or its errors. They name only what the caller sees of the schema.

        If `as_template`, texts that differ only in their literals share a document. It has no places in the
        text, so it can't be used to report errors.
        """
        if len(text) > self._limits.characters:
            return BoundDocument(Document(self._schema, None, (too_long(text, self._limits.characters),)))
        if len(text) > MAX_CACHED_DOCUMENT_LENGTH:
            document = self.parse(text)
        else:
            known = self._documents.get(text) or self._refused.get(text)
            bound = self._read_template(text) if known is None and as_template else None
            if bound is not None:
                return bound
            document = known or self._parse_and_keep(text)
        if document.breaks_schema and document.errors and not seen.is_full:
            document = Document(self._schema, None, self._seen_errors(text, document.errors, seen))
        return BoundDocument(document)

    def _parse_and_keep(self, text: str) -> Document:
        document = self.parse(text)
        return self._refused.put(text, document) if document.errors else self._documents.put(text, document)

    def _read_template(self, text: str) -> BoundDocument | None:
        """Return the document that a text shares with others. None if it must be validated as it is."""
        template = split_literals(text)
        if template is None:
            return None
        document = self._documents.get(template.parts)
        if document is None:
            document = self._parse_template(template)
            # Otherwise, another text may well be valid.
            if document is not None:
                self._documents.put(template.parts, document)
        literals = document.bind(template) if document else None
        if document is None or literals is None:
            return None
        if document.can_compile:
            return BoundDocument(document, literals)
        # graphql-core executes the document, and reports the places of errors in the text.
        return BoundDocument(self._documents.put(text, self.parse_valid(text)))

    def _parse_template(self, template: DocumentTemplate) -> Document | None:
        try:
            ast = parse(template.text, no_location=True)  # nothing reports its places
        except GraphQLSyntaxError:
            return None
        places = self._validator.literal_places(ast)
        if places is None or len(places) < len(template.literals):
            return None
        return Document(self._schema, ast, costs=self._costs(ast), places=places)

    def parse(self, text: str) -> Document:
        """Return the document of a text as it is, or its errors. It is not cached."""
        try:
            ast = parse(text)
        except GraphQLSyntaxError as error:
            return Document(self._schema, None, (error,))
        too_much = self._validator.excess(ast)
        if too_much:
            return Document(self._schema, None, too_much)
        errors = self._validator.errors(ast)
        if errors:
            return Document(self._schema, None, errors, breaks_schema=True)
        return Document(self._schema, ast, costs=self._costs(ast))

    def parse_valid(self, text: str) -> Document:
        """Return the document of a text as it is, whose template and literals are valid. It is not cached."""
        ast = parse(text)
        return Document(self._schema, ast, costs=self._costs(ast))

    def _costs(self, ast: DocumentNode) -> DocumentCosts:
        return DocumentCosts(self._schema, ast, self._limits.cost)

    def _seen_errors(
        self, text: str, errors: Sequence[DocumentError], seen: ProfileSchema
    ) -> Sequence[GraphQLError]:
        """Return the errors of an invalid document without the names that the caller does not see.

        The messages are those for the schema that the caller sees: at the places of the errors if there are
        such, otherwise all.
        """
        try:
            found = self._validator.errors(parse(text), seen.load())
        except Refused:
            found = []
        places = frozenset[int]().union(*(error.positions for error in errors))
        same = [error for error in found if places.intersection(error.positions or ())]
        return same or found or [GraphQLError(_INVALID)]


_ABOUT_SCHEMA = frozenset({"__schema", "__type", "__typename"})


def is_about_schema(document: DocumentNode, operation: OperationDefinitionNode) -> bool:
    """Return whether an operation selects only fields about the schema."""
    roots = _roots(document, operation)
    return operation.operation is OperationType.QUERY and roots <= _ABOUT_SCHEMA


def _roots(document: DocumentNode, operation: OperationDefinitionNode) -> set[str]:
    """Return the names of all root fields, including those that directives skip."""
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
