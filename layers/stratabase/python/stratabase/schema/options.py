"""`<C>PageOptions`: the input that says which part of the matches is wanted, in which order."""

from graphql import (
    GraphQLDefaultInput,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLString,
)

from stratabase.model.api_names import (
    CURSOR,
    FILTER_EXP,
    ID,
    GeneratedType,
    SortDirection,
    sort_value,
    type_name,
)
from stratabase.model.model import Class
from stratabase.schema.generation import Generation
from stratabase.schema.scalars import SCALARS

DEFAULT_ORDER = [sort_value(ID, SortDirection.ASCENDING)]
DEFAULT_SIZE = 10
DEFAULT_OPTIONS = {"offset": 0, "next": DEFAULT_SIZE, "orderBy": DEFAULT_ORDER}


def options_type(generation: Generation, class_: Class) -> GraphQLInputObjectType:
    """Return the input type."""
    order = GraphQLList(GraphQLNonNull(generation.of(GeneratedType.SORT, class_)))
    fields = {
        "filter": GraphQLInputField(generation.of(GeneratedType.FILTER, class_)),
        FILTER_EXP: GraphQLInputField(
            GraphQLString,
            description="A condition (CEL) over its own attributes; a filter must hold too. "
            "An empty text is no condition in pages, and a mistake in bulk services.",
        ),
        "offset": GraphQLInputField(GraphQLInt, description="How many to pass over."),
        "cursor": GraphQLInputField(SCALARS[CURSOR], description="A position that an earlier page gave."),
        "fromCursor": GraphQLInputField(
            generation.of(GeneratedType.CURSOR, class_),
            description="A position as values of what is ordered by; an object there belongs to the page. "
            "Of a whole object, the values that the order needs are used.",
        ),
        "next": GraphQLInputField(GraphQLInt, description="How many after the position, or from the start."),
        "prev": GraphQLInputField(GraphQLInt, description="How many before the position, or from the end."),
        "orderBy": GraphQLInputField(order, default=GraphQLDefaultInput(DEFAULT_ORDER)),
    }
    return GraphQLInputObjectType(type_name(class_.name, GeneratedType.OPTIONS), fields)
