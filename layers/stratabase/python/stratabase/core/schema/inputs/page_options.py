"""The input types of the options of pages, and of the order and the cursor in them."""

from collections.abc import Iterator

from graphql import (
    GraphQLDefaultInput,
    GraphQLEnumType,
    GraphQLEnumValue,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLString,
)

from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.model.api_names import (
    CURSOR,
    FILTER_EXP,
    ID,
    GeneratedType,
    SortDirection,
    sort_value,
    type_name,
)
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import Class
from stratabase.core.schema.inputs.query_reader import DEFAULT_SIZE, QUERY_READER, QueryReader
from stratabase.core.schema.types.attribute_types import SCALARS, InputEnumType
from stratabase.core.schema.types.attributes import sortable_attributes
from stratabase.core.schema.types.registry import TypeRegistry

DEFAULT_ORDER = [sort_value(ID, SortDirection.ASCENDING)]
DEFAULT_OPTIONS = {"offset": 0, "next": DEFAULT_SIZE, "orderBy": DEFAULT_ORDER}


def options_type(registry: TypeRegistry, class_: Class) -> GraphQLInputObjectType:
    """Return the type `<C>PageOptions`."""
    order = GraphQLList(GraphQLNonNull(registry.type_of(GeneratedType.SORT, class_)))
    fields = {
        "filter": GraphQLInputField(registry.type_of(GeneratedType.FILTER, class_)),
        FILTER_EXP: GraphQLInputField(
            GraphQLString,
            description="A CEL condition over the attributes of an object. Objects must match `filter` too. "
            "An empty string means no condition in pages, and is an error in bulk services.",
        ),
        "offset": GraphQLInputField(GraphQLInt, description="The number of objects to skip."),
        "cursor": GraphQLInputField(
            SCALARS[CURSOR],
            description="The position to start from: a cursor of an earlier page. The page excludes it.",
        ),
        "fromCursor": GraphQLInputField(
            registry.type_of(GeneratedType.CURSOR, class_),
            description="The position to start from: values of the attributes in `orderBy`. "
            "The page includes it. Other attributes are ignored, so you can pass a whole object.",
        ),
        "next": GraphQLInputField(
            GraphQLInt, description="The maximum number of objects after the position or from the start."
        ),
        "prev": GraphQLInputField(
            GraphQLInt, description="The maximum number of objects before the position or from the end."
        ),
        "orderBy": GraphQLInputField(order, default=GraphQLDefaultInput(DEFAULT_ORDER)),
    }
    extensions = {QUERY_READER: QueryReader(registry.model, class_)}
    return GraphQLInputObjectType(
        type_name(class_.name, GeneratedType.OPTIONS), fields, extensions=extensions
    )


def deleted_options_type(registry: TypeRegistry, class_: Class) -> GraphQLInputObjectType:
    """Return the type `<C>___DeletedPageOptions`."""
    reader = QueryReader(registry.model, class_, ordering=Order.of_deletions, along_roles=False)
    fields = {
        "filter": GraphQLInputField(
            registry.type_of(GeneratedType.FILTER, class_),
            description="A filter on the last versions. It can't test roles.",
        ),
        "cursor": GraphQLInputField(
            SCALARS[CURSOR],
            description="The position to start from: a cursor of an earlier page. The page excludes it.",
        ),
        "next": GraphQLInputField(
            GraphQLInt, description="The maximum number of objects that were deleted before the position."
        ),
        "prev": GraphQLInputField(
            GraphQLInt, description="The maximum number of objects that were deleted after the position."
        ),
    }
    name = type_name(class_.name, GeneratedType.DELETED_OPTIONS)
    return GraphQLInputObjectType(name, fields, extensions={QUERY_READER: reader})


def sort_type(registry: TypeRegistry, class_: Class) -> GraphQLEnumType:
    """Return the enum of the terms of an order, for example `last_name___ASC`."""
    values = {
        sort_value(attribute.name, direction): GraphQLEnumValue(
            OrderTerm(attribute.name, descending=direction is SortDirection.DESCENDING)
        )
        for attribute in _shown(registry, class_)
        for direction in SortDirection
    }
    return InputEnumType(type_name(class_.name, GeneratedType.SORT), values)


def cursor_type(registry: TypeRegistry, class_: Class) -> GraphQLInputObjectType:
    """Return the input type of a position, which consists of attribute values."""
    fields = {
        attribute.name: GraphQLInputField(registry.input_type(attribute))
        for attribute in _shown(registry, class_)
    }
    return GraphQLInputObjectType(type_name(class_.name, GeneratedType.CURSOR), fields)


def _shown(registry: TypeRegistry, class_: Class) -> Iterator[Attribute]:
    """Yield the attributes that the types of a registry offer to sort by."""
    compares = registry.capabilities.compares
    return (each for each in sortable_attributes(class_) if compares(class_, each.name))
