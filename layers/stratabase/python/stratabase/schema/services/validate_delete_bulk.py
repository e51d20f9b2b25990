"""`<C>___validateDeleteBulk`: what `deleteBulk` would refuse."""

from collections.abc import Sequence

from graphql import GraphQLField

from stratabase.domain.issue import Issue
from stratabase.model.model import Class
from stratabase.operations.write.bulk import validate_bulk
from stratabase.schema.context import Call
from stratabase.schema.generation import Generation
from stratabase.schema.services.bulk import Selecting
from stratabase.schema.services.service import Service
from stratabase.schema.services.validating import judged


def _field(generation: Generation, class_: Class) -> GraphQLField:
    selecting = Selecting(generation.model, class_)

    def issues(call: Call) -> Sequence[Issue]:
        context, query = call.context, selecting.query(call)
        return validate_bulk(
            context.world, None, query, context.caller, context.allowance, context.circumstances
        )

    description = f"What is in the way of ending many {class_.name} objects; nothing is written."
    return judged(selecting.argument(generation), issues, description)


SERVICE = Service("validateDeleteBulk", _field)
