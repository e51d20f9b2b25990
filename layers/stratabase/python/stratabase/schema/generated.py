"""From a model to its GraphQL schema."""

from collections.abc import Iterable

from graphql import GraphQLField, GraphQLObjectType, GraphQLSchema, validate_schema

from stratabase.model.model import Model
from stratabase.schema.bulk_results import bulk_result_type
from stratabase.schema.filters import filter_type
from stratabase.schema.generation import Generation, Maker
from stratabase.schema.inputs import role_types, table, types
from stratabase.schema.names import Family, service
from stratabase.schema.objects import object_type
from stratabase.schema.options import options_type
from stratabase.schema.pages import page_type
from stratabase.schema.services import MUTATIONS, QUERIES, Serving
from stratabase.schema.sorts import cursor_type, sort_type

MAKERS: dict[Family, Maker] = {
    Family.OBJECT: object_type,
    Family.PAGE: page_type,
    Family.OPTIONS: options_type,
    Family.CURSOR: cursor_type,
    Family.SORT: sort_type,
    Family.FILTER: filter_type,
    Family.BULK_RESULT: bulk_result_type,
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
    """Return the schema of a model's services. Raises NothingServed."""
    generation = Generation(model, MAKERS)
    query = _root("Query", QUERIES, generation)
    if query is None:
        raise NothingServed(model)
    schema = GraphQLSchema(
        query=query,
        mutation=_root("Mutation", MUTATIONS, generation),
        description=f"The services of the application {model.application}.",
    )
    mistakes = validate_schema(schema)
    assert not mistakes, mistakes
    return schema


def _root(name: str, services: Iterable[Serving], generation: Generation) -> GraphQLObjectType | None:
    fields: dict[str, GraphQLField] = {
        service(class_.name, verb): field
        for class_ in generation.model.classes.values()
        for each in services
        if each.serves(class_)
        for verb, field in each.fields(generation, class_)
    }
    return GraphQLObjectType(name, fields) if fields else None
