"""`<C>___get`: one object by its id."""

from graphql import GraphQLArgument, GraphQLField, GraphQLID, GraphQLNonNull

from stratabase.domain.objects.entity import Reference
from stratabase.domain.query.fetch import View
from stratabase.model.api_names import ID, GeneratedType
from stratabase.model.model import Class
from stratabase.operations.read import get
from stratabase.schema.classes import is_read
from stratabase.schema.context import Call
from stratabase.schema.fetching.views import view_of
from stratabase.schema.generation import Generation
from stratabase.schema.grants import reading
from stratabase.schema.services.service import Service, answered


def _field(generation: Generation, class_: Class) -> GraphQLField:
    def answer(call: Call) -> View | None:
        world, allowance, circumstances = call.context.reading
        return view_of(call, get(world, Reference(class_.name, call.arguments[ID]), allowance, circumstances))

    return answered(
        generation.of(GeneratedType.OBJECT, class_),
        {ID: GraphQLArgument(GraphQLNonNull(GraphQLID))},
        reading(class_, answer),
        f"The {class_.name} with this id; null when there is none.",
    )


SERVICE = Service("get", _field, is_read)
