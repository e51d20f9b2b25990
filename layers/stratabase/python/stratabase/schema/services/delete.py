"""`<C>___delete`: end an object."""

from graphql import GraphQLArgument, GraphQLField, GraphQLID, GraphQLNonNull

from stratabase.domain.objects.entity import Reference
from stratabase.domain.write.commands import Delete
from stratabase.model.api_names import ID
from stratabase.model.model import Class
from stratabase.operations.write.services import delete
from stratabase.schema.context import Call
from stratabase.schema.fixed import DELETE_RESULT, force_warnings
from stratabase.schema.generation import Generation
from stratabase.schema.services.service import Service, answered
from stratabase.schema.version_arguments import if_version, relying


def _field(_: Generation, class_: Class) -> GraphQLField:
    def answer(call: Call) -> dict[str, bool]:
        command = relying(class_, Delete(Reference(class_.name, call.arguments[ID])), call)
        return {"deleted": delete(call.context.world, command, call.context.caller)}

    return answered(
        DELETE_RESULT,
        {ID: GraphQLArgument(GraphQLNonNull(GraphQLID))} | if_version(class_) | force_warnings(),
        answer,
        f"End the {class_.name} with this id.",
    )


SERVICE = Service("delete", _field)
