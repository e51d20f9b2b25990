"""`<C>___preview`: an object as `save` would leave it."""

from graphql import GraphQLField

from stratabase.model.model import Class
from stratabase.schema.classes import is_filled_in
from stratabase.schema.generation import Generation
from stratabase.schema.services.data import saving
from stratabase.schema.services.previewing import previewed
from stratabase.schema.services.service import Service


def _field(generation: Generation, class_: Class) -> GraphQLField:
    description = f"The {class_.name} that would be made or changed; nothing is written."
    return previewed(generation, class_, saving(), description)


SERVICE = Service("preview", _field, is_filled_in)
