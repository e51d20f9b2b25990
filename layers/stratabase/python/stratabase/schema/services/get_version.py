"""`<C>___getVersion`: one object as it was at an instant."""

from graphql import GraphQLField

from stratabase.domain.query.fetch import View
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.operations.versions import meant, version
from stratabase.schema.classes import has_history
from stratabase.schema.context import Call
from stratabase.schema.fetching.views import version_view
from stratabase.schema.generation import Generation
from stratabase.schema.grants import reading
from stratabase.schema.services.service import Service, answered
from stratabase.schema.version_arguments import AT_VERSION, given, instant, reference, which


def _field(generation: Generation, class_: Class) -> GraphQLField:
    def answer(call: Call) -> View | None:
        (readings,) = given(class_, call, AT_VERSION)
        world, allowance, object_ = call.context.world, call.context.allowance, reference(class_, call)
        at = meant(world, object_, readings, allowance)
        found = version(world, object_, at, allowance)
        return None if found is None else version_view(call, found, at)

    description = f"The {class_.name} as it was at an instant; null when there was none."
    arguments = which(class_) | instant(AT_VERSION)
    type_ = generation.of(GeneratedType.OBJECT, class_)
    return answered(type_, arguments, reading(class_, answer), description)


SERVICE = Service("getVersion", _field, has_history)
