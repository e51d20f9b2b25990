"""The type `<C>` of objects, with fields for their roles."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLID, GraphQLObjectType
from graphql.pyutils import Path

from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.domain.query.fetch import LOCK
from stratabase.core.model.api_names import (
    CLIENT_ID,
    ID,
    LABEL,
    REVISION,
    GeneratedType,
    associables_field,
    type_name,
)
from stratabase.core.model.model import Class, ClassKind, Model, Role
from stratabase.core.schema.request.context import ResolveInfo
from stratabase.core.schema.types.attributes import (
    attribute_field,
    label_field,
    readable_attributes,
    version_time_attributes,
)
from stratabase.core.schema.types.locks import lock_field
from stratabase.core.schema.types.registry import TypeRegistry

SHOWS_REVISION = "revision"
"""The key in the `extensions` of the field `_revision`."""
SHOWS_FACT = "fact"
"""The key in the `extensions` of a field with what only its service knows, for the field's name."""
PLANS_WRITE = "plans write"
"""The key in the `extensions` of a field for which a write of each object is planned."""
ROLE = "role"
"""The key in the `extensions` of a field for its `RoleField`."""


@dataclass(frozen=True)
class RoleField:
    """The role that a field of a class follows."""

    model: Model
    owner: Class
    role: Role
    associables: bool = False
    """Whether the field shows the objects that the role may lead to, instead of those that it leads to."""

    @property
    def target(self) -> Class:
        """The class of the objects that the field shows."""
        return self.model.classes[self.role.target]

    @property
    def name(self) -> RoleName:
        """The name of the role with its class."""
        return RoleName(self.owner.name, self.role.name)

    @property
    def paged(self) -> bool:
        """Whether the field answers a page."""
        return self.role.many or self.associables


def role_fields(registry: TypeRegistry, class_: Class) -> Iterator[tuple[str, GraphQLField]]:
    """Yield the fields of a class's roles. The field of its associables follows each association."""
    followed = (role for role in class_.roles.values() if registry.capabilities.follows(class_, role))
    for role in followed:
        yield role.name, _role_field(registry, RoleField(registry.model, class_, role), role.description)
        if not role.composition and not role.whole and role.recorded_in is None:
            candidates = RoleField(registry.model, class_, role, associables=True)
            description = f"The {role.target} objects that {role.name} can lead to."
            yield associables_field(role.name), _role_field(registry, candidates, description)


def nested_key(above: str, key: str) -> str:
    """Return the key under which a view has the value of a role's field: two response keys, joined.

    `above` is the key of the field above, because a page may show its items twice, with different selections.
    No attribute has such a name.
    """
    return f"{above}.{key}"


def _role_field(registry: TypeRegistry, field: RoleField, description: str | None) -> GraphQLField:
    if not field.paged:
        type_, arguments = registry.type_of(GeneratedType.OBJECT, field.target), None
    else:
        type_ = registry.type_of(GeneratedType.PAGE, field.target)
        arguments = {"options": GraphQLArgument(registry.type_of(GeneratedType.OPTIONS, field.target))}
    return GraphQLField(type_, arguments, resolve_keyed, description=description, extensions={ROLE: field})


def _revision_field() -> GraphQLField:
    text = "Another one after each change of the object. Send it as `ifRevision`. Null in former versions."
    return GraphQLField(GraphQLID, description=text, extensions={SHOWS_REVISION: True})


def resolve_keyed(source: Any, info: ResolveInfo, **_: Any) -> Any:
    """Return what a source has under the key of a field (`nested_key`)."""
    above = info.path.prev
    # Skip positions in lists: the key in the view has the response key of the field above.
    while isinstance(above, Path) and isinstance(above.key, int):
        above = above.prev
    assert above is not None
    # A role that the caller must not read is not in the view.
    return source.get(nested_key(str(above.key), str(info.path.key)))


def object_type(registry: TypeRegistry, class_: Class) -> GraphQLObjectType:
    """Return the type of a class's objects. Its source is a view: the state, and what the roles lead to."""

    def fields() -> dict[str, GraphQLField]:
        is_user = class_.kind is ClassKind.USERS
        own = {} if is_user else {CLIENT_ID: GraphQLField(GraphQLID)}
        own[ID] = GraphQLField(GraphQLID)
        capabilities = registry.capabilities
        attributes = {
            each.name: attribute_field(registry.model, class_, each, registry.output_type(each))
            for each in (*readable_attributes(class_), *version_time_attributes(class_))
            if capabilities.reads(class_, each.name)
        }
        label = {LABEL: label_field(registry.model, class_)} if capabilities.sees(class_) else {}
        lock = {LOCK: lock_field()} if capabilities.sees(class_) and not is_user else {}
        revision = {REVISION: _revision_field()} if capabilities.sees(class_) and class_.is_stored else {}
        return own | attributes | label | lock | revision | dict(role_fields(registry, class_))

    return GraphQLObjectType(
        type_name(class_.name, GeneratedType.OBJECT), fields, description=class_.description
    )
