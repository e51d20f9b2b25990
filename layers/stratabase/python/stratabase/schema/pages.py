"""`<C>Page`: a part of the objects of a class."""

from graphql import (
    GraphQLBoolean,
    GraphQLField,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
)

from stratabase.model.api_names import CURSOR, GeneratedType, type_name
from stratabase.model.model import Class
from stratabase.schema.generation import Generation
from stratabase.schema.scalars import SCALARS


def page_type(generation: Generation, class_: Class) -> GraphQLObjectType:
    """Return the type whose source is a dict of its fields (those that were asked for)."""
    item = GraphQLNonNull(generation.of(GeneratedType.OBJECT, class_))
    cursor, yes_or_no = SCALARS[CURSOR], GraphQLNonNull(GraphQLBoolean)
    return GraphQLObjectType(
        type_name(class_.name, GeneratedType.PAGE),
        {
            "items": GraphQLField(GraphQLNonNull(GraphQLList(item))),
            "totalCount": GraphQLField(
                GraphQLNonNull(GraphQLInt), description="How many objects the filter matches."
            ),
            "nextCursor": GraphQLField(cursor, description="The position of the last item."),
            "prevCursor": GraphQLField(cursor, description="The position of the first item."),
            "hasNext": GraphQLField(yes_or_no),
            "hasPrev": GraphQLField(yes_or_no),
        },
    )
