"""The arguments of a field at one place of a document: read once where no variable is among them."""

from collections.abc import Mapping
from typing import Any

from graphql import (
    FieldNode,
    GraphQLField,
    ListValueNode,
    ObjectValueNode,
    ValueNode,
    VariableNode,
    get_argument_values,
)


class Arguments:
    """What is given to a field."""

    def __init__(self, field: GraphQLField, node: FieldNode) -> None:
        self._field = field
        self._node = node
        self._known: Mapping[str, Any] | None = None

    def values(self, variables: Any) -> Mapping[str, Any]:
        """Return the values, coerced, which nobody may change. Raises GraphQLError."""
        if self._known is not None:
            return self._known
        values = get_argument_values(self._field, self._node, variables)
        if not any(_depends(argument.value) for argument in self._node.arguments or ()):
            self._known = values
        return values


def _depends(value: ValueNode) -> bool:
    """Return whether a variable is part of a value."""
    if isinstance(value, ListValueNode):
        return any(map(_depends, value.values))
    if isinstance(value, ObjectValueNode):
        return any(_depends(field.value) for field in value.fields)
    return isinstance(value, VariableNode)
