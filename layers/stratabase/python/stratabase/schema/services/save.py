"""`<C>___save`: change an object that has an id, make one that has none."""

from graphql import GraphQLField

from stratabase.domain.entity import Entity
from stratabase.model.class_ import Class
from stratabase.operations.save import save
from stratabase.schema.context import Context
from stratabase.schema.generation import Generation
from stratabase.schema.inputs import save_command
from stratabase.schema.names import Family
from stratabase.schema.services.service import Service
from stratabase.schema.services.writing import Data, written


def _field(generation: Generation, class_: Class) -> GraphQLField:
    def write(data: Data, context: Context) -> Entity:
        return save(context.world, save_command(class_, data), context.caller)

    description = f"Change the {class_.name} with the id given, or make a new one without."
    return written(generation, class_, Family.DRAFT, write, description)


SERVICE = Service("save", _field)
