"""An operation of a document, made ready to be answered again and again."""

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple

from graphql import (
    BREAK,
    DirectiveNode,
    DocumentNode,
    GraphQLField,
    GraphQLObjectType,
    GraphQLSchema,
    OperationDefinitionNode,
    VariableNode,
    Visitor,
    get_variable_values,
    visit,
)

from stratabase.formats.preferences import Formats
from stratabase.schema.arguments import Arguments
from stratabase.schema.compiled.shapes import Shape, Shapes, Uncompilable
from stratabase.schema.context import Call, Context, Partial
from stratabase.schema.fetching.plan import Plan, plan
from stratabase.schema.selections import Selections, fragments_of, names_of
from stratabase.schema.services.service import ANSWER

MOST_FORMATS = 16
"""For how many members' formats the shapes of one operation are kept."""


class Root(NamedTuple):
    """A root field: its response key, what it is given, what is selected below, and how that is shaped."""

    key: str
    field: GraphQLField
    arguments: Arguments
    selected: frozenset[str]
    plan: Plan
    shape: Shape


class Program:
    """Answers one operation without graphql-core's executor, or leaves it to that."""

    def __init__(
        self, schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode
    ) -> None:
        self._schema = schema
        self._operation = operation
        self._selections = Selections(fragments_of(document))
        self._roots = lru_cache(maxsize=MOST_FORMATS)(self._compiled)

    def data(self, context: Context, variables: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the answer's `data`, None when graphql-core must execute the operation.

        What was done by then is in the context's outcomes.
        """
        try:
            values = self._values(variables)
            roots = self._roots(context.caller.formats)
            return {root.key: _answered(root, context, values) for root in roots}
        except Exception:  # noqa: BLE001 - graphql-core meets the same again, and reports it
            return None

    def _values(self, variables: Mapping[str, Any]) -> Any:
        definitions = self._operation.variable_definitions
        values = get_variable_values(self._schema, definitions or (), dict(variables))
        if isinstance(values, list):
            raise Uncompilable("the variables are wrong")
        return values

    def _compiled(self, formats: Formats) -> tuple[Root, ...]:
        return tuple(self._each_root(formats))

    def _each_root(self, formats: Formats) -> Iterator[Root]:
        shapes = Shapes(self._selections, formats)
        type_ = self._schema.get_root_type(self._operation.operation)
        for key, nodes in self._selections.collect([self._operation.selection_set]).items():
            field = type_.fields.get(nodes[0].name.value) if type_ else None
            if field is None or not isinstance(field.type, GraphQLObjectType):
                raise Uncompilable(key)
            selected = names_of(self._selections.collect([node.selection_set for node in nodes]))
            planned = plan(self._selections, key, field, nodes)
            shape = shapes.shape(key, field.type, nodes)
            yield Root(key, field, Arguments(field, nodes[0]), selected, planned, shape)


def _answered(root: Root, context: Context, values: Any) -> Any:
    fetch = root.plan.fetch(values, context)
    given, unset = root.arguments.values(values), partial(root.arguments.unset, values)
    call = Call(context, root.key, given, root.selected, fetch, unset)
    source = context.outcomes.of(root.key, lambda: root.field.extensions[ANSWER](call))
    if isinstance(source, Partial):
        raise Uncompilable("errors are told beside the answer")
    return None if source is None else root.shape(source)


def compilable(document: DocumentNode) -> bool:
    """Return whether what a document selects is the same whatever its variables are."""
    finder = _Directives()
    visit(document, finder)
    return not finder.found


class _Directives(Visitor):
    """Notes whether there is a directive whose effect depends on variables."""

    found = False

    def enter_directive(self, node: DirectiveNode, *_: Any) -> Any:
        if any(isinstance(argument.value, VariableNode) for argument in node.arguments or ()):
            self.found = True
            return BREAK
        return None
