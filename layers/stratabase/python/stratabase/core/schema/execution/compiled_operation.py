"""A compiled operation, which answers requests without graphql-core's executor."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from graphql import (
    DocumentNode,
    GraphQLField,
    GraphQLObjectType,
    GraphQLSchema,
    OperationDefinitionNode,
    VariableValues,
)

from stratabase.core.schema.execution.answer_code import AnswerCompiler, NeedsGraphQLCore, ShapeAnswer
from stratabase.core.schema.execution.arguments import FieldArguments
from stratabase.core.schema.execution.cache import BoundedCache
from stratabase.core.schema.execution.fetch_plan import FetchPlan, errors_of, plan_fetch
from stratabase.core.schema.execution.selections import Selections, fragments_of, names_of
from stratabase.core.schema.execution.variables import VariableCoercion
from stratabase.core.schema.request.context import (
    RESOLVER,
    Call,
    GraphQLContext,
    ResponseWarning,
    ResultWithIssues,
)
from stratabase.values.formats.preferences import Formats

MAX_CACHED_FORMATS = 16
"""Members' formats for which the compiled fields of one operation are kept."""


class CompiledRootField(NamedTuple):
    """A root field: its response key, arguments, selection, fetch plan, and shape function."""

    key: str
    field: GraphQLField
    arguments: FieldArguments
    selected: frozenset[str]
    plan: FetchPlan
    shape: ShapeAnswer
    warnings: tuple[ResponseWarning, ...]
    """The warnings of its formats, which are constants, with paths from the root field."""


class CompiledOperation:
    """Executes one operation without graphql-core's executor, or leaves it to that."""

    def __init__(
        self, schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode
    ) -> None:
        self._schema = schema
        self._operation = operation
        self._variables = VariableCoercion(schema, operation.variable_definitions or ())
        self._selections = Selections(fragments_of(document))
        self._roots: BoundedCache[Formats, tuple[CompiledRootField, ...]] = BoundedCache(MAX_CACHED_FORMATS)
        self.is_compiled = True
        """Whether compiling has not failed for any member's formats."""

    def data(
        self, context: GraphQLContext, variables: Mapping[str, Any], literals: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """Return the `data` of the response, or None if graphql-core must execute the operation.

        `literals` are the coerced values of variables that stand for literals. The context keeps the results
        of root fields that have run, for graphql-core to use.
        """
        try:
            values = self._values(context, variables, literals)
            roots = self._compiled_roots(context.caller.formats)
            return {
                root.key: _answer_root(root, context, values, is_template=bool(literals)) for root in roots
            }
        except Exception:  # noqa: BLE001 - graphql-core runs into the same error, and reports it
            return None

    def _values(
        self, context: GraphQLContext, variables: Mapping[str, Any], literals: Mapping[str, Any]
    ) -> VariableValues:
        values = self._variables.values(variables)
        context.has_valid_variables = values is not None
        if values is None:
            raise NeedsGraphQLCore("the variables are wrong")
        return VariableValues(values.sources, {**values.coerced, **literals}) if literals else values

    def _compiled_roots(self, formats: Formats) -> tuple[CompiledRootField, ...]:
        try:
            return self._roots.get_or_make(formats, lambda: tuple(self._each_root(formats)))
        except Exception:
            self.is_compiled = False
            raise

    def _each_root(self, formats: Formats) -> Iterator[CompiledRootField]:
        shapes = AnswerCompiler(self._selections, formats)
        type_ = self._schema.get_root_type(self._operation.operation)
        for key, nodes in self._selections.collect([self._operation.selection_set]).items():
            field = type_.fields.get(nodes[0].name.value) if type_ else None
            if field is None or not isinstance(field.type, GraphQLObjectType):
                raise NeedsGraphQLCore(key)
            selected = names_of(self._selections.collect([node.selection_set for node in nodes]))
            planned = plan_fetch(self._selections, key, field, nodes)
            shape = shapes.compile(key, field.type, nodes)
            warnings = tuple(planned.format_warnings(None))
            arguments = FieldArguments(field, nodes[0])
            yield CompiledRootField(key, field, arguments, selected, planned, shape, warnings)


def _answer_root(
    root: CompiledRootField, context: GraphQLContext, values: VariableValues, *, is_template: bool
) -> Any:
    # `check_formats` is not needed: the formats are constants here, and compiling the root fields has checked
    # them all before the first one runs.
    fetch, unreadable = root.plan.fetch_checked(values, context)
    if unreadable and is_template:
        raise NeedsGraphQLCore("errors tell their places in the text of the client")
    context.add_warnings(root.key, root.warnings)
    given, unset = root.arguments.values(values), partial(root.arguments.unset, values)
    call = Call(context, root.key, given, root.selected, fetch, unset, partial(errors_of, unreadable))
    # The result stays in the context, in case graphql-core must execute the operation after all.
    source = context.root_results.get_or_run(root.key, lambda: root.field.extensions[RESOLVER](call))
    context.add_unreadable(root.key, call.unreadable_errors())
    if isinstance(source, ResultWithIssues):
        raise NeedsGraphQLCore("the response has issues beside the data")
    return None if source is None else root.shape(source, context.base_url)
