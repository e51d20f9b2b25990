"""`<C>___validateUpdateBulk`: what `updateBulk` would refuse."""

from collections.abc import Sequence

from graphql import GraphQLField

from stratabase.domain.issue import Issue
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.operations.write.bulk import validate_bulk
from stratabase.schema.classes import giving, is_ordinary
from stratabase.schema.context import Call
from stratabase.schema.generation import Generation
from stratabase.schema.inputs.reading import Reading
from stratabase.schema.services.bulk import Selecting
from stratabase.schema.services.data import data
from stratabase.schema.services.service import Service
from stratabase.schema.services.validating import judged


def _field(generation: Generation, class_: Class) -> GraphQLField:
    reading, selecting = Reading(generation.model), Selecting(generation.model, class_)

    def issues(call: Call) -> Sequence[Issue]:
        command = reading.update_bulk(GeneratedType.DRAFT_UPDATE_BULK, class_, call.arguments["data"])
        context, query = call.context, selecting.query(call)
        return validate_bulk(
            context.world, command, query, context.caller, context.allowance, context.circumstances
        )

    arguments = data(generation, class_, GeneratedType.DRAFT_UPDATE_BULK) | selecting.argument(generation)
    description = f"What is wrong with this change of many {class_.name} objects; nothing is written."
    return judged(arguments, issues, description)


SERVICE = Service("validateUpdateBulk", _field, giving(GeneratedType.DRAFT_UPDATE_BULK, is_ordinary))
