"""The type of enums in input values."""

from typing import Any

from graphql import ConstValueNode, GraphQLEnumType


class InputEnumType(GraphQLEnumType):
    """An enum that suggests similar values only if it is asked to.

    graphql-core coerces values to find out whether they are right, and drops the error. To compare a wrong
    value with all values of the enum takes longer than the rest.
    """

    def coerce_input_value(self, input_value: Any, hide_suggestions: bool = True) -> Any:  # noqa: FBT001, FBT002 - graphql-core's
        """Return the value of a name in a variable. Raises GraphQLError."""
        return super().coerce_input_value(input_value, hide_suggestions)

    def coerce_input_literal(self, value_node: ConstValueNode, hide_suggestions: bool = True) -> Any:  # noqa: FBT001, FBT002 - graphql-core's
        """Return the value of a name in a document. Raises GraphQLError."""
        return super().coerce_input_literal(value_node, hide_suggestions)
