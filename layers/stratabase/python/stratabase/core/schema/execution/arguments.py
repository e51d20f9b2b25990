"""Coercion of the arguments of a field, compiled for the values that a document gives them.

For each request, graphql-core visits the whole literal of an argument if a variable is in it. Here, what has
no variables is coerced once for a document. graphql-core decides about what is not plainly correct, such as a
null where none is allowed.
"""

from collections import deque
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any

from graphql import (
    FieldNode,
    GraphQLArgument,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    ListValueNode,
    ObjectValueNode,
    Undefined,
    ValueNode,
    VariableNode,
    get_argument_values,
)
from graphql.utilities.coerce_input_value import coerce_default_value, coerce_input_literal

from stratabase.core.domain.issues.issue import Path

Known = Mapping[str, Any]
"""By name: the coerced values of the variables that have one."""
_Coerce = Callable[[Known], Any]
"""Returns a coerced value. Undefined if it counts as missing. Raises _Doubt."""
_Inputs = Mapping[str, GraphQLArgument] | Mapping[str, GraphQLInputField]


class _Doubt(Exception):
    """Only graphql-core can coerce a value."""


class FieldArguments:
    """The arguments of a field in a document, coerced for each request."""

    def __init__(self, field: GraphQLField, node: FieldNode) -> None:
        self._field = field
        self._node = node

    def values(self, variables: Any) -> Mapping[str, Any]:
        """Return the coerced values by name. Callers must not change them. Raises GraphQLError."""
        if self._compiled is not None:
            try:
                values: Mapping[str, Any] = self._compiled(variables.coerced)
            except _Doubt:
                pass
            else:
                return values
        return get_argument_values(self._field, self._node, variables)

    # Only compiled operations ask for the values again and again, so this is not prepared before.
    @cached_property
    def _compiled(self) -> _Coerce | None:
        """The function that coerces all arguments. None if only graphql-core can do it."""
        given = {each.name.value: each.value for each in self._node.arguments or ()}
        try:
            return _compile_inputs(self._field.args, given)
        except _Doubt:
            return None

    def unset(self, variables: Any) -> list[tuple[str, Path]]:
        """Return the variables in the arguments that have no value, each with its path.

        GraphQL treats an input field as missing if its variable has no value.
        """
        waiting: deque[tuple[ValueNode, Path]] = deque(
            (argument.value, (argument.name.value,)) for argument in self._node.arguments or ()
        )
        found: list[tuple[str, Path]] = []
        while waiting:
            value, path = waiting.popleft()
            if isinstance(value, VariableNode):
                found += [] if value.name.value in variables.coerced else [(value.name.value, path)]
            elif isinstance(value, ListValueNode):
                waiting += [(each, (*path, number)) for number, each in enumerate(value.values)]
            elif isinstance(value, ObjectValueNode):
                waiting += [(field.value, (*path, field.name.value)) for field in value.fields]
        return found


def _compile_inputs(inputs: _Inputs, given: Mapping[str, ValueNode]) -> _Coerce:
    """Return the function that coerces arguments or the fields of an input object. Raises _Doubt."""
    if not given.keys() <= inputs.keys():
        raise _Doubt
    # The values that never change, and None for the others. They are in the order of the type, as those of
    # graphql-core are, because issues are reported in this order.
    values: dict[str, Any] = {}
    varying: list[tuple[str, _Coerce]] = []
    for name, definition in inputs.items():
        node = given.get(name)
        # Filters have hundreds of fields, of which a document uses few.
        if node is None and _can_be_left_out(definition):
            continue
        out_name, default = definition.out_name or name, coerce_default_value(definition)
        if node is None:
            constant = default
        elif isinstance(node, VariableNode):
            values[out_name] = None
            varying.append((out_name, _of_variable(node, definition.type, default)))
            continue
        elif _has_variable(node):
            values[out_name] = None
            varying.append((out_name, _compile_value(node, definition.type)))
            continue
        else:
            constant = _constant(node, definition.type)
        if constant is not Undefined:
            values[out_name] = constant
        elif isinstance(definition.type, GraphQLNonNull):
            raise _Doubt
    return partial(_fill, values, varying) if varying else lambda _: values


def _can_be_left_out(definition: GraphQLArgument | GraphQLInputField) -> bool:
    """Return whether an input has no default value and is not required."""
    has_default = definition.default is not None or definition.default_value is not Undefined
    return not has_default and not isinstance(definition.type, GraphQLNonNull)


def _fill(values: dict[str, Any], varying: list[tuple[str, _Coerce]], known: Known) -> dict[str, Any]:
    filled = values.copy()
    for name, coerce in varying:
        value = coerce(known)
        if value is Undefined:
            del filled[name]
        else:
            filled[name] = value
    return filled


def _compile_value(node: ValueNode, type_: GraphQLInputType) -> _Coerce:
    """Return the function that coerces a value of a list or an object. Raises _Doubt."""
    if isinstance(node, VariableNode):
        return _of_variable(node, type_, None)
    if not _has_variable(node):
        constant = _constant(node, type_)
        return lambda _: constant
    if isinstance(type_, GraphQLNonNull):
        type_ = type_.of_type
    if isinstance(type_, GraphQLList):
        # A value that is not a list stands for a list of one.
        items = node.values if isinstance(node, ListValueNode) else (node,)
        coerced = [_compile_value(item, type_.of_type) for item in items]
        return lambda known: [coerce(known) for coerce in coerced]
    if isinstance(type_, GraphQLInputObjectType) and isinstance(node, ObjectValueNode) and is_plain(type_):
        return _compile_inputs(type_.fields, {field.name.value: field.value for field in node.fields})
    raise _Doubt


def is_plain(type_: GraphQLInputObjectType) -> bool:
    """Return whether an input object needs no more than the coercion of its fields."""
    return not type_.is_one_of and type_.out_type is GraphQLInputObjectType.out_type


def _of_variable(node: VariableNode, type_: GraphQLInputType, default: Any) -> _Coerce:
    """Return the function that takes the value of a variable, or a default if it has none.

    A default of None stands for graphql-core.
    """
    variable, is_required = node.name.value, isinstance(type_, GraphQLNonNull)

    def coerce(known: Known) -> Any:
        value = known.get(variable, default)
        # A null, or no value: graphql-core decides whether that is allowed.
        if value is None and (is_required or variable not in known):
            raise _Doubt
        if value is Undefined and is_required:
            raise _Doubt
        return value

    return coerce


def _constant(node: ValueNode, type_: GraphQLInputType) -> Any:
    """Return the coerced value of a literal without variables. Raises _Doubt if it is wrong."""
    value = coerce_input_literal(node, type_)
    if value is Undefined:
        raise _Doubt
    return value


def _has_variable(value: ValueNode) -> bool:
    """Return whether a value contains a variable."""
    if isinstance(value, ListValueNode):
        return any(map(_has_variable, value.values))
    if isinstance(value, ObjectValueNode):
        return any(_has_variable(field.value) for field in value.fields)
    return isinstance(value, VariableNode)
