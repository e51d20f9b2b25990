"""Coercion of variables that are plainly correct, compiled for the types that an operation declares.

For each request, graphql-core looks up the types of variables, and visits each field of an input type twice.
Here, this is prepared once for an operation. graphql-core decides about everything that is not plainly
correct.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from graphql import (
    GraphQLError,
    GraphQLID,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLSchema,
    GraphQLString,
    Undefined,
    VariableDefinitionNode,
    VariableValues,
    get_variable_values,
    is_required_input_field,
)
from graphql.execution.values import VariableValueSource
from graphql.utilities.coerce_input_value import coerce_default_value

from stratabase.core.schema.execution.arguments import is_plain

MAX_COERCED_DEPTH = 100
"""In lists and objects, each within the other. graphql-core, whose limit is higher, decides about others."""
Coerce = Callable[[Any, int], Any]
"""Returns the coerced value of a type. The second argument is the depth. Raises an exception in doubt."""


_TEXTS = (GraphQLString, GraphQLID)
"""Types that coerce a text to itself."""


class _Doubt(Exception):
    """Only graphql-core can decide about a value."""


class _Variable(NamedTuple):
    """A variable of an operation."""

    name: str
    source: Callable[..., Any]
    """Makes graphql-core's source of its value, or of no value."""
    coerce: Coerce
    default: Any
    """Coerced. Undefined if it has none."""
    is_required: bool


def coerce_variables(
    schema: GraphQLSchema, definitions: Iterable[VariableDefinitionNode], variables: Mapping[str, Any]
) -> VariableValues | None:
    """Return the coerced variables of an operation, or None if any is wrong."""
    # It stops at the first error, and makes no suggestions.
    values = get_variable_values(
        schema, tuple(definitions), dict(variables), max_errors=0, hide_suggestions=True
    )
    return values if isinstance(values, VariableValues) else None


def variable_errors(
    schema: GraphQLSchema,
    definitions: Iterable[VariableDefinitionNode],
    variables: Mapping[str, Any],
    maximum: int,
) -> Sequence[GraphQLError]:
    """Return the first errors of the variables of an operation, without suggestions."""
    values = get_variable_values(schema, tuple(definitions), dict(variables), maximum, hide_suggestions=True)
    # If there are more, another error says so.
    return [] if isinstance(values, VariableValues) else values


class VariableCoercion:
    """Coerces the variables of one operation."""

    def __init__(self, schema: GraphQLSchema, definitions: Iterable[VariableDefinitionNode]) -> None:
        self._schema = schema
        self._definitions = tuple(definitions)
        self._prepared: tuple[_Variable, ...] | None = None if self._definitions else ()
        """The variables in their order. None before the first request."""
        self._objects: dict[GraphQLInputObjectType, Coerce] = {}
        """The functions for input objects. They are shared, because input objects can contain each other."""

    def values(self, variables: Mapping[str, Any]) -> VariableValues | None:
        """Return the coerced variables, or None if any is wrong."""
        if self._prepared is not None:
            try:
                return _coerce_plain(self._prepared, variables)
            except (_Doubt, GraphQLError):
                pass  # graphql-core decides about everything that is not plainly right
        values = coerce_variables(self._schema, self._definitions, variables)
        if values is not None and self._prepared is None:
            self._prepared = tuple(self._prepare(name, source) for name, source in values.sources.items())
        return values

    def _prepare(self, name: str, source: VariableValueSource) -> "_Variable":
        signature = source.signature
        default = coerce_default_value(signature)
        is_required = default is Undefined and isinstance(signature.type, GraphQLNonNull)
        make_source: Callable[..., Any] = partial(VariableValueSource, signature)
        return _Variable(name, make_source, self._compile(signature.type), default, is_required)

    def _compile(self, type_: GraphQLInputType) -> Coerce:
        """Return the function that coerces the values of a type."""
        nullable = type_.of_type if isinstance(type_, GraphQLNonNull) else type_
        coerce = self._compile_nullable(nullable)
        if nullable is not type_:
            coerce = partial(_coerce_present, coerce)
        return partial(_coerce_text, coerce) if nullable in _TEXTS else coerce

    def _compile_nullable(self, type_: Any) -> Coerce:
        if isinstance(type_, GraphQLList):
            return partial(_coerce_list, self._compile(type_.of_type))
        if not isinstance(type_, GraphQLInputObjectType):
            return partial(_coerce_leaf, type_.coerce_input_value)
        if type_ not in self._objects:
            self._objects[type_] = self._compile_object(type_) if is_plain(type_) else _doubt
        return self._objects[type_]

    def _compile_object(self, type_: GraphQLInputObjectType) -> Coerce:
        required = {name for name, field in type_.fields.items() if is_required_input_field(field)}
        fields: dict[str, tuple[str, Coerce, Any]] = {}

        def coerce_object(value: Any, depth: int) -> Any:
            if value is None:
                return None
            if not fields:
                # Only now, because the types of fields can lead back to this type.
                fields.update(
                    (name, (field.out_name or name, self._compile(field.type), coerce_default_value(field)))
                    for name, field in type_.fields.items()
                )
            is_object = isinstance(value, dict) and depth < MAX_COERCED_DEPTH
            if not is_object or not required <= value.keys() <= fields.keys():
                raise _Doubt
            # In the order of the type, as graphql-core does it: issues are reported in this order.
            return {
                out_name: coerce(value[name], depth + 1) if name in value else default
                for name, (out_name, coerce, default) in fields.items()
                if name in value or default is not Undefined
            }

        return coerce_object


def _coerce_plain(prepared: Iterable[_Variable], variables: Mapping[str, Any]) -> VariableValues:
    """Return the coerced variables of a request. Raises an exception in doubt."""
    sources: dict[str, Any] = {}
    coerced: dict[str, Any] = {}
    for name, source, coerce, default, is_required in prepared:
        if name in variables:
            coerced[name] = coerce(variables[name], 0)
            sources[name] = source(variables[name])
            continue
        if is_required:
            raise _Doubt
        sources[name] = source()
        if default is not Undefined:
            coerced[name] = default
    return VariableValues(sources, coerced)


def _doubt(_value: Any, _depth: int) -> Any:
    raise _Doubt


def _coerce_present(coerce: Coerce, value: Any, depth: int) -> Any:
    if value is None:
        raise _Doubt
    return coerce(value, depth)


def _coerce_leaf(coerce: Callable[[Any], Any], value: Any, _depth: int) -> Any:
    if value is None:
        return None
    coerced = coerce(value)
    if coerced is Undefined:
        raise _Doubt
    return coerced


def _coerce_text(coerce: Coerce, value: Any, depth: int) -> Any:
    return value if value.__class__ is str else coerce(value, depth)


def _coerce_list(coerce: Coerce, value: Any, depth: int) -> Any:
    if value is None:
        return None
    # A value that is not a list stands for a list of one.
    if not isinstance(value, list) or depth >= MAX_COERCED_DEPTH:
        raise _Doubt
    return [coerce(item, depth + 1) for item in value]
