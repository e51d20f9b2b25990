"""A compiled operation, which answers requests without graphql-core's executor.

It generates a function for each selected object, which builds its answer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from textwrap import indent
from types import CodeType
from typing import Any, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLEnumType,
    GraphQLError,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    OperationDefinitionNode,
    VariableNode,
    VariableValues,
    get_argument_values,
)

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.model.api_names import CURSOR
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.types import ID_TYPE, TYPES
from stratabase.core.schema.execution.arguments import FieldArguments
from stratabase.core.schema.execution.cache import BoundedCache
from stratabase.core.schema.execution.fetch_plan import FetchPlan, errors_of, plan_fetch
from stratabase.core.schema.execution.selections import Selections, fragments_of, names_of
from stratabase.core.schema.execution.variables import VariableCoercion
from stratabase.core.schema.request.context import (
    RESOLVER,
    Fallback,
    GraphQLContext,
    ResponseWarning,
    ResultWithIssues,
    ServiceCall,
)
from stratabase.core.schema.types.attribute_types import VALUE, ValueField
from stratabase.core.schema.types.attributes import ATTRIBUTE, AttributeField
from stratabase.core.schema.types.files import LINK, file_source
from stratabase.core.schema.types.groups import TOTALS
from stratabase.core.schema.types.objects import ROLE, nested_key
from stratabase.values.formats.date_pattern import SliceFormat
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import Formats


class NeedsGraphQLCore(Exception):
    """Only graphql-core can execute the operation, or complete a value."""


def reject() -> Any:
    """Raise NeedsGraphQLCore, within an expression."""
    raise NeedsGraphQLCore


PIECE = 50
"""The number of objects of a list after which other requests have their turn."""
MAX_COMPILED_CHARACTERS = 262_144
"""In characters of source. The code takes about 5 bytes for each."""
_COMPILED: BoundedCache[str, CodeType] = BoundedCache(MAX_COMPILED_CHARACTERS, lambda source, _: len(source))
"""By source: its code, which does not depend on the model."""


class AnswerCode:
    """Python source under construction, with the values that it refers to.

    The source has no names of fields: they are among the values. So selections of as many fields of the same
    kinds have the same source, which is compiled once.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._names: dict[str, Any] = {"reject": reject}

    def bind(self, value: Any) -> str:
        """Return a name by which the source can use a value."""
        name = f"c{len(self._names)}"
        self._names[name] = value
        return name

    def add_function(self, expression: str, *, of_list: bool) -> str:
        """Add a function of a source, or of a list of them (`of_list`), and return its name.

        In `expression`, `source` is a source, which is a dict, and `base_url` is the root URL of all links.
        """
        name = f"f{len(self._lines)}"
        # A call for each object of a list would take a seventh of the time.
        parameter, result = (
            ("sources", f"[{expression} for source in sources]") if of_list else ("source", expression)
        )
        self._lines.append(f"def {name}({parameter}):\n    return {result}\n")
        return name

    def compile(self, name: str) -> "ShapeAnswer":
        """Compile the source, and return the function with a name, which also takes the root URL of links."""
        names = dict(self._names)
        # The functions are inside another one, so that they know the URL, and no call has to pass it.
        functions = indent("\n".join(self._lines), "    ")
        source = f"def shape(source, base_url):\n{functions}\n    return {name}(source)\n"
        code = _COMPILED.get_or_make(source, lambda: compile(source, "<answer>", "exec"))
        exec(code, names)  # noqa: S102 - no text of a client is in it
        shape: ShapeAnswer = names["shape"]
        return shape


ShapeAnswer = Callable[[Any, str], Any]
"""Makes the answer of a field from its source value and the root URL of all links."""

_PYTHON = {CURSOR: "str"} | {
    each.name: each.storage.python_type.__name__
    for each in (ID_TYPE, *TYPES.values())
    if not (each.has_serializer or each.holds_file)
}
"""By scalar: the one Python type whose values need no conversion."""


