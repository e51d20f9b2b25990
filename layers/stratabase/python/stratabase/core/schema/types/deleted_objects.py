"""The types of the answer of `<C>___getDeletedPage`: its page, and the deleted objects on it."""

from collections.abc import Mapping
from typing import Any

from graphql import (
    GraphQLBoolean,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLString,
)

from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.model.api_names import CURSOR, GeneratedType, type_name
from stratabase.core.model.model import Class
from stratabase.core.schema.types.attribute_types import SCALARS, moment_field
from stratabase.core.schema.types.objects import PLANS_WRITE, SHOWS_FACT
from stratabase.core.schema.types.registry import TypeRegistry

DELETED_BY, RESTORABLE = "deletedBy", "restorable"
_OBJECT, _DELETED_ON = "object", "deletedOn"


def deleted_source(view: Any, ended: Instant, author: str | None, *, restorable: bool) -> Mapping[str, Any]:
    """Return the source of a deleted object. `view`: of its last version. `author`: who deleted it."""
    return {
        _OBJECT: view,
        _DELETED_ON: format_instant(ended),
        DELETED_BY: author,
        RESTORABLE: restorable,
    }


def deleted_page_type(registry: TypeRegistry, class_: Class) -> GraphQLObjectType:
    """Return the type `<C>___DeletedPage`. Its source is a dict of the fields that are selected."""
    item = GraphQLNonNull(registry.type_of(GeneratedType.DELETED_OBJECT, class_))
    cursor, yes_or_no = SCALARS[CURSOR], GraphQLNonNull(GraphQLBoolean)
    return GraphQLObjectType(
        type_name(class_.name, GeneratedType.DELETED_PAGE),
        {
            "items": GraphQLField(GraphQLNonNull(GraphQLList(item))),
            "nextCursor": GraphQLField(cursor, description="The cursor of the last item."),
            "prevCursor": GraphQLField(cursor, description="The cursor of the first item."),
            "hasNext": GraphQLField(yes_or_no, description="Whether more objects were deleted before."),
            "hasPrev": GraphQLField(yes_or_no, description="Whether more objects were deleted after."),
        },
    )


def deleted_object_type(registry: TypeRegistry, class_: Class) -> GraphQLObjectType:
    """Return the type `<C>___DeletedObject`. `deleted_source` makes its source."""
    name = type_name(class_.name, GeneratedType.DELETED_OBJECT)
    return GraphQLObjectType(
        name,
        {
            _OBJECT: GraphQLField(
                GraphQLNonNull(registry.type_of(GeneratedType.OBJECT, class_)),
                description="The last version of the object, with what its roles led to.",
            ),
            _DELETED_ON: moment_field(name, _DELETED_ON, "When the object was deleted."),
            DELETED_BY: GraphQLField(
                GraphQLString,
                description="The username of the member who deleted the object, or null if it is unknown.",
                extensions={SHOWS_FACT: DELETED_BY},
            ),
            RESTORABLE: GraphQLField(
                GraphQLNonNull(GraphQLBoolean),
                description="Whether the kept versions and your permissions allow you to restore the object.",
                extensions={SHOWS_FACT: RESTORABLE, PLANS_WRITE: True},
            ),
        },
    )
