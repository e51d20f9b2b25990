"""`<C>___validateUpdate`: what `update` would refuse."""

from graphql import GraphQLField

from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.schema.classes import giving, is_changed
from stratabase.schema.generation import Generation
from stratabase.schema.services.data import updating
from stratabase.schema.services.service import Service
from stratabase.schema.services.validating import validated


def _field(generation: Generation, class_: Class) -> GraphQLField:
    description = f"What is wrong with this change of the {class_.name}; nothing is written."
    return validated(generation, class_, updating(GeneratedType.DRAFT_UPDATE), description)


SERVICE = Service("validateUpdate", _field, giving(GeneratedType.DRAFT_UPDATE, is_changed))