class AnswerCompiler:
    """Compiles the fields of one document, for a member's formats."""

    def __init__(self, selections: Selections, formats: Formats) -> None:
        self._selections = selections
        self._formats = formats

    def compile(self, key: str, type_: GraphQLObjectType, nodes: Sequence[FieldNode]) -> ShapeAnswer:
        """Return the function that makes the answer of an object field from its source.

        `key` is its response key.

        The function raises NeedsGraphQLCore if a value is not plainly correct. Raises NeedsGraphQLCore if
        the selection cannot be compiled, and InvalidValue for an invalid format.
        """
        code = AnswerCode()
        return code.compile(self._object(code, key, type_, nodes))

    def _object(
        self,
        code: AnswerCode,
        above: str,
        type_: GraphQLObjectType,
        nodes: Sequence[FieldNode],
        *,
        of_list: bool = False,
    ) -> str:
        """Add the function for what the field with the key `above` shows, and return its name.

        That is an object, or a list of objects (`of_list`).
        """
        collected = self._selections.collect([node.selection_set for node in nodes])
        entries = (
            f"{code.bind(key)}: {self._entry(code, (above, key), type_, nodes)}"
            for key, nodes in collected.items()
        )
        return code.add_function("{" + ", ".join(entries) + "}", of_list=of_list)

    def _entry(
        self, code: AnswerCode, keys: tuple[str, str], parent: GraphQLObjectType, nodes: Sequence[FieldNode]
    ) -> str:
        name = nodes[0].name.value
        if name == "__typename":
            return code.bind(parent.name)
        field = parent.fields[name]
        # A null in a non-null field is an error, which graphql-core must report.
        nullable = not isinstance(field.type, GraphQLNonNull)
        type_ = field.type if nullable else field.type.of_type
        value = self._value_expression(code, keys[-1], field, type_, nodes)
        source = self._source_expression(code, keys, field, nodes)
        return f"({'None' if nullable else 'reject()'} if (v := {source}) is None else {value})"

    def _source_expression(
        self, code: AnswerCode, keys: tuple[str, str], field: GraphQLField, nodes: Sequence[FieldNode]
    ) -> str:
        """Return the expression for the source value of a field."""
        shown: AttributeField | None = field.extensions.get(ATTRIBUTE)
        if shown is not None and shown.attribute.type.holds_file and self._selects_link(nodes):
            source = file_source(shown.owner.name, shown.attribute.name)
            return f"{code.bind(source)}(source, base_url)"
        if shown is not None:
            return f"source.get({code.bind(shown.attribute.name)})"
        is_keyed = ROLE in field.extensions or TOTALS in field.extensions
        return f"source.get({code.bind(nested_key(*keys) if is_keyed else nodes[0].name.value)})"

    def _selects_link(self, nodes: Sequence[FieldNode]) -> bool:
        """Return whether the link of a file is selected. The other fields are those of the stored value."""
        return LINK in names_of(self._selections.collect([node.selection_set for node in nodes]))

    def _value_expression(
        self, code: AnswerCode, key: str, field: GraphQLField, type_: Any, nodes: Sequence[FieldNode]
    ) -> str:
        """Return the expression for the answer of a value `v` that is not null."""
        if isinstance(type_, GraphQLObjectType):
            return f"{self._object(code, key, type_, nodes)}(v)"
        if isinstance(type_, GraphQLList):
            return self._list(code, key, type_, nodes)
        extensions = field.extensions
        shown: AttributeField | ValueField | None = extensions.get(ATTRIBUTE) or extensions.get(VALUE)
        if shown is not None and shown.attribute.type.has_serializer:
            writer = self._writer(shown.attribute, field, nodes[0])
            if isinstance(writer, SliceFormat) and writer.expression:
                return writer.expression
            # Serial numbers are integers. What else `str` writes is text already.
            return "(v if v.__class__ is str else str(v))" if writer is str else f"{code.bind(writer)}(v)"
        if isinstance(type_, GraphQLEnumType):
            return f"(v if v in {code.bind(frozenset(type_.values))} else reject())"
        return self._scalar(type_.name)

    def _list(self, code: AnswerCode, key: str, type_: Any, nodes: Sequence[FieldNode]) -> str:
        item = type_.of_type
        if not isinstance(item, GraphQLNonNull):
            raise NeedsGraphQLCore(str(type_))
        if isinstance(item.of_type, GraphQLObjectType):
            shape = self._object(code, key, item.of_type, nodes, of_list=True)
            return f"({shape}(v) if len(v) <= {PIECE} else {code.bind(_shape_in_pieces)}({shape}, v))"
        return f"[{self._scalar(item.of_type.name)} for v in v]"

    def _scalar(self, name: str) -> str:
        if name not in _PYTHON:
            raise NeedsGraphQLCore(name)
        return f"(v if v.__class__ is {_PYTHON[name]} else reject())"

    def _writer(self, attribute: Attribute, field: GraphQLField, node: FieldNode) -> Callable[[Any], Any]:
        # The format becomes part of the compiled function, so it must be the same for each request.
        if any(isinstance(argument.value, VariableNode) for argument in node.arguments or ()):
            raise NeedsGraphQLCore("an argument that depends on a variable")
        pattern = get_argument_values(field, node).get("format") or "default"
        return attribute.type.serializer(pattern, self._formats)


