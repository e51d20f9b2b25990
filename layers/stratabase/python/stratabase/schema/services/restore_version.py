"""`<C>___restoreVersion`: make an object what it was."""

from graphql import GraphQLField

from stratabase.domain.query.fetch import View
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.operations.write.services import restore
from stratabase.schema.classes import is_restored
from stratabase.schema.context import Call
from stratabase.schema.fetching.views import written_views
from stratabase.schema.fixed import force_warnings
from stratabase.schema.generation import Generation
from stratabase.schema.services.service import Service, answered
from stratabase.schema.services.terms import terms_of
from stratabase.schema.version_arguments import AT_VERSION, given, instant, reference, which


def _field(generation: Generation, class_: Class) -> GraphQLField:
    def answer(call: Call) -> View:
        (readings,) = given(class_, call, AT_VERSION)
        context, object_ = call.context, reference(class_, call)
        done = restore(context.world, object_, readings, context.caller, terms_of(call))
        return written_views(call, [done])[0]

    arguments = which(class_) | instant(AT_VERSION) | force_warnings()
    description = f"Make the {class_.name} what it was at an instant, with its parts, also if it was deleted."
    return answered(generation.of(GeneratedType.OBJECT, class_), arguments, answer, description)


SERVICE = Service("restoreVersion", _field, is_restored)
