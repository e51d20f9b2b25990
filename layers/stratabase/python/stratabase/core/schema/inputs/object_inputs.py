"""Make the input types of objects from the table of families."""

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

from stratabase.core.domain.access.capabilities import Capabilities
from stratabase.core.model.api_names import (
    CLIENT_ID,
    ID,
    IF_REVISION_OF_PART,
    REVISION,
    GeneratedType,
    type_name,
)
from stratabase.core.model.model import Action, Class, ClassKind, Role
from stratabase.core.schema.inputs.input_table import INPUT_TABLE, IdField, InputTypeSpec, RoleInput
from stratabase.core.schema.types.attributes import writable_attributes
from stratabase.core.schema.types.registry import TypeRegistry

_ID_TYPES: Mapping[IdField, Any] = {IdField.OPTIONAL: GraphQLID, IdField.REQUIRED: GraphQLNonNull(GraphQLID)}


def object_input_factory(family: GeneratedType) -> Callable[[TypeRegistry, Class], GraphQLInputObjectType]:
    """Return the function that makes a class's input type of a family."""
    spec = INPUT_TABLE[family]

    def make(registry: TypeRegistry, class_: Class) -> GraphQLInputObjectType:
        def fields() -> dict[str, GraphQLInputField]:
            # Called when the fields are first used, because input types refer to one another.
            return dict(_object_fields(registry, class_, spec))

        return GraphQLInputObjectType(type_name(class_.name, family), fields, description=class_.description)

    return make


def is_empty_input(capabilities: Capabilities, class_: Class, family: GeneratedType) -> bool:
    """Return whether an input type would have no field, so that it does not exist."""
    spec = INPUT_TABLE[family]
    has_id = _id_field(capabilities, class_, spec) is not IdField.NONE or spec.client_id
    names = [each.name for each in writable_attributes(class_)]
    names += [role.name for role in _writable_roles(class_)]
    return not has_id and not any(capabilities.sets(class_, name, spec.actions) for name in names)


def _id_field(capabilities: Capabilities, class_: Class, spec: InputTypeSpec) -> IdField:
    """Return whether an input has the `_id`. A draft has none, or a required one, if it can't mean both."""
    if class_.kind is ClassKind.SINGLETON:
        return IdField.NONE
    if spec.id is IdField.OPTIONAL and not capabilities.updates(class_):
        return IdField.NONE
    is_update = spec.id is IdField.OPTIONAL and not capabilities.creates(class_)
    return IdField.REQUIRED if is_update else spec.id


def _object_fields(
    registry: TypeRegistry, class_: Class, spec: InputTypeSpec
) -> Iterator[tuple[str, GraphQLInputField]]:
    capabilities = registry.capabilities
    id_field = _id_field(capabilities, class_, spec)
    if id_field is not IdField.NONE:
        yield ID, GraphQLInputField(_ID_TYPES[id_field])
        if class_.part:
            text = f"Write only if the part still has this `{REVISION}`."
            yield IF_REVISION_OF_PART, GraphQLInputField(GraphQLID, description=text)
    if spec.client_id:
        yield (
            CLIENT_ID,
            GraphQLInputField(
                GraphQLID, description="An id that the client chooses for the object, valid in this request."
            ),
        )
    attributes = (
        each for each in writable_attributes(class_) if capabilities.sets(class_, each.name, spec.actions)
    )
    for attribute in attributes:
        type_ = registry.input_type(attribute)
        required = spec.enforces_required and attribute.required and attribute.default is None
        yield (
            attribute.name,
            GraphQLInputField(
                GraphQLNonNull(type_) if required else type_, description=attribute.description
            ),
        )
    for role in _writable_roles(class_):
        if capabilities.sets(class_, role.name, spec.actions):
            yield role.name, _role_field(registry, role, spec.role_input(role))


def _writable_roles(class_: Class) -> Iterator[Role]:
    """Yield the roles that clients can set: all but those from a part to its whole, and those to users."""
    return (role for role in class_.roles.values() if not role.whole and role.recorded_in is None)


def _role_field(registry: TypeRegistry, role: Role, role_input: RoleInput) -> GraphQLInputField:
    target = registry.model.classes[role.target]
    type_ = GraphQLID if role_input.family is None else registry.type_of(role_input.family, target)
    input_type = GraphQLList(type_) if role_input.is_list else type_
    required = role_input.enforces_required and role.required
    description = "\n\n".join(filter(None, (role.description, role_input.description))) or None
    return GraphQLInputField(GraphQLNonNull(input_type) if required else input_type, description=description)


FieldType = GeneratedType | Any
"""A family of inputs of the role's target class, or a GraphQL type. A list contains one of these."""
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
"""By family of inputs for roles: the types of its fields by name. Brackets mark lists."""


_MAY_CHANGE_PARTS: Mapping[str, Callable[[Capabilities, Class], bool]] = {
    "create": lambda profile, part: profile.changes_parts(part, Action.CREATE),
    "update": lambda profile, part: profile.changes_parts(part, Action.EDIT),
    "save": lambda profile, part: profile.saves_parts(part),
    "delete": lambda profile, part: profile.changes_parts(part, Action.DELETE),
    "deleteAll": lambda profile, part: profile.deletes_all(part),
}
"""By field for parts: whether a profile may use it."""


def role_input_factory(family: GeneratedType) -> Callable[[TypeRegistry, Class], GraphQLInputObjectType]:
    """Return the function that makes the input type for roles that lead to a class."""

    def make(registry: TypeRegistry, class_: Class) -> GraphQLInputObjectType:
        def fields() -> dict[str, GraphQLInputField]:
            return {
                name: GraphQLInputField(_field_type(registry, class_, field_type))
                for name, field_type in ROLE_INPUT_FIELDS[family].items()
                if name not in _MAY_CHANGE_PARTS or _MAY_CHANGE_PARTS[name](registry.capabilities, class_)
            }

        return GraphQLInputObjectType(type_name(class_.name, family), fields)

    return make


def _field_type(registry: TypeRegistry, class_: Class, type_: FieldType) -> Any:
    if isinstance(type_, list):
        return GraphQLList(_field_type(registry, class_, type_[0]))
    return registry.type_of(type_, class_) if isinstance(type_, GeneratedType) else type_
