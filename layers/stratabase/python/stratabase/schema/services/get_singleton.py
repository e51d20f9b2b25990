"""`<C>___get` of a singleton: the one object, which is always there."""

from graphql import GraphQLField

from stratabase.domain.objects.identity import singleton_reference
from stratabase.domain.query.fetch import View
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.operations.read import get
from stratabase.schema.classes import is_singleton
from stratabase.schema.context import Call
from stratabase.schema.fetching.views import view_of
from stratabase.schema.generation import Generation
from stratabase.schema.grants import reading
from stratabase.schema.services.service import Service, answered


def _field(generation: Generation, class_: Class) -> GraphQLField:
    def answer(call: Call) -> View | None:
        world, allowance, circumstances = call.context.reading
        return view_of(call, get(world, singleton_reference(class_), allowance, circumstances))

    return answered(
        generation.of(GeneratedType.OBJECT, class_), {}, reading(class_, answer), f"The {class_.name}."
    )


SERVICE = Service("get", _field, is_singleton)
