"""`<C>___updateBulk`: change all objects that match a filter in the same way."""

from typing import Any

from graphql import GraphQLField

from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.operations.write.bulk import update_bulk
from stratabase.schema.classes import giving, is_ordinary
from stratabase.schema.context import Call
from stratabase.schema.fetching.views import written_views
from stratabase.schema.fixed import force_warnings, is_forced
from stratabase.schema.generation import Generation
from stratabase.schema.inputs.reading import Reading
from stratabase.schema.services.bulk import Selecting
from stratabase.schema.services.data import data
from stratabase.schema.services.service import Service, answered


def _field(generation: Generation, class_: Class) -> GraphQLField:
    reading, selecting = Reading(generation.model), Selecting(generation.model, class_)

    def answer(call: Call) -> dict[str, Any]:
        command = reading.update_bulk(GeneratedType.UPDATE_BULK, class_, call.arguments["data"])
        context, query = call.context, selecting.query(call)
        done = update_bulk(
            context.world,
            command,
            query,
            context.caller,
            context.allowance,
            context.circumstances,
            force=is_forced(call.arguments),
        )
        items = written_views(call, done) if "items" in call.selected else []
        return {"items": items, "totalCount": len(done)}

    arguments = {
        **data(generation, class_, GeneratedType.UPDATE_BULK),
        **selecting.argument(generation),
        **force_warnings(),
    }
    description = f"Change the {class_.name} objects that match a filter; each by itself."
    return answered(generation.of(GeneratedType.BULK_RESULT, class_), arguments, answer, description)


SERVICE = Service("updateBulk", _field, giving(GeneratedType.UPDATE_BULK, is_ordinary))
