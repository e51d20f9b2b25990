"""What the services that preview a write share: their arguments, and the shape of their answer."""

from graphql import GraphQLField

from stratabase.domain.fetch import View
from stratabase.model.class_ import Class
from stratabase.operations.preview import preview
from stratabase.schema.context import Call
from stratabase.schema.fetching.views import previewed_view
from stratabase.schema.generation import Generation
from stratabase.schema.inputs.reading import Reading
from stratabase.schema.names import Family
from stratabase.schema.services.data import Given
from stratabase.schema.services.service import answered
from stratabase.schema.services.terms import terms_of


def previewed(generation: Generation, class_: Class, given: Given, description: str) -> GraphQLField:
    """Return a query that takes `data` and answers the object as it would be."""
    reading = Reading(generation.model)

    def answer(call: Call) -> View:
        command = given.command(reading, class_, call)
        world, caller = call.context.world, call.context.caller
        return previewed_view(call, preview(world, command, caller, terms=terms_of(call)))

    arguments = given.argument(generation, class_)
    return answered(generation.of(Family.OBJECT, class_), arguments, answer, description)
