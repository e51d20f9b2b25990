"""`<C>___previewCreate`: an object as `create` would make it."""

from graphql import GraphQLField

from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.schema.classes import is_filled_in
from stratabase.schema.generation import Generation
from stratabase.schema.services.data import creating
from stratabase.schema.services.previewing import previewed
from stratabase.schema.services.service import Service


def _field(generation: Generation, class_: Class) -> GraphQLField:
    description = f"The {class_.name} that would be made; nothing is written."
    return previewed(generation, class_, creating(GeneratedType.DRAFT_CREATE), description)


SERVICE = Service("previewCreate", _field, is_filled_in)
