"""`<C>___update`: change an object, with its parts and associations."""

from graphql import GraphQLField

from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.operations.write.services import save
from stratabase.schema.classes import giving, is_changed
from stratabase.schema.generation import Generation
from stratabase.schema.services.data import updating
from stratabase.schema.services.service import Service
from stratabase.schema.services.writing import written


def _field(generation: Generation, class_: Class) -> GraphQLField:
    description = f"Change the {class_.name}: what is not given stays, null clears."
    return written(generation, class_, updating(GeneratedType.UPDATE), save, description)


SERVICE = Service("update", _field, giving(GeneratedType.UPDATE, is_changed))
