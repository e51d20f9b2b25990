"""The input types of objects, by the table."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from graphql import (
    GraphQLBoolean,
    GraphQLID,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
)

from stratabase.model.api_names import CLIENT_ID, ID, GeneratedType, type_name
from stratabase.model.model import Class, ClassKind, Role
from stratabase.schema.inputs.input_table import INPUT_TABLE, IdField, InputTypeSpec, RoleInput
from stratabase.schema.types.attributes import writable_attributes
from stratabase.schema.types.registry import TypeRegistry

_ID_TYPES: Mapping[IdField, Any] = {IdField.OPTIONAL: GraphQLID, IdField.REQUIRED: GraphQLNonNull(GraphQLID)}


def object_input_factory(family: GeneratedType) -> Callable[[TypeRegistry, Class], GraphQLInputObjectType]:
    """Return what makes the inputs of a family."""
    row = INPUT_TABLE[family]

    def make(registry: TypeRegistry, class_: Class) -> GraphQLInputObjectType:
        def fields() -> dict[str, GraphQLInputField]:
            return dict(_object_fields(registry, class_, row))

        return GraphQLInputObjectType(type_name(class_.name, family), fields, description=class_.description)

    return make


def is_empty_input(class_: Class, family: GeneratedType) -> bool:
    """Return whether an input would have no field, so that there is none."""
    row = INPUT_TABLE[family]
    named = (row.id is not IdField.NONE and class_.kind is not ClassKind.SINGLETON) or row.client_id
    return not named and not any(writable_attributes(class_)) and not any(_given_roles(class_))


def _object_fields(
    registry: TypeRegistry, class_: Class, row: InputTypeSpec
) -> Iterator[tuple[str, GraphQLInputField]]:
    if row.id is not IdField.NONE and class_.kind is not ClassKind.SINGLETON:
        yield ID, GraphQLInputField(_ID_TYPES[row.id])
    if row.client_id:
        yield (
            CLIENT_ID,
            GraphQLInputField(GraphQLID, description="What the client calls the object in this request."),
        )
    for attribute in writable_attributes(class_):
        type_ = registry.input_type(attribute)
        needed = row.demanding and attribute.required
        yield (
            attribute.name,
            GraphQLInputField(GraphQLNonNull(type_) if needed else type_, description=attribute.description),
        )
    for role in _given_roles(class_):
        yield role.name, _role_field(registry, role, row.role_input(role))


def _given_roles(class_: Class) -> Iterator[Role]:
    """Yield the roles that clients give: all but those back to a whole."""
    return (role for role in class_.roles.values() if not role.whole)


def _role_field(registry: TypeRegistry, role: Role, column: RoleInput) -> GraphQLInputField:
    target = registry.model.classes[role.target]
    type_ = GraphQLID if column.family is None else registry.type_of(column.family, target)
    given = GraphQLList(type_) if column.listed else type_
    needed = column.demanding and role.required
    about = "\n\n".join(filter(None, (role.description, column.about))) or None
    return GraphQLInputField(GraphQLNonNull(given) if needed else given, description=about)


FieldType = GeneratedType | Any
"""A family of inputs of the class that the role leads to, or another type."""


_ROLE_REFS = {"add": [GraphQLID], "remove": [GraphQLID], "removeAll": GraphQLBoolean}


ROLE_INPUT_FIELDS: Mapping[GeneratedType, Mapping[str, FieldType]] = {
    GeneratedType.ROLE_REF: {"set": GraphQLID, "remove": GraphQLBoolean},
    GeneratedType.ROLE_REFS: _ROLE_REFS,
    GeneratedType.DRAFT_ROLE_REFS: _ROLE_REFS,
    GeneratedType.ROLE_OBJECT: {
        "create": GeneratedType.CREATE,
        "update": GeneratedType.UPDATE,
        "delete": GraphQLBoolean,
    },
    GeneratedType.ROLE_OBJECTS: {
        "create": [GeneratedType.CREATE],
        "update": [GeneratedType.UPDATE],
        "delete": [GraphQLID],
        "deleteAll": GraphQLBoolean,
    },
    GeneratedType.DRAFT_ROLE_OBJECTS: {
        "save": [GeneratedType.DRAFT],
        "delete": [GraphQLID],
        "deleteAll": GraphQLBoolean,
    },
    GeneratedType.DRAFT_UPDATE_ROLE_OBJECT: {
        "create": GeneratedType.DRAFT_CREATE,
        "update": GeneratedType.DRAFT_UPDATE,
        "delete": GraphQLBoolean,
    },
    GeneratedType.DRAFT_UPDATE_ROLE_OBJECTS: {
        "create": [GeneratedType.DRAFT_CREATE],
        "update": [GeneratedType.DRAFT_UPDATE],
        "delete": [GraphQLID],
        "deleteAll": GraphQLBoolean,
    },
}
"""What each has; a list in brackets."""


def role_input_factory(family: GeneratedType) -> Callable[[TypeRegistry, Class], GraphQLInputObjectType]:
    """Return what makes the inputs of a family for the classes that roles lead to."""

    def make(registry: TypeRegistry, class_: Class) -> GraphQLInputObjectType:
        def fields() -> dict[str, GraphQLInputField]:
            return {
                name: GraphQLInputField(_field_type(registry, class_, given))
                for name, given in ROLE_INPUT_FIELDS[family].items()
            }

        return GraphQLInputObjectType(type_name(class_.name, family), fields)

    return make


def _field_type(registry: TypeRegistry, class_: Class, given: FieldType) -> Any:
    if isinstance(given, list):
        return GraphQLList(_field_type(registry, class_, given[0]))
    return registry.type_of(given, class_) if isinstance(given, GeneratedType) else given
