"""The arguments of a field at one place of a document: read once where no variable is among them."""

from collections import deque
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

from stratabase.domain.issue import Path


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

    def unset(self, variables: Any) -> list[tuple[str, Path]]:
        """Return the variables that have no value, each with its place.

        GraphQL takes a field of an input for not written when its variable has no value.
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


def _depends(value: ValueNode) -> bool:
    """Return whether a variable is part of a value."""
    if isinstance(value, ListValueNode):
        return any(map(_depends, value.values))
    if isinstance(value, ObjectValueNode):
        return any(_depends(field.value) for field in value.fields)
    return isinstance(value, VariableNode)
