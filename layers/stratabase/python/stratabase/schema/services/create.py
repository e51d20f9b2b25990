"""`<C>___create`: make an object."""

from graphql import GraphQLField

from stratabase.domain.entity import Entity
from stratabase.model.class_ import Class
from stratabase.operations.create import create
from stratabase.schema.context import Context
from stratabase.schema.generation import Generation
from stratabase.schema.inputs import create_command
from stratabase.schema.names import Family
from stratabase.schema.services.service import Service
from stratabase.schema.services.writing import Data, written


def _field(generation: Generation, class_: Class) -> GraphQLField:
    def write(data: Data, context: Context) -> Entity:
        return create(context.world, create_command(class_, data), context.caller)

    return written(generation, class_, Family.CREATE, write, f"Make a new {class_.name}.")


SERVICE = Service("create", _field)
