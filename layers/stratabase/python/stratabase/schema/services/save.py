"""`<C>___save`: change an object that has an id, make one that has none."""

from graphql import GraphQLField

from stratabase.model.model import Class
from stratabase.operations.write.services import save
from stratabase.schema.generation import Generation
from stratabase.schema.services.data import saving
from stratabase.schema.services.service import Service
from stratabase.schema.services.writing import written


def _field(generation: Generation, class_: Class) -> GraphQLField:
    description = f"Change the {class_.name} with the id given, or make a new one without."
    return written(generation, class_, saving(), save, description)


SERVICE = Service("save", _field)
