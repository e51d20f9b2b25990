"""What the services that validate a write share: their arguments, and the shape of their answer."""

from collections.abc import Callable, Sequence
from typing import Any

from graphql import GraphQLArgument, GraphQLField

from stratabase.domain.issue import Issue
from stratabase.model.model import Class
from stratabase.operations.write.services import validate
from stratabase.schema.context import Call
from stratabase.schema.generation import Generation
from stratabase.schema.inputs.reading import Reading
from stratabase.schema.issues import VALIDATION_RESULT, Asked
from stratabase.schema.services.data import Given
from stratabase.schema.services.service import answered
from stratabase.schema.services.terms import terms_of


def validated(generation: Generation, class_: Class, given: Given, description: str) -> GraphQLField:
    """Return a query that takes `data` and answers what is wrong with it."""
    reading = Reading(generation.model)

    def issues(call: Call) -> Sequence[Issue]:
        command = given.command(reading, class_, call)
        return validate(call.context.world, command, call.context.caller, options=terms_of(call))

    return judged(given.argument(generation, class_), issues, description)


def judged(
    arguments: dict[str, GraphQLArgument], issues: Callable[[Call], Sequence[Issue]], description: str
) -> GraphQLField:
    """Return a query that answers the issues that are found."""

    def answer(call: Call) -> dict[str, Any]:
        found, context = issues(call), call.context
        asked = Asked(context.world.model.application, context.caller.profile, context.trace_id)
        is_valid = not any(issue.stops_write for issue in found)
        return {"isValid": is_valid, "issues": [asked.shown(issue, (call.key,)) for issue in found]}

    return answered(VALIDATION_RESULT, arguments, answer, description)
