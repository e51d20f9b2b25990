"""What the services that write one object share: their arguments, and the shape of their answer."""

from collections.abc import Callable

from graphql import GraphQLField

from stratabase.domain.query.fetch import View
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.operations.write.outcome import WriteResult
from stratabase.schema.context import Call
from stratabase.schema.fetching.views import written_views
from stratabase.schema.fixed import force_warnings
from stratabase.schema.generation import Generation
from stratabase.schema.inputs.reading import Reading
from stratabase.schema.services.data import Given
from stratabase.schema.services.service import answered
from stratabase.schema.services.terms import terms_of
from stratabase.schema.version_arguments import if_version, relying

Write = Callable[..., WriteResult]
"""An operation: of the world, a command, who asks, what the request has called objects so far, and terms."""


def written(
    generation: Generation, class_: Class, given: Given, write: Write, description: str
) -> GraphQLField:
    """Return a mutation that takes `data` and answers the object as it is now."""
    reading = Reading(generation.model)

    def answer(call: Call) -> View:
        context = call.context
        command = relying(class_, given.command(reading, class_, call), call)
        done = write(context.world, command, context.caller, context.called, terms_of(call))
        context.called.update(done.client_ids)
        return written_views(call, [done])[0]

    relied_on = {} if given.family is GeneratedType.CREATE else if_version(class_)
    arguments = given.argument(generation, class_) | relied_on | force_warnings()
    return answered(generation.of(GeneratedType.OBJECT, class_), arguments, answer, description)
