"""`<C>___get`: one object by its id."""

from graphql import GraphQLArgument, GraphQLField, GraphQLID, GraphQLNonNull

from stratabase.domain.entity import Reference, State
from stratabase.model.class_ import Class
from stratabase.operations.read import get
from stratabase.schema.context import Call
from stratabase.schema.generation import Generation
from stratabase.schema.names import ID, Family
from stratabase.schema.services.service import Service, answered


def _field(generation: Generation, class_: Class) -> GraphQLField:
    def answer(call: Call) -> State | None:
        context = call.context
        entity = get(context.world, Reference(class_.name, call.arguments[ID]), context.allowance)
        return None if entity is None else entity.state

    return answered(
        generation.of(Family.OBJECT, class_),
        {ID: GraphQLArgument(GraphQLNonNull(GraphQLID))},
        answer,
        f"The {class_.name} with this id; null when there is none.",
    )


SERVICE = Service("get", _field)
