"""From a model to its GraphQL schema."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from graphql import GraphQLField, GraphQLID, GraphQLSchema

from stratabase.model import api_names
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class, Model
from stratabase.schema.bulk_results import bulk_result_type
from stratabase.schema.filters import filter_type
from stratabase.schema.generation import Generation, Maker
from stratabase.schema.inputs import role_types, table, types
from stratabase.schema.objects import object_type
from stratabase.schema.options import options_type
from stratabase.schema.pages import page_type
from stratabase.schema.roots import RootFields, RootType
from stratabase.schema.services import MUTATIONS, OF_THE_MODEL, QUERIES, Serving
from stratabase.schema.sorts import cursor_type, sort_type
from stratabase.schema.type_map import TypeMap

MAKERS: dict[GeneratedType, Maker] = {
    GeneratedType.OBJECT: object_type,
    GeneratedType.PAGE: page_type,
    GeneratedType.OPTIONS: options_type,
    GeneratedType.CURSOR: cursor_type,
    GeneratedType.SORT: sort_type,
    GeneratedType.FILTER: filter_type,
    GeneratedType.BULK_RESULT: bulk_result_type,
    **{family: types.maker(family) for family in table.TABLE},
    **{family: role_types.maker(family) for family in role_types.FIELDS},
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
    generation = Generation(model, MAKERS)
    query = _root(api_names.QUERY, QUERIES, generation)
    mutation = _root(api_names.MUTATION, MUTATIONS, generation, OF_THE_MODEL)
    if query is None:
        raise NothingServed(model)
    return GeneratedSchema(model, query, mutation)


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


def _root(
    name: str,
    services: Sequence[Serving],
    generation: Generation,
    more: Mapping[str, Callable[[Generation], GraphQLField]] = MappingProxyType({}),
) -> RootType | None:
    is_stored = any(class_.is_stored for class_ in generation.model.classes.values())
    fields = RootFields(generation, services, more if is_stored else {})
    return RootType(name, fields) if any(True for _ in fields) else None
