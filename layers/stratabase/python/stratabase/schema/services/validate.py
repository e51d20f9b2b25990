"""`<C>___validate`: what `save` would refuse."""

from graphql import GraphQLField

from stratabase.model.model import Class
from stratabase.schema.generation import Generation
from stratabase.schema.services.data import saving
from stratabase.schema.services.service import Service
from stratabase.schema.services.validating import validated


def _field(generation: Generation, class_: Class) -> GraphQLField:
    description = f"What is wrong with saving this {class_.name}; nothing is written."
    return validated(generation, class_, saving(), description)


SERVICE = Service("validate", _field)
