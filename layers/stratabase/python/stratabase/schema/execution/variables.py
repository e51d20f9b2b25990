"""Coercion of variables that are plainly correct, compiled for the types that an operation declares.

For each request, graphql-core looks up the types of variables, and visits each field of an input type twice.
Here, this is prepared once for an operation. graphql-core decides about everything that is not plainly
correct.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from graphql import (
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLSchema,
    Undefined,
    VariableDefinitionNode,
    VariableValues,
    get_variable_values,
    is_required_input_field,
)

MAX_COERCED_DEPTH = 100
"""In lists and objects, each within the other. graphql-core, whose limit is higher, decides about others."""
Coerce = Callable[[Any, int], Any]
"""Returns the coerced value of a type. The second argument is the depth. Raises an exception in doubt."""


class _Doubt(Exception):
    """Only graphql-core can decide about a value."""


class VariableCoercion:
    """Coerces the variables of one operation."""

    def __init__(self, schema: GraphQLSchema, definitions: Iterable[VariableDefinitionNode]) -> None:
        self._schema = schema
        self._definitions = tuple(definitions)
        self._prepared: dict[str, tuple[Callable[[Any], Any], Coerce]] = {}
        """By variable: the function that makes graphql-core's source of its value, and that for its type."""
        self._objects: dict[GraphQLInputObjectType, Coerce] = {}
        """The functions for input objects. They are shared, because input objects can contain each other."""

    def values(self, variables: Mapping[str, Any]) -> VariableValues | list[GraphQLError]:
        """Return the coerced variables, or the errors in them."""
        prepared = self._prepared
        # A variable without a value may have a default value.
        if prepared and prepared.keys() <= variables.keys():
            with suppress(Exception):
                coerced = {name: coerce(variables[name], 0) for name, (_, coerce) in prepared.items()}
                sources = {name: source(variables[name]) for name, (source, _) in prepared.items()}
                return VariableValues(sources, coerced)
        values = get_variable_values(self._schema, self._definitions, dict(variables))
        if isinstance(values, VariableValues) and not prepared:
            self._prepared = {
                name: (partial(type(source), source.signature), self._compile(source.signature.type))
                for name, source in values.sources.items()
            }
        return values

    def _compile(self, type_: GraphQLInputType) -> Coerce:
        """Return the function that coerces the values of a type."""
        if isinstance(type_, GraphQLNonNull):
            return partial(_coerce_present, self._compile(type_.of_type))
        if isinstance(type_, GraphQLList):
            return partial(_coerce_list, self._compile(type_.of_type))
        if not isinstance(type_, GraphQLInputObjectType):
            return partial(_coerce_leaf, type_.coerce_input_value)
        if type_ not in self._objects:
            self._objects[type_] = _doubt if _is_special(type_) else self._compile_object(type_)
        return self._objects[type_]

    def _compile_object(self, type_: GraphQLInputObjectType) -> Coerce:
        required = {name for name, field in type_.fields.items() if is_required_input_field(field)}
        fields: dict[str, tuple[str, Coerce]] = {}

        def coerce_object(value: Any, depth: int) -> Any:
            if value is None:
                return None
            if not fields:
                # Only now, because the types of fields can lead back to this type.
                fields.update(
                    (name, (field.out_name or name, self._compile(field.type)))
                    for name, field in type_.fields.items()
                )
            is_object = isinstance(value, dict) and depth < MAX_COERCED_DEPTH
            if not is_object or not required <= value.keys() <= fields.keys():
                raise _Doubt
            # In the order of the type, as graphql-core does it: issues are reported in this order.
            return {
                out_name: coerce(value[name], depth + 1)
                for name, (out_name, coerce) in fields.items()
                if name in value
            }

        return coerce_object


def _is_special(type_: GraphQLInputObjectType) -> bool:
    """Return whether an input object needs more than the coercion of its fields."""
    if type_.is_one_of or type_.out_type is not GraphQLInputObjectType.out_type:
        return True
    fields = type_.fields.values()
    return any(field.default is not None or field.default_value is not Undefined for field in fields)


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


def _coerce_list(coerce: Coerce, value: Any, depth: int) -> Any:
    if value is None:
        return None
    # A value that is no list stands for a list of one.
    if not isinstance(value, list) or depth >= MAX_COERCED_DEPTH:
        raise _Doubt
    return [coerce(item, depth + 1) for item in value]
