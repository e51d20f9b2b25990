"""Which attributes the types of a class have, and the fields that show them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from graphql import GraphQLField, GraphQLString

from stratabase.core.domain.objects.entity import State
from stratabase.core.domain.objects.version import VERSION_END, VERSION_START
from stratabase.core.domain.query.fetch import View
from stratabase.core.model.api_names import ID
from stratabase.core.model.attribute import Attribute, Origin
from stratabase.core.model.model import Class, Model
from stratabase.core.model.types import ID_TYPE, LABEL_TYPE, TYPES
from stratabase.core.schema.request.context import ResolveInfo
from stratabase.core.schema.types.attribute_types import format_argument
from stratabase.core.schema.types.files import file_source
from stratabase.values.formats.preferences import DEFAULT_FORMATS

ID_ATTRIBUTE = Attribute(ID, ID_TYPE)
"""The attribute `_id` of every object, for filters and orders."""

_VERSION_TIMES = tuple(
    Attribute(name, TYPES["Datetime"], description=description)
    for name, description in {
        VERSION_START: "When this version began.",
        VERSION_END: "When this version ended, or null if it is the current one.",
    }.items()
)


def readable_attributes(class_: Class) -> Iterator[Attribute]:
    """Yield the attributes in answers, except for `_id`."""
    yield from class_.attributes.values()


def version_time_attributes(class_: Class) -> tuple[Attribute, ...]:
    """Return the start and the end of versions, which can be selected and sorted by, but not filtered by."""
    return _VERSION_TIMES if class_.versioned else ()


def filterable_attributes(class_: Class) -> Iterator[Attribute]:
    """Yield the attributes to filter by, `_id` first."""
    yield ID_ATTRIBUTE
    yield from readable_attributes(class_)


def sortable_attributes(class_: Class) -> Iterator[Attribute]:
    """Yield the attributes to sort by, `_id` first."""
    yield from filterable_attributes(class_)
    yield from version_time_attributes(class_)


def writable_attributes(class_: Class) -> Iterator[Attribute]:
    """Yield the attributes that clients can set: native ones that are not serial numbers."""
    numbered = class_.serials
    native = (attribute for attribute in readable_attributes(class_) if attribute.origin is Origin.NATIVE)
    yield from (attribute for attribute in native if attribute.name not in numbered)


ATTRIBUTE = "attribute"
"""The key in the `extensions` of a field for its `AttributeField`."""
Resolver = Callable[..., Any]


class AttributeField(NamedTuple):
    """The attribute that a field of a class shows."""

    model: Model
    owner: Class
    attribute: Attribute

    @property
    def is_label(self) -> bool:
        """Whether the field shows a label, which is null if the caller may not read it."""
        return self.attribute.type is LABEL_TYPE


def attribute_field(model: Model, class_: Class, attribute: Attribute, type_: Any) -> GraphQLField:
    """Return the field of a class's object type that shows an attribute in a GraphQL type."""
    return GraphQLField(
        type_,
        format_argument() if attribute.type.takes_format else None,
        _attribute_resolver(class_, attribute),
        description=attribute.description,
        extensions={ATTRIBUTE: AttributeField(model, class_, attribute)},
    )


def label_field(model: Model, class_: Class) -> GraphQLField:
    """Return the field of a class's object type that shows the label of an object."""
    attribute = class_.label_attribute
    text = "A short text that tells the object from others. Null if you can't read what it consists of."
    if attribute is None:
        return GraphQLField(GraphQLString, description=text)  # states have no such value
    return attribute_field(model, class_, replace(attribute, description=text), GraphQLString)


def _attribute_resolver(class_: Class, attribute: Attribute) -> Resolver | None:
    if attribute.type.holds_file:
        return _resolve_file(class_, attribute)
    if attribute.type.takes_format:
        return _resolve_formatted(attribute)
    return _resolve_written(attribute) if attribute.type.has_serializer else None


def _resolve_file(class_: Class, attribute: Attribute) -> Resolver:
    source = file_source(class_.name, attribute.name)

    def resolve(view: View, info: ResolveInfo) -> Any:
        return source(view, info.context.base_url)

    return resolve


def _resolve_written(attribute: Attribute) -> Resolver:
    name, write = attribute.name, attribute.type.serializer("default", DEFAULT_FORMATS)

    def resolve(state: State, _: ResolveInfo) -> Any:
        stored = state.get(name)
        return None if stored is None else write(stored)

    return resolve


def _resolve_formatted(attribute: Attribute) -> Resolver:
    """Return a resolver that writes values in a format. The format was checked before anything was read."""
    name, writer = attribute.name, attribute.type.serializer

    def resolve(state: State, info: ResolveInfo, format: str | None = "default") -> Any:  # noqa: A002 - its name in the API
        stored = state.get(name)
        return None if stored is None else writer(format or "default", info.context.caller.formats)(stored)

    return resolve
