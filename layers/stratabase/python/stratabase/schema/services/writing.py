"""What the services that write one object share: their arguments, and the shape of their answer."""

from collections.abc import Callable, Mapping
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLNonNull

from stratabase.domain.entity import Entity, State
from stratabase.model.class_ import Class
from stratabase.schema.context import Call, Context
from stratabase.schema.fixed import force_warnings
from stratabase.schema.generation import Generation
from stratabase.schema.names import CLIENT_ID, Family
from stratabase.schema.services.service import answered

Data = Mapping[str, Any]
Write = Callable[[Data, Context], Entity]


def written(
    generation: Generation, class_: Class, family: Family, write: Write, description: str
) -> GraphQLField:
    """Return a mutation that takes `data` of a family of inputs and answers the object as it is now."""

    def answer(call: Call) -> State:
        data = call.arguments["data"]
        return {**write(data, call.context).state, CLIENT_ID: data.get(CLIENT_ID)}

    arguments = {"data": GraphQLArgument(GraphQLNonNull(generation.of(family, class_)))} | force_warnings()
    return answered(generation.of(Family.OBJECT, class_), arguments, answer, description)
