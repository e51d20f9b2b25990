"""`<C>Sort` and `<C>Cursor`: orders of a class's objects, and positions in them."""

from graphql import GraphQLEnumType, GraphQLEnumValue, GraphQLInputField, GraphQLInputObjectType

from stratabase.domain.query.order import OrderTerm
from stratabase.model.api_names import GeneratedType, SortDirection, sort_value, type_name
from stratabase.model.model import Class
from stratabase.schema.attributes import sortable
from stratabase.schema.generation import Generation


def sort_type(_: Generation, class_: Class) -> GraphQLEnumType:
    """Return the enum whose values are the terms of an order."""
    values = {
        sort_value(attribute.name, direction): GraphQLEnumValue(
            OrderTerm(attribute.name, descending=direction is SortDirection.DESCENDING)
        )
        for attribute in sortable(class_)
        for direction in SortDirection
    }
    return GraphQLEnumType(type_name(class_.name, GeneratedType.SORT), values)


def cursor_type(generation: Generation, class_: Class) -> GraphQLInputObjectType:
    """Return the input that gives a position as attribute values."""
    fields = {
        attribute.name: GraphQLInputField(generation.input(attribute)) for attribute in sortable(class_)
    }
    return GraphQLInputObjectType(type_name(class_.name, GeneratedType.CURSOR), fields)
