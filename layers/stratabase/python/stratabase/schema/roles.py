"""The fields of `<C>` that lead to other objects, and to those that may be associated."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLResolveInfo
from graphql.pyutils import Path

from stratabase.domain.objects.entity import RoleName
from stratabase.model.api_names import GeneratedType, associables_field
from stratabase.model.model import Class, Model, Role
from stratabase.schema.context import Context
from stratabase.schema.generation import Generation
from stratabase.schema.query_reading import QueryReader

ROLE = "role"
"""The extension of a field that holds the role by which it leads on."""

Info = GraphQLResolveInfo[Context]


@dataclass(frozen=True)
class RoleField:
    """A field of a class that leads to objects of another."""

    model: Model
    owner: Class
    role: Role
    associables: bool = False
    """It leads to what may be associated."""

    @property
    def target(self) -> Class:
        """The class of the objects to which it leads."""
        return self.model.classes[self.role.target]

    @property
    def name(self) -> RoleName:
        """What identifies the role."""
        return RoleName(self.owner.name, self.role.name)

    @property
    def paged(self) -> bool:
        """Whether it answers a page."""
        return self.role.many or self.associables

    @cached_property
    def reader(self) -> QueryReader:
        """What reads the options of its pages."""
        return QueryReader(self.model, self.target)


def role_fields(generation: Generation, class_: Class) -> Iterator[tuple[str, GraphQLField]]:
    """Yield the fields of a class's roles; each association is followed by its associables."""
    for role in class_.roles.values():
        yield role.name, _field(generation, RoleField(generation.model, class_, role), role.description)
        if not role.composition and not role.whole:
            candidates = RoleField(generation.model, class_, role, associables=True)
            description = f"The {role.target} objects that {role.name} may lead to."
            yield associables_field(role.name), _field(generation, candidates, description)


def spot(above: str, key: str) -> str:
    """Return where a view holds what a field leads to, by the response keys of the field and the one above.

    No attribute is called that, and no field that selects otherwise has the same spot: a page may show its
    items twice, under two keys.
    """
    return f"{above}.{key}"


def _field(generation: Generation, field: RoleField, description: str | None) -> GraphQLField:
    if not field.paged:
        type_, arguments = generation.of(GeneratedType.OBJECT, field.target), None
    else:
        type_ = generation.of(GeneratedType.PAGE, field.target)
        arguments = {"options": GraphQLArgument(generation.of(GeneratedType.OPTIONS, field.target))}
    return GraphQLField(type_, arguments, _resolve, description=description, extensions={ROLE: field})


def _resolve(source: Any, info: Info, **_: Any) -> Any:
    above = info.path.prev
    while isinstance(above, Path) and isinstance(above.key, int):
        above = above.prev
    assert above is not None
    return source[spot(str(above.key), str(info.path.key))]
