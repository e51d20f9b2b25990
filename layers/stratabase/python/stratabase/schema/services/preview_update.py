"""`<C>___previewUpdate`: an object as `update` would leave it."""

from graphql import GraphQLField

from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.schema.classes import giving, is_changed
from stratabase.schema.generation import Generation
from stratabase.schema.services.data import updating
from stratabase.schema.services.previewing import previewed
from stratabase.schema.services.service import Service


def _field(generation: Generation, class_: Class) -> GraphQLField:
    description = f"The {class_.name} as it would be after a change; nothing is written."
    return previewed(generation, class_, updating(GeneratedType.DRAFT_UPDATE), description)


SERVICE = Service("previewUpdate", _field, giving(GeneratedType.DRAFT_UPDATE, is_changed))
