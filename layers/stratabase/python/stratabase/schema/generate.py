"""From a model to its GraphQL schema, whose types and services are made when they are first asked for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from graphql import GraphQLField, GraphQLID, GraphQLObjectType, GraphQLSchema

from stratabase.model import api_names
from stratabase.model.api_names import GeneratedType, class_name_of, service_name
from stratabase.model.model import Class, Model
from stratabase.schema.inputs import input_table, object_inputs
from stratabase.schema.inputs.filter_type import filter_type
from stratabase.schema.inputs.page_options import cursor_type, options_type, sort_type
from stratabase.schema.services import MUTATIONS, OF_THE_MODEL, QUERIES, ServiceKind
from stratabase.schema.type_map import TypeMap
from stratabase.schema.types.objects import object_type
from stratabase.schema.types.registry import LazyMapping, TypeFactory, TypeRegistry
from stratabase.schema.types.results import bulk_result_type, page_type

TYPE_FACTORIES: dict[GeneratedType, TypeFactory] = {
    GeneratedType.OBJECT: object_type,
    GeneratedType.PAGE: page_type,
    GeneratedType.OPTIONS: options_type,
    GeneratedType.CURSOR: cursor_type,
    GeneratedType.SORT: sort_type,
    GeneratedType.FILTER: filter_type,
    GeneratedType.BULK_RESULT: bulk_result_type,
    **{family: object_inputs.object_input_factory(family) for family in input_table.INPUT_TABLE},
    **{family: object_inputs.role_input_factory(family) for family in object_inputs.ROLE_INPUT_FIELDS},
}


class NothingServed(Exception):
    """A model of which no class has services, so that there is no schema."""

    def __init__(self, model: Model) -> None:
        super().__init__(
            f"No class of the application {model.application} has services. "
            "Write one that is exposed, and no part of another."
        )


def generate_schema(model: Model) -> GraphQLSchema:
    """Return the schema of a model's services, whose types are made when they are touched.

    Raises NothingServed.
    """
    registry = TypeRegistry(model, TYPE_FACTORIES)
    query = _root_type(api_names.QUERY, QUERIES, registry)
    mutation = _root_type(api_names.MUTATION, MUTATIONS, registry, OF_THE_MODEL)
    if query is None:
        raise NothingServed(model)
    return GeneratedSchema(model, query, mutation)


class RootFields(Mapping[str, GraphQLField]):
    """The fields of a root type, by name, in the order of the model's classes and then of the services."""

    def __init__(
        self,
        registry: TypeRegistry,
        services: Sequence[ServiceKind],
        more: Mapping[str, Callable[[TypeRegistry], GraphQLField]],
    ) -> None:
        """`more`: what makes the fields that are no class's."""
        self._services = services
        self._more = more
        self._registry = registry
        self._more_fields: LazyMapping[str, GraphQLField] = LazyMapping(lambda name: more[name](registry))
        self._class_fields = LazyMapping(self._make)

    def of(self, class_: Class) -> Mapping[str, GraphQLField]:
        """Return the fields of one class."""
        return self._class_fields[class_.name]

    def _make(self, class_name: str) -> dict[str, GraphQLField]:
        return dict(self._fields(self._registry.model.classes[class_name]))

    def _fields(self, class_: Class) -> Iterator[tuple[str, GraphQLField]]:
        for each in self._services:
            if each.serves(class_):
                for verb, field in each.fields(self._registry, class_):
                    yield service_name(class_.name, verb), field

    def __getitem__(self, name: str) -> GraphQLField:
        if name in self._more:
            return self._more_fields[name]
        class_ = self._registry.model.classes.get(class_name_of(name))
        if class_ is None:
            raise KeyError(name)
        return self.of(class_)[name]

    def __iter__(self) -> Iterator[str]:
        for class_ in self._registry.model.classes.values():
            yield from self.of(class_)
        yield from self._more

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def copy(self) -> dict[str, GraphQLField]:
        """Return all fields, as graphql-core asks for them to make a type like this one."""
        return dict(self)


class RootType(GraphQLObjectType):
    """`Query` or `Mutation`."""

    def __init__(self, name: str, fields: RootFields) -> None:
        super().__init__(name, {})
        # Where graphql-core would keep them once it had made all of them, and checked each one's name.
        self.fields = fields

    def of(self, class_: Class) -> Mapping[str, GraphQLField]:
        """Return the fields of one class."""
        fields = self.fields
        assert isinstance(fields, RootFields)
        return fields.of(class_)


class GeneratedSchema(GraphQLSchema):
    """A schema that is as graphql-core would make it, but for when its types are made."""

    def __init__(self, model: Model, query: RootType, mutation: RootType | None) -> None:
        description = f"The services of the application {model.application}."
        # What is valid is for the tests to show, for any model: it takes longer than most requests.
        super().__init__(description=description, assume_valid=True)
        self.query_type = query
        self.mutation_type = mutation
        # Every object has an id, so that any service leads to that type.
        roots = {root.name: root for root in (query, mutation) if root} | {GraphQLID.name: GraphQLID}
        self.type_map = TypeMap(  # type: ignore[assignment] # a mapping is all that it need be
            model, self.type_map | roots, self._services, lambda: GraphQLSchema(query, mutation).type_map
        )

    def _services(self, class_: Class) -> Iterator[GraphQLField]:
        for root in (self.query_type, self.mutation_type):
            if isinstance(root, RootType):
                yield from root.of(class_).values()


def _root_type(
    name: str,
    services: Sequence[ServiceKind],
    registry: TypeRegistry,
    more: Mapping[str, Callable[[TypeRegistry], GraphQLField]] = MappingProxyType({}),
) -> RootType | None:
    is_stored = any(class_.is_stored for class_ in registry.model.classes.values())
    fields = RootFields(registry, services, more if is_stored else {})
    return RootType(name, fields) if any(True for _ in fields) else None
