"""`<C>___validateDelete`: what `delete` would refuse."""

from collections.abc import Sequence

from graphql import GraphQLArgument, GraphQLField, GraphQLID, GraphQLNonNull

from stratabase.domain.issue import Issue
from stratabase.domain.objects.entity import Reference
from stratabase.domain.write.commands import Delete
from stratabase.model.api_names import ID
from stratabase.model.model import Class
from stratabase.operations.write.services import validate
from stratabase.schema.context import Call
from stratabase.schema.generation import Generation
from stratabase.schema.services.service import Service
from stratabase.schema.services.validating import judged


def _field(_: Generation, class_: Class) -> GraphQLField:
    def issues(call: Call) -> Sequence[Issue]:
        command = Delete(Reference(class_.name, call.arguments[ID]))
        return validate(call.context.world, command, call.context.caller)

    arguments = {ID: GraphQLArgument(GraphQLNonNull(GraphQLID))}
    return judged(arguments, issues, f"What is in the way of ending this {class_.name}; nothing is written.")


SERVICE = Service("validateDelete", _field)
