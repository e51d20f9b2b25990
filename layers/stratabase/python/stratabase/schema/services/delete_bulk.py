"""`<C>___deleteBulk`: end all objects that match a filter."""

from graphql import GraphQLField

from stratabase.model.model import Class
from stratabase.operations.write.bulk import delete_bulk
from stratabase.schema.context import Call
from stratabase.schema.fixed import DELETE_BULK_RESULT, force_warnings
from stratabase.schema.generation import Generation
from stratabase.schema.services.bulk import Selecting
from stratabase.schema.services.service import Service, answered


def _field(generation: Generation, class_: Class) -> GraphQLField:
    selecting = Selecting(generation.model, class_)

    def answer(call: Call) -> dict[str, int]:
        context, query = call.context, selecting.query(call)
        deleted = delete_bulk(context.world, query, context.caller, context.allowance, context.circumstances)
        return {"deleted": deleted}

    description = f"End the {class_.name} objects that match a filter; each by itself."
    return answered(
        DELETE_BULK_RESULT, selecting.argument(generation) | force_warnings(), answer, description
    )


SERVICE = Service("deleteBulk", _field)
