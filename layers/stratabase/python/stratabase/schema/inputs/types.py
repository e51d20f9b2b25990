"""The input types of objects, by the table."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from graphql import GraphQLID, GraphQLInputField, GraphQLInputObjectType, GraphQLList, GraphQLNonNull

from stratabase.model.api_names import CLIENT_ID, ID, GeneratedType, type_name
from stratabase.model.model import Class, ClassKind, Role
from stratabase.schema.attributes import writable
from stratabase.schema.generation import Generation
from stratabase.schema.inputs.row import Column, Id, Row
from stratabase.schema.inputs.table import TABLE

_IDS: Mapping[Id, Any] = {Id.OPTIONAL: GraphQLID, Id.REQUIRED: GraphQLNonNull(GraphQLID)}


def maker(family: GeneratedType) -> Callable[[Generation, Class], GraphQLInputObjectType]:
    """Return what makes the inputs of a family."""
    row = TABLE[family]

    def make(generation: Generation, class_: Class) -> GraphQLInputObjectType:
        def fields() -> dict[str, GraphQLInputField]:
            return dict(_fields(generation, class_, row))

        return GraphQLInputObjectType(type_name(class_.name, family), fields, description=class_.description)

    return make


def is_empty(class_: Class, family: GeneratedType) -> bool:
    """Return whether an input would have no field, so that there is none."""
    row = TABLE[family]
    named = (row.id is not Id.NONE and class_.kind is not ClassKind.SINGLETON) or row.client_id
    return not named and not any(writable(class_)) and not any(_roles(class_))


def _fields(generation: Generation, class_: Class, row: Row) -> Iterator[tuple[str, GraphQLInputField]]:
    if row.id is not Id.NONE and class_.kind is not ClassKind.SINGLETON:
        yield ID, GraphQLInputField(_IDS[row.id])
    if row.client_id:
        yield (
            CLIENT_ID,
            GraphQLInputField(GraphQLID, description="What the client calls the object in this request."),
        )
    for attribute in writable(class_):
        type_ = generation.input(attribute)
        needed = row.demanding and attribute.required
        yield (
            attribute.name,
            GraphQLInputField(GraphQLNonNull(type_) if needed else type_, description=attribute.description),
        )
    for role in _roles(class_):
        yield role.name, _role(generation, role, row.column(role))


def _roles(class_: Class) -> Iterator[Role]:
    """Yield the roles that clients give: all but those back to a whole."""
    return (role for role in class_.roles.values() if not role.whole)


def _role(generation: Generation, role: Role, column: Column) -> GraphQLInputField:
    target = generation.model.classes[role.target]
    type_ = GraphQLID if column.family is None else generation.of(column.family, target)
    given = GraphQLList(type_) if column.listed else type_
    needed = column.demanding and role.required
    about = "\n\n".join(filter(None, (role.description, column.about))) or None
    return GraphQLInputField(GraphQLNonNull(given) if needed else given, description=about)
