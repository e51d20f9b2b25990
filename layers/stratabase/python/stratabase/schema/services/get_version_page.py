"""`<C>___getVersionPage`: the versions of one object, a page at a time."""

from typing import Any

from graphql import GraphQLArgument, GraphQLField

from stratabase.domain.query.order import Order
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.operations.version_page import version_page
from stratabase.schema.classes import has_history
from stratabase.schema.context import Call
from stratabase.schema.fetching.page import PageAnswer, wanted
from stratabase.schema.fetching.views import version_views
from stratabase.schema.generation import Generation
from stratabase.schema.grants import reading
from stratabase.schema.query_reading import QueryReader
from stratabase.schema.services.service import Service, answered
from stratabase.schema.version_arguments import reference, which


def _field(generation: Generation, class_: Class) -> GraphQLField:
    reader = QueryReader(generation.model, class_, ordering=Order.of_versions)

    def answer(call: Call) -> dict[str, Any]:
        options = call.arguments.get("options") or {}
        query = reader.read(options, wanted(call.selected), call.context.asking)
        world, allowance, circumstances = call.context.reading
        found = version_page(world, reference(class_, call), query, allowance, circumstances)
        return PageAnswer(class_, query.order, call.selected)(found, version_views(call, found.items))

    arguments = {**which(class_), "options": GraphQLArgument(generation.of(GeneratedType.OPTIONS, class_))}
    description = f"The versions of the {class_.name} with this id, in the order of their starts."
    return answered(
        generation.of(GeneratedType.PAGE, class_), arguments, reading(class_, answer), description
    )


SERVICE = Service("getVersionPage", _field, has_history)
