"""The scalars that GraphQL itself does not have, and the fields that show values of no object.

The scalars accept any JSON scalar, because the meaning of a value depends on its attribute and the member's
formats. So the attribute's type reads the value later, and a wrong value becomes an issue that names the
attribute.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from graphql import (
    ConstValueNode,
    GraphQLArgument,
    GraphQLDefaultInput,
    GraphQLEnumType,
    GraphQLError,
    GraphQLField,
    GraphQLNonNull,
    GraphQLScalarType,
    GraphQLString,
    ValueNode,
)
from graphql.language import BooleanValueNode, FloatValueNode, IntValueNode, StringValueNode

from stratabase.core.model.api_names import CURSOR
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.base import AttributeType
from stratabase.core.schema.request.context import ResolveInfo
from stratabase.values.messages import _


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


_DESCRIPTIONS = {
    CURSOR: "A position in a page, from an earlier response.",
    **{name: type_.api_description for name, type_ in TYPES.items() if type_.api_description is not None},
}


def _value(name: str) -> Any:
    def coerce(value: Any) -> Any:
        if isinstance(value, list | dict):
            message = _("A list or an object is not a valid {type}. Use a string or a number.", type=name)
            raise GraphQLError(message)
        return value

    return coerce


def _literal(name: str) -> Any:
    def coerce(node: ValueNode) -> Any:
        if isinstance(node, StringValueNode | BooleanValueNode):
            return node.value
        if isinstance(node, IntValueNode | FloatValueNode):
            return _number(node.value)
        message = _("This literal is not a valid {type}. Use a string or a number.", type=name)
        raise GraphQLError(message, node)

    return coerce


def _number(text: str) -> int | str:
    """Return a short integer as an int, and any other number as its text, which keeps every digit."""
    return int(text) if len(text) < 18 and text.lstrip("-").isdigit() else text


def _scalar(name: str, description: str) -> GraphQLScalarType:
    return GraphQLScalarType(
        name,
        coerce_input_value=_value(name),
        coerce_input_literal=_literal(name),
        description=description,
    )


SCALARS = {name: _scalar(name, description) for name, description in _DESCRIPTIONS.items()}


def with_default(type_: Any, value: Any) -> GraphQLArgument:
    """Return an argument with a default value, as a client would write it in JSON."""
    return GraphQLArgument(type_, default=GraphQLDefaultInput(value))


def format_argument() -> dict[str, GraphQLArgument]:
    """Return the argument `format` of fields whose values have formats."""
    return {"format": with_default(GraphQLString, "default")}


VALUE = "value"
"""The key in the `extensions` of a field for its `ValueField`."""


class ValueField(NamedTuple):
    """The type and the attribute of a field that shows a value which is no attribute of an object."""

    type_name: str
    attribute: Attribute


def value_field(
    type_name: str, name: str, type_: AttributeType, description: str | None = None, *, nullable: bool = True
) -> GraphQLField:
    """Return a field that shows a value of a type with a scalar. Its source has the value under `name`."""
    attribute, takes_format = Attribute(name, type_), type_.takes_format

    def resolve(source: Mapping[str, Any], info: ResolveInfo, format: str | None = "default") -> Any:  # noqa: A002 - its name in the API
        value = source.get(name)
        formats = info.context.caller.formats
        return None if value is None else type_.serializer(format or "default", formats)(value)

    scalar = SCALARS[type_.name]
    return GraphQLField(
        scalar if nullable else GraphQLNonNull(scalar),
        format_argument() if takes_format else None,
        resolve,
        description=description,
        extensions={VALUE: ValueField(type_name, attribute)},
    )


def moment_field(type_name: str, name: str, description: str, *, nullable: bool = False) -> GraphQLField:
    """Return a field that shows an instant. Its source has the stored Datetime under `name`."""
    return value_field(type_name, name, TYPES["Datetime"], description, nullable=nullable)
