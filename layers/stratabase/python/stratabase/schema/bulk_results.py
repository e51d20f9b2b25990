"""`<C>BulkResult`: the objects that a service has changed in bulk."""

from graphql import GraphQLField, GraphQLInt, GraphQLList, GraphQLNonNull, GraphQLObjectType

from stratabase.model.api_names import GeneratedType, type_name
from stratabase.model.model import Class
from stratabase.schema.generation import Generation


def bulk_result_type(generation: Generation, class_: Class) -> GraphQLObjectType:
    """Return the type whose source is a dict of its fields."""
    item = GraphQLNonNull(generation.of(GeneratedType.OBJECT, class_))
    return GraphQLObjectType(
        type_name(class_.name, GeneratedType.BULK_RESULT),
        {
            "items": GraphQLField(GraphQLNonNull(GraphQLList(item))),
            "totalCount": GraphQLField(
                GraphQLNonNull(GraphQLInt), description="How many objects were changed."
            ),
        },
    )
