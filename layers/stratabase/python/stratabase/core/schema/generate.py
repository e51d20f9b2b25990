"""Make the GraphQL schema of a model. Its types and services are made when they are first used."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from types import MappingProxyType

from graphql import (
    GraphQLCompositeType,
    GraphQLField,
    GraphQLID,
    GraphQLInputObjectType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
)

from stratabase.core.domain.access.capabilities import Capabilities
from stratabase.core.model import api_names
from stratabase.core.model.api_names import GeneratedType, candidate_class_names, class_name_of, service_name
from stratabase.core.model.model import Class, Model
from stratabase.core.model.users import USER
from stratabase.core.schema.inputs import input_table, object_inputs
from stratabase.core.schema.inputs.filter_type import filter_type
from stratabase.core.schema.inputs.page_options import (
    cursor_type,
    deleted_options_type,
    options_type,
    sort_type,
)
from stratabase.core.schema.introspection import DIRECTIVES, INTROSPECTION_TYPES, META_FIELDS
from stratabase.core.schema.services import MODEL_MUTATIONS, MUTATIONS, QUERIES, ServiceKind
from stratabase.core.schema.types import groups
from stratabase.core.schema.types.deleted_objects import (
    deleted_object_type,
    deleted_page_type,
)
from stratabase.core.schema.types.objects import object_type
from stratabase.core.schema.types.registry import LazyMapping, TypeFactory, TypeRegistry
from stratabase.core.schema.types.results import bulk_result_type, page_type

Types = Mapping[str, GraphQLNamedType]
_MAX_STEPS = 3
"""How many fields away from the services of a class its types are searched."""
_MAX_CLASSES = 8
"""The number of classes to search before all types are made."""


class TypeMap(Mapping[str, GraphQLNamedType]):
    """The types that services lead to, by name. A type is made when it is looked up.

    `known` has the types that exist from the start, `services` returns the fields of a class's services, and
    `make_all` returns all types.
    """

    def __init__(
        self,
        model: Model,
        known: Types,
        services: Callable[[Class], Iterable[GraphQLField]],
        make_all: Callable[[], Types],
    ) -> None:
        self._model = model
        self._services = services
        self._make_every = make_all
        self._found = dict(known)

    def __getitem__(self, name: str) -> GraphQLNamedType:
        if name not in self._found:
            self._found[name] = self._search(name) or self._every[name]
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    def __len__(self) -> int:
        return len(self._every)

    @cached_property
    def _every(self) -> Types:
        return self._make_every()

    def _search(self, name: str) -> GraphQLNamedType | None:
        """Return the type with a name if the services of the likeliest classes lead to it."""
        # All types have been made already, so there is nothing to search.
        if "_every" in self.__dict__:
            return None
        # Making all types of a large model takes longer than a request. Search from the likeliest classes.
        for class_ in islice(_unique(self._candidate_classes(name)), _MAX_CLASSES):
            for types in islice(_types_by_distance(self._services(class_)), _MAX_STEPS):
                if name in types:
                    return types[name]
        return None

    def _candidate_classes(self, name: str) -> Iterator[Class]:
        """Yield the classes named in the type's name, then those that lead to these, then all others."""
        classes = self._model.classes
        own = [classes[each] for each in candidate_class_names(name) if each in classes]
        yield from own
        names = {name, *(class_.name for class_ in own)}
        yield from (class_ for class_ in classes.values() if names & _names_reached(class_))
        yield from classes.values()


def _unique(classes: Iterable[Class]) -> Iterator[Class]:
    return iter({class_.name: class_ for class_ in classes}.values())


def _names_reached(class_: Class) -> set[str]:
    """Return the classes that the roles of a class lead to, and the types of its attributes."""
    targets = {role.target for role in class_.roles.values()}
    return targets | {attribute.type.name for attribute in class_.attributes.values()}


def _types_by_distance(fields: Iterable[GraphQLField]) -> Iterator[dict[str, GraphQLNamedType]]:
    """Yield the types that fields lead to, then the types that these lead to, and so on."""
    types = {type_.name: type_ for field in fields for type_ in _types_of(field)}
    seen = dict(types)
    while types:
        yield types
        beyond = {further.name: further for type_ in types.values() for further in _types_in(type_)}
        types = {name: type_ for name, type_ in beyond.items() if name not in seen}
        seen |= types


def _types_in(type_: GraphQLNamedType) -> Iterator[GraphQLNamedType]:
    if isinstance(type_, GraphQLObjectType):
        for field in type_.fields.values():
            yield from _types_of(field)
    elif isinstance(type_, GraphQLInputObjectType):
        yield from (get_named_type(field.type) for field in type_.fields.values())


def _types_of(field: GraphQLField) -> Iterator[GraphQLNamedType]:
    yield get_named_type(field.type)
    yield from (get_named_type(argument.type) for argument in field.args.values())


TYPE_FACTORIES: dict[GeneratedType, TypeFactory] = {
    GeneratedType.OBJECT: object_type,
    GeneratedType.PAGE: page_type,
    GeneratedType.OPTIONS: options_type,
    GeneratedType.CURSOR: cursor_type,
    GeneratedType.SORT: sort_type,
    GeneratedType.FILTER: filter_type,
    GeneratedType.BULK_RESULT: bulk_result_type,
    GeneratedType.AGGREGATES: groups.aggregates_of_class,
    GeneratedType.GROUP: groups.group_type,
    GeneratedType.GROUP_KEY: groups.group_key_type,
    GeneratedType.GROUP_KEYS: groups.group_keys_type,
    GeneratedType.GROUP_PAGE: groups.group_page_type,
    GeneratedType.GROUP_SORT: groups.group_sort_type,
    GeneratedType.GROUP_FILTER: groups.group_filter_type,
    GeneratedType.DELETED_OPTIONS: deleted_options_type,
    GeneratedType.DELETED_PAGE: deleted_page_type,
    GeneratedType.DELETED_OBJECT: deleted_object_type,
    **{family: object_inputs.object_input_factory(family) for family in input_table.INPUT_TABLE},
    **{family: object_inputs.role_input_factory(family) for family in object_inputs.ROLE_INPUT_FIELDS},
}
"""By family: the function that makes the type of a class."""