def _shape_in_pieces(shape: Callable[[Sequence[Any]], list[Any]], sources: Sequence[Any]) -> list[Any]:
    """Return the answers of the objects of a long list, and let other requests proceed meanwhile."""
    found = list[Any]()
    for start in range(0, len(sources), PIECE):
        found += shape(sources[start : start + PIECE])
        waiting.give_way()
    return found


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
        self._last_roots: tuple[Formats | None, tuple[CompiledRootField, ...]] = (None, ())
        """Those of the last request. Most requests are of the member who sent the one before."""
        self._roots: BoundedCache[Formats, tuple[CompiledRootField, ...]] = BoundedCache(MAX_CACHED_FORMATS)
        self.can_compile = True
        """Whether compiling has not failed yet, for the formats of any member."""

    def data(
        self,
        context: GraphQLContext,
        variables: Mapping[str, Any],
        literals: Mapping[str, Any],
        report_fault: Callable[[Exception], None],
    ) -> dict[str, Any] | None:
        """Return the `data` of the response, or None if graphql-core must execute the operation.

        `literals` are the coerced values of variables that stand for literals. The context keeps the results
        of root fields that have run, for graphql-core to use, and why it must. `report_fault` is called with
        an exception that graphql-core does not run into.
        """
        try:
            values = self._values(context, variables, literals)
            roots = self._compiled_roots(context.caller.formats)
            return {
                root.key: _answer_root(root, context, values, is_template=bool(literals)) for root in roots
            }
        except NeedsGraphQLCore:
            is_refused = context.has_valid_variables is False
            context.fallback = Fallback.REFUSED if is_refused else Fallback.UNSUPPORTED
        except Exception as error:  # noqa: BLE001 - graphql-core answers nevertheless
            is_refusal = isinstance(error, Refusal | GraphQLError | InvalidValue)
            # What a field has raised, graphql-core raises again, and reports it.
            if is_refusal or context.root_results.has_failed_with(error):
                context.fallback = Fallback.REFUSED
            else:
                context.fallback = Fallback.FAULT
                report_fault(error)
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
        known, roots = self._last_roots
        if known is formats:
            return roots
        try:
            roots = self._roots.get_or_make(formats, lambda: tuple(self._each_root(formats)))
        except Exception:
            self.can_compile = False
            raise
        self._last_roots = formats, roots
        return roots

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
    if root.warnings:
        context.add_warnings(root.key, root.warnings)
    given, unset = root.arguments.values(values), partial(root.arguments.unset, values)
    errors = partial(errors_of, unreadable) if unreadable else tuple
    call = ServiceCall(context, root.key, given, root.selected, fetch, unset, errors)
    # The result stays in the context, in case graphql-core must execute the operation after all.
    source = context.root_results.get_or_run(root.key, lambda: root.field.extensions[RESOLVER](call))
    if unreadable:
        context.add_unreadable(root.key, call.unreadable_errors())
    if isinstance(source, ResultWithIssues):
        raise NeedsGraphQLCore("the response has issues beside the data")
    return None if source is None else root.shape(source, context.base_url)
