"""Errors of values in documents and variables: they say where the value is, and what belongs there."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from graphql import GraphQLError, GraphQLInputObjectType, GraphQLSchema, ValueNode
from graphql.language import ListValueNode, ObjectValueNode
from graphql.utilities import validate_input_literal
from graphql.validation import ValuesOfCorrectTypeRule

from stratabase.messages import _, or_list

_MAX_NAMED_FIELDS = 4
"""An input with more fields is described in the schema. Those that change a role have at most four."""
_NO_OBJECT = re.compile(r"Expected value of type '(\w+)!?' to be an object")
_OBJECT_FOR_ID = re.compile(r"ID cannot represent .*?value: \{")


def with_advice(error: GraphQLError, schema: Callable[[], GraphQLSchema]) -> GraphQLError:
    """Return an error of a value, with advice if an object is expected, or an ID in place of an object.

    `schema` returns the schema that the caller sees.
    """
    if match := _NO_OBJECT.search(error.message):
        type_ = schema().type_map.get(match[1])
        if isinstance(type_, GraphQLInputObjectType) and len(type_.fields) <= _MAX_NAMED_FIELDS:
            fields = or_list(type_.fields)
            advice = _("{problem} Use an object with {fields}.", problem=error.message, fields=fields)
            return _changed(error, advice)
    elif _OBJECT_FOR_ID.search(error.message):
        advice = _("{problem}. Use the _id of an object that exists.", problem=error.message)
        return _changed(error, advice)
    return error


class ValuesWithPlaces(ValuesOfCorrectTypeRule):
    """The rule on literals, whose errors have advice, and all have a place."""

    def is_valid_value_node(self, node: ValueNode, input_type: Any) -> Any:
        """Report the errors of a literal."""
        schema = self.context.schema

        def report(error: GraphQLError, path: list[str | int]) -> None:
            self.report_error(with_advice(_placed(error, node, path), lambda: schema))

        if input_type:
            validate_input_literal(node, input_type, report, hide_suggestions=self.context.hide_suggestions)
        return self.SKIP


def _placed(error: GraphQLError, root: ValueNode, path: Sequence[str | int]) -> GraphQLError:
    """Return an error with the place of the value at a path. graphql-core loses the places of objects."""
    if error.locations:
        return error
    node = root
    for key in path:
        if isinstance(node, ObjectValueNode):
            node = next(field.value for field in node.fields if field.name.value == key)
        elif isinstance(node, ListValueNode):
            node = node.values[int(key)]
    place = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    if not place:
        return _changed(error, error.message, node)
    message = _("Invalid value at {place}: {problem}", place=place, problem=error.message)
    return _changed(error, message, node)


def _changed(error: GraphQLError, message: str, node: ValueNode | None = None) -> GraphQLError:
    """Return an error with another message, and with the place of a node if there is one."""
    return GraphQLError(message, node or error.nodes, original_error=error.original_error)
