"""`<C>___update`: change an object."""

from graphql import GraphQLField

from stratabase.domain.entity import Entity
from stratabase.model.class_ import Class
from stratabase.operations.update import update
from stratabase.schema.context import Context
from stratabase.schema.generation import Generation
from stratabase.schema.inputs import update_command
from stratabase.schema.names import Family
from stratabase.schema.services.service import Service
from stratabase.schema.services.writing import Data, written


def _field(generation: Generation, class_: Class) -> GraphQLField:
    def write(data: Data, context: Context) -> Entity:
        return update(context.world, update_command(class_, data), context.caller)

    description = f"Change the {class_.name} with this id: what is not given stays, null clears."
    return written(generation, class_, Family.UPDATE, write, description)


SERVICE = Service("update", _field)
