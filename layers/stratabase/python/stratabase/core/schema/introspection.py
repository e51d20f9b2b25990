"""The introspection of schemas, as the GraphQL specification of September 2025 defines it.

graphql-core already has what drafts of the next specification propose: directives on directive definitions,
deprecated directives, and directives on the variables of fragments. Clients of the current specification
refuse a schema with locations that they don't know, so the types below leave the proposals out.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from graphql import (
    DirectiveLocation,
    GraphQLDirective,
    GraphQLEnumType,
    GraphQLField,
    GraphQLList,
    GraphQLNamedType,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    SchemaMetaFieldDef,
    TypeMetaFieldDef,
    introspection_types,
    specified_directives,
)

from stratabase.core.operations.graphql_port import GraphQLResponse
from stratabase.core.schema.execution.cache import BoundedCache, gzip_compress, gzip_decompress
from stratabase.core.schema.request.context import ResolveInfo

_PROPOSED_LOCATIONS = frozenset(
    {DirectiveLocation.DIRECTIVE_DEFINITION, DirectiveLocation.FRAGMENT_VARIABLE_DEFINITION}
)
_PROPOSED_FIELDS = frozenset({"isDeprecated", "deprecationReason"})
"""The fields of `__Directive` that the specification does not have."""


class _LocationType(GraphQLEnumType):
    """`__DirectiveLocation`."""

    reserved_types: Mapping[str, GraphQLNamedType] = {}
    """Empty, because graphql-core reserves the names of its own introspection types."""


class _ObjectType(GraphQLObjectType):
    """`__Schema` or `__Directive`."""

    reserved_types: Mapping[str, GraphQLNamedType] = {}


def _specified(directive: GraphQLDirective) -> GraphQLDirective:
    """Return a directive of graphql-core at the locations of the specification."""
    kwargs: dict[str, Any] = {**directive.to_kwargs()}
    locations = [each for each in directive.locations if each not in _PROPOSED_LOCATIONS]
    return GraphQLDirective(**{**kwargs, "locations": locations})


def _location_type() -> GraphQLEnumType:
    proposed: Any = introspection_types["__DirectiveLocation"]
    values = {
        name: value for name, value in proposed.values.items() if value.value not in _PROPOSED_LOCATIONS
    }
    return _LocationType(proposed.name, values, description=proposed.description)


def _list_of(type_: GraphQLNamedType, proposed: GraphQLField) -> GraphQLField:
    """Return a field without arguments, whose value is a list of a type, with the resolver of another."""
    list_: Any = GraphQLNonNull(GraphQLList(GraphQLNonNull(type_)))
    return GraphQLField(list_, resolve=proposed.resolve, description=proposed.description)


def _object_type(name: str, replaced: str, by: GraphQLNamedType) -> GraphQLObjectType:
    """Return the introspection type of a name. Its field `replaced` has lists of the type `by`."""
    proposed: Any = introspection_types[name]
    fields = {each: field for each, field in proposed.fields.items() if each not in _PROPOSED_FIELDS}
    fields[replaced] = _list_of(by, fields[replaced])
    return _ObjectType(name, fields, description=proposed.description)


_LOCATION = _location_type()
_DIRECTIVE = _object_type("__Directive", "locations", _LOCATION)
_SCHEMA = _object_type("__Schema", "directives", _DIRECTIVE)

DIRECTIVES = tuple(_specified(each) for each in specified_directives)
"""The directives of every generated schema."""
INTROSPECTION_TYPES: dict[str, GraphQLNamedType] = {
    type_.name: type_ for type_ in (_SCHEMA, _DIRECTIVE, _LOCATION)
}
"""The types that replace those of graphql-core, by name."""


def _described_schema(info: ResolveInfo) -> GraphQLSchema:
    """Return the schema that introspection describes: what the caller may use."""
    # Without a request, as in tests of the schema itself, there is no caller.
    return info.schema if info.context is None else info.context.profile_schema.load()


def _resolve_schema(_: Any, info: ResolveInfo) -> GraphQLSchema:
    return _described_schema(info)


def _resolve_type(_: Any, info: ResolveInfo, name: str) -> GraphQLNamedType | None:
    return _described_schema(info).get_type(name)


META_FIELDS: Mapping[str, GraphQLField] = {
    "__schema": GraphQLField(
        GraphQLNonNull(_SCHEMA), resolve=_resolve_schema, description=SchemaMetaFieldDef.description
    ),
    "__type": GraphQLField(
        TypeMetaFieldDef.type,
        TypeMetaFieldDef.args,
        _resolve_type,
        description=TypeMetaFieldDef.description,
    ),
}
"""The fields of the type `Query` that describe the schema, by name."""

MAX_CACHED_INTROSPECTIONS = 4
"""In responses. Each tool sends the same request every time."""
MAX_INTROSPECTION_BYTES = 24_000_000
"""In bytes of a response. The standard query about 100 classes takes a second or more."""
MAX_CACHED_INTROSPECTION_LENGTH = 16_384
"""In characters of a document."""
IntrospectionKey = tuple[str, str, str | None]
"""The key of the schema that is described, the text of a document, and the name of its operation."""


class IntrospectionCache:
    """A cache of the responses to requests about the schema, without variables. It keeps them compressed."""

    def __init__(self) -> None:
        self._responses: BoundedCache[IntrospectionKey, bytes] = BoundedCache(MAX_CACHED_INTROSPECTIONS)

    def get_or_execute(
        self, key: IntrospectionKey, execute: Callable[[], GraphQLResponse]
    ) -> GraphQLResponse:
        """Return the cached response, or what `execute` returns."""
        cached = self._responses.get(key)
        if cached is not None:
            return GraphQLResponse(gzip_decompress(cached), gzipped=cached)
        response = execute()
        _schema, query, _operation_name = key
        is_cacheable = (
            response.body.startswith(b'{"data"')
            and len(response.body) <= MAX_INTROSPECTION_BYTES
            and len(query) <= MAX_CACHED_INTROSPECTION_LENGTH
        )
        if not is_cacheable:
            return response
        compressed = response.gzipped or gzip_compress(response.body)
        self._responses.put(key, compressed)
        return replace(response, gzipped=compressed)
