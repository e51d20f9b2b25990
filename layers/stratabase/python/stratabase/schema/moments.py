"""Fields that show a moment which is no attribute of a class: in a format, as attributes are shown."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from graphql import GraphQLField, GraphQLNonNull, GraphQLResolveInfo

from stratabase.model.attribute import Attribute
from stratabase.model.types import TYPES
from stratabase.schema.context import Context
from stratabase.schema.fixed import format_argument
from stratabase.schema.scalars import SCALARS

MOMENT = "moment"
"""The extension of a field that holds which moment it shows."""

Info = GraphQLResolveInfo[Context]


class MomentField(NamedTuple):
    """A field of a type that shows a moment."""

    type_name: str
    attribute: Attribute


def moment_field(type_name: str, name: str, description: str, *, nullable: bool = False) -> GraphQLField:
    """Return the field; its source has the moment under its name, as a Datetime is stored."""
    attribute = Attribute(name, TYPES["Datetime"])

    def resolve(source: Mapping[str, Any], info: Info, format: str | None = "default") -> Any:  # noqa: A002 - its name in the API
        value = source[name]
        formats = info.context.caller.formats
        return None if value is None else attribute.type.serializer(format or "default", formats)(value)

    scalar = SCALARS["Datetime"]
    return GraphQLField(
        scalar if nullable else GraphQLNonNull(scalar),
        format_argument(),
        resolve,
        description=description,
        extensions={MOMENT: MomentField(type_name, attribute)},
    )