class NothingServed(Exception):
    """No class of the model has services, so that there is no schema."""

    def __init__(self, model: Model) -> None:
        super().__init__(
            f"No class of the application {model.application} has services. "
            "Write one that is exposed, and no part of another."
        )


def generate_schema(model: Model, capabilities: Capabilities | None = None) -> GraphQLSchema:
    """Return the schema of a model's services. Raises NothingServed.

    It shows what a profile with these capabilities may use. If they are None, it shows everything.

    Types are made when they are first used, because most processes use few of them.
    """
    registry = TypeRegistry(model, TYPE_FACTORIES, capabilities)
    query = _root_type(api_names.QUERY, QUERIES, registry)
    mutation = _root_type(api_names.MUTATION, MUTATIONS, registry, MODEL_MUTATIONS)
    if query is None:
        raise NothingServed(model)
    return GeneratedSchema(model, query, mutation)


class RootFields(Mapping[str, GraphQLField]):
    """The fields of a root type by name, in the order of the model's classes and then of the services."""

    def __init__(
        self,
        registry: TypeRegistry,
        services: Sequence[ServiceKind],
        other_factories: Mapping[str, Callable[[TypeRegistry], GraphQLField]],
    ) -> None:
        """`other_factories` has the functions that make the fields of no class, by name."""
        self._services = services
        self._other_factories = other_factories
        self._registry = registry
        self._other_fields: LazyMapping[str, GraphQLField] = LazyMapping(
            lambda name: other_factories[name](registry)
        )
        self._class_fields = LazyMapping(self._make)

    def of(self, class_: Class) -> Mapping[str, GraphQLField]:
        """Return the fields of a class."""
        return self._class_fields[class_.name]

    def _make(self, class_name: str) -> dict[str, GraphQLField]:
        return dict(self._fields(self._registry.model.classes[class_name]))

    def _fields(self, class_: Class) -> Iterator[tuple[str, GraphQLField]]:
        for each in self._services:
            if each.serves(class_) and each.permits(self._registry.capabilities, class_):
                for verb, field in each.fields(self._registry, class_):
                    yield service_name(class_.name, verb), field

    def __getitem__(self, name: str) -> GraphQLField:
        if name in self._other_factories:
            return self._other_fields[name]
        class_ = self._registry.model.classes.get(class_name_of(name))
        if class_ is None:
            raise KeyError(name)
        return self.of(class_)[name]

    def __iter__(self) -> Iterator[str]:
        for class_ in self._registry.model.classes.values():
            yield from self.of(class_)
        yield from self._other_factories

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def copy(self) -> dict[str, GraphQLField]:
        """Return all fields. graphql-core calls it when it copies the type."""
        return dict(self)


class RootType(GraphQLObjectType):
    """The type `Query` or `Mutation`, whose fields are made when they are first used."""

    def __init__(self, name: str, fields: RootFields) -> None:
        super().__init__(name, {})
        # This replaces a cached property of graphql-core, which would make all fields and check their names.
        self.fields = fields

    def of(self, class_: Class) -> Mapping[str, GraphQLField]:
        """Return the fields of a class."""
        fields = self.fields
        assert isinstance(fields, RootFields)
        return fields.of(class_)


class GeneratedSchema(GraphQLSchema):
    """A schema with the types that graphql-core would collect, each made when it is first used."""

    def __init__(self, model: Model, query: RootType, mutation: RootType | None) -> None:
        description = f"The services of the application {model.application}."
        # Tests show that schemas are valid for any model. A check here would take longer than most requests.
        super().__init__(description=description, directives=DIRECTIVES, assume_valid=True)
        self.query_type = query
        self.mutation_type = mutation
        # Every object has an id, so any service leads to the type ID.
        roots = {root.name: root for root in (query, mutation) if root} | {GraphQLID.name: GraphQLID}
        self.type_map = TypeMap(  # type: ignore[assignment] # a mapping is all that it need be
            model,
            self.type_map | INTROSPECTION_TYPES | roots,
            self._services,
            lambda: GraphQLSchema(query, mutation).type_map | INTROSPECTION_TYPES,
        )

    def get_field(self, parent_type: GraphQLCompositeType, field_name: str) -> GraphQLField | None:
        """Return a field of a type, or None. Introspection describes what the caller may use."""
        if parent_type is self.query_type and field_name in META_FIELDS:
            return META_FIELDS[field_name]
        return super().get_field(parent_type, field_name)

    def _services(self, class_: Class) -> Iterator[GraphQLField]:
        for root in (self.query_type, self.mutation_type):
            if isinstance(root, RootType):
                yield from root.of(class_).values()


def _root_type(
    name: str,
    services: Sequence[ServiceKind],
    registry: TypeRegistry,
    other_fields: Mapping[str, Callable[[TypeRegistry], GraphQLField]] = MappingProxyType({}),
) -> RootType | None:
    locks = registry.capabilities.locks
    has_locks = any(class_.is_stored and locks(class_) for class_ in registry.model.classes.values())
    fields = RootFields(registry, services, other_fields if has_locks else {})
    # Users come last, so one field tells whether the model's own classes have services. For one profile, they
    # need not have any.
    counts_users = not registry.capabilities.is_full
    has_services = any(counts_users or class_name_of(field) != USER for field in fields)
    return RootType(name, fields) if has_services else None
