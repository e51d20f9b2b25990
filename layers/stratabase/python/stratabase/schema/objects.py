"""`<C>`: an object as it is answered."""

from collections.abc import Callable
from typing import Any, NamedTuple

from graphql import GraphQLField, GraphQLID, GraphQLObjectType, GraphQLResolveInfo

from stratabase.domain.objects.entity import State
from stratabase.domain.query.fetch import LOCK
from stratabase.formats.preferences import DEFAULT_FORMATS
from stratabase.model.api_names import CLIENT_ID, ID, GeneratedType, type_name
from stratabase.model.attribute import Attribute
from stratabase.model.model import Class, Model
from stratabase.schema.attributes import readable, version_times
from stratabase.schema.context import Context
from stratabase.schema.fixed import format_argument
from stratabase.schema.generation import Generation
from stratabase.schema.lock_info import lock_field
from stratabase.schema.roles import role_fields

ATTRIBUTE = "attribute"
"""The extension of a field that holds which attribute it shows."""

Resolver = Callable[..., Any]
Info = GraphQLResolveInfo[Context]


class AttributeField(NamedTuple):
    """A field of a class that shows an attribute's value."""

    model: Model
    owner: Class
    attribute: Attribute


def object_type(generation: Generation, class_: Class) -> GraphQLObjectType:
    """Return the type whose source is an object's view: its state, and what its roles lead to."""

    def fields() -> dict[str, GraphQLField]:
        own = {CLIENT_ID: GraphQLField(GraphQLID), ID: GraphQLField(GraphQLID)}
        shown = (*readable(class_), *version_times(class_))
        attributes = {each.name: _field(generation, class_, each) for each in shown}
        lock = {LOCK: lock_field()}
        return own | attributes | lock | dict(role_fields(generation, class_))

    return GraphQLObjectType(
        type_name(class_.name, GeneratedType.OBJECT), fields, description=class_.description
    )


def _field(generation: Generation, class_: Class, attribute: Attribute) -> GraphQLField:
    return GraphQLField(
        generation.output(attribute),
        format_argument() if attribute.type.takes_format else None,
        _resolver(attribute),
        description=attribute.description,
        extensions={ATTRIBUTE: AttributeField(generation.model, class_, attribute)},
    )


def _resolver(attribute: Attribute) -> Resolver | None:
    if attribute.type.takes_format:
        return _in_a_format(attribute)
    return _written(attribute) if attribute.type.has_serializer else None


def _written(attribute: Attribute) -> Resolver:
    name, write = attribute.name, attribute.type.serializer("default", DEFAULT_FORMATS)

    def resolve(state: State, _: Info) -> Any:
        stored = state.get(name)
        return None if stored is None else write(stored)

    return resolve


def _in_a_format(attribute: Attribute) -> Resolver:
    """Return what writes values in a format, which was looked at before anything was read."""
    name, writer = attribute.name, attribute.type.serializer

    def resolve(state: State, info: Info, format: str | None = "default") -> Any:  # noqa: A002 - its name in the API
        stored = state.get(name)
        return None if stored is None else writer(format or "default", info.context.caller.formats)(stored)

    return resolve
