"""From a model to its GraphQL schema."""

from collections.abc import Iterable

from graphql import GraphQLField, GraphQLObjectType, GraphQLSchema, validate_schema

from stratabase.model.model import Model
from stratabase.schema.filters import filter_type
from stratabase.schema.generation import Generation, Maker
from stratabase.schema.inputs import create_type, draft_type, update_type
from stratabase.schema.names import Family, service
from stratabase.schema.objects import object_type
from stratabase.schema.options import options_type
from stratabase.schema.pages import page_type
from stratabase.schema.services import MUTATIONS, QUERIES, Service
from stratabase.schema.sorts import cursor_type, sort_type

MAKERS: dict[Family, Maker] = {
    Family.OBJECT: object_type,
    Family.PAGE: page_type,
    Family.OPTIONS: options_type,
    Family.CURSOR: cursor_type,
    Family.SORT: sort_type,
    Family.FILTER: filter_type,
    Family.CREATE: create_type,
    Family.UPDATE: update_type,
    Family.DRAFT: draft_type,
}


class NothingServed(Exception):
    """A model of which no class has services, so that there is no schema."""

    def __init__(self, model: Model) -> None:
        super().__init__(
            f"No class of the application {model.application} has services. "
            "Write one that is ordinary, exposed, and no part of another."
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


def _root(name: str, services: Iterable[Service], generation: Generation) -> GraphQLObjectType | None:
    fields: dict[str, GraphQLField] = {
        service(class_.name, each.verb): each.field(generation, class_)
        for class_ in generation.model.classes.values()
        for each in services
        if each.serves(class_)
    }
    return GraphQLObjectType(name, fields) if fields else None
