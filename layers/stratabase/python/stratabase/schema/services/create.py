"""`<C>___create`: make an object, with its parts and associations."""

from graphql import GraphQLField

from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.operations.write.services import save
from stratabase.schema.generation import Generation
from stratabase.schema.services.data import creating
from stratabase.schema.services.service import Service
from stratabase.schema.services.writing import written


def _field(generation: Generation, class_: Class) -> GraphQLField:
    description = f"Make a new {class_.name}."
    return written(generation, class_, creating(GeneratedType.CREATE), save, description)


SERVICE = Service("create", _field)
