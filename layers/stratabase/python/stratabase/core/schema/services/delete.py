"""`<C>___delete`: delete an object."""

from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLID, GraphQLNonNull

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Delete
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Class
from stratabase.core.operations import write
from stratabase.core.operations.write.options import NO_OPTIONS
from stratabase.core.schema.inputs.service_arguments import (
    condition_arguments,
    force_warnings_argument,
    with_conditions,
)
from stratabase.core.schema.request.context import ServiceCall, commit_and_show
from stratabase.core.schema.services.service import Service, may_delete, service_field
from stratabase.core.schema.types.registry import TypeRegistry
from stratabase.core.schema.types.results import DELETE_RESULT


def _field(_: TypeRegistry, class_: Class) -> GraphQLField:
    def resolve(call: ServiceCall) -> Any:
        context = call.context
        command = with_conditions(class_, Delete(Reference(class_.name, call.arguments[ID])), call)
        return commit_and_show(
            call,
            NO_OPTIONS,
            lambda options: write.delete(context.services, command, context.caller, options),
            lambda deleted: {"deleted": deleted},
            lambda outcome: bool(outcome.change.effects),
        )

    return service_field(
        DELETE_RESULT,
        {ID: GraphQLArgument(GraphQLNonNull(GraphQLID))}
        | condition_arguments(class_)
        | force_warnings_argument(),
        resolve,
        f"Delete the {class_.name} with this id.",
    )


DELETE = Service("delete", _field, may_delete)
