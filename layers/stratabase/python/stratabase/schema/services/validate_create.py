"""`<C>___validateCreate`: what `create` would refuse."""

from graphql import GraphQLField

from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.schema.generation import Generation
from stratabase.schema.services.data import creating
from stratabase.schema.services.service import Service
from stratabase.schema.services.validating import validated


def _field(generation: Generation, class_: Class) -> GraphQLField:
    description = f"What is wrong with making this {class_.name}; nothing is written."
    return validated(generation, class_, creating(GeneratedType.DRAFT_CREATE), description)


SERVICE = Service("validateCreate", _field)
