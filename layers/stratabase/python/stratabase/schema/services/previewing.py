"""What the services that preview a write share: their arguments, and the shape of their answer."""

from graphql import GraphQLField

from stratabase.domain.query.fetch import View
from stratabase.domain.refusal import Refused, TooMuchRead
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.operations.write.services import preview
from stratabase.schema.context import Call, Partial
from stratabase.schema.fetching.views import previewed_view
from stratabase.schema.generation import Generation
from stratabase.schema.inputs.reading import Reading
from stratabase.schema.services.data import Given
from stratabase.schema.services.service import answered
from stratabase.schema.services.terms import terms_of

_INCOMPLETE = (
    "An incomplete draft is shown as far as it goes; what is wrong with it is told as errors beside it."
)


def previewed(generation: Generation, class_: Class, given: Given, description: str) -> GraphQLField:
    """Return a query that takes `data` and answers the object as it would be, what is wrong beside it."""
    reading = Reading(generation.model)

    def answer(call: Call) -> View | Partial:
        command = given.command(reading, class_, call)
        world, caller = call.context.world, call.context.caller
        done, issues = preview(world, command, caller, options=terms_of(call))
        if not issues:
            return previewed_view(call, done)
        try:
            return Partial(previewed_view(call, done), issues)
        except TooMuchRead:  # what is wrong with the draft matters more
            raise Refused(issues) from None

    arguments = given.argument(generation, class_)
    description = f"{description} {_INCOMPLETE}"
    return answered(generation.of(GeneratedType.OBJECT, class_), arguments, answer, description)
