"""`<C>___getPage`: the objects of a class that match a filter, in an order, a page at a time."""

from collections.abc import Sequence
from typing import Any

from graphql import GraphQLField

from stratabase.domain.objects.entity import Entity
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.operations.read import confirmed, page
from stratabase.schema.classes import is_read
from stratabase.schema.context import Call
from stratabase.schema.fetching.page import PageAnswer, wanted
from stratabase.schema.fetching.views import views_of
from stratabase.schema.fixed import DISABLE_CACHE, with_default
from stratabase.schema.generation import Generation
from stratabase.schema.grants import reading
from stratabase.schema.options import DEFAULT_OPTIONS
from stratabase.schema.query_reading import QueryReader
from stratabase.schema.services.service import Service, answered


def _field(generation: Generation, class_: Class) -> GraphQLField:
    reader = QueryReader(generation.model, class_)

    def answer(call: Call) -> dict[str, Any]:
        options = call.arguments.get("options") or {}
        told = wanted(call.selected, version_start=call.fetch.version_start)
        query = reader.read(options, told, call.context.asking)
        context = call.context
        world, allowance, circumstances = context.world, context.allowance, context.circumstances
        found = page(world, query, allowance, circumstances)
        items: Sequence[Entity] = found.items
        exact = bool(call.arguments.get(DISABLE_CACHE))
        if exact:
            # The cursors stay where the index ends the page: what has moved since must not carry them away.
            items = confirmed(world, query, found, allowance, circumstances)
        return PageAnswer(class_, query.order, call.selected)(found, views_of(call, items, exact=exact))

    return answered(
        generation.of(GeneratedType.PAGE, class_),
        {"options": with_default(generation.of(GeneratedType.OPTIONS, class_), DEFAULT_OPTIONS)},
        reading(class_, answer),
        f"A page of the {class_.name} objects that match a filter.",
    )


SERVICE = Service("getPage", _field, is_read)
